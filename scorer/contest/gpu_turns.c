/*
 * Class isolated: whose turn it is. A resident has host code of a contender, so
 * it could launch kernels while another one is timed: each is stopped, with all
 * that it started, while it is not its turn. What it had launched before still
 * runs then; so before the first turn and after each the judge times a small
 * kernel of its own, which waits if another process's kernels are at work.
 */
#include "core/base/clock.h"
#include "scorer/contest/gpu_contest_internal.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/host/launchers.h"

#include <time.h>

/* A card with work of two processes gives each milliseconds at a time. */
#define BUSY_SECONDS 200e-6
#define BUSY_TIMES   8 /* of the least that was seen */
#define REST_LOOKS   3 /* the first kernel of all takes longer */
/* What was launched and not waited for may end in this time. A host that is held
 * up sees a kernel late, but not so many times in a row. */
#define WAIT_SECONDS 0.25
#define WAIT_LOOKS   5
#define WAIT_NANOS   5000000

static void end_process(struct contest_launcher *l)
{
	runner_free(l->runner);
	*l = (struct contest_launcher){0};
}

/* What cannot be stopped could work at any time: it is ended. */
static void halt(struct score_outcome *o, struct contest_launcher *l)
{
	if (!l->runner || l->halted)
		return;
	l->halted = sandboxed_halt(&l->runner->process);
	if (l->halted)
		return;
	end_process(l);
	score_outcome_set(o, VERDICT_FORBIDDEN,
			  "its processes cannot be stopped while others are "
			  "timed");
}

static void go_on(struct contest_launcher *l)
{
	if (l->runner && l->halted)
		sandboxed_go_on(&l->runner->process);
	l->halted = false;
}

void gpu_turns_end(struct gpu_contest *f)
{
	for (size_t i = 0; i < f->n; i++)
		go_on(&f->launcher[i]);
}

static struct error *look(double *seconds, struct gpu_contest *f)
{
	TRY(gpu_judge_quiet(seconds, f->contest->sc->judge));
	if (!(f->quiet > 0) || *seconds < f->quiet)
		f->quiet = *seconds;
	return NULL;
}

struct error *gpu_turns_rest(struct gpu_contest *f)
{
	double seconds;

	if (f->quiet > 0)
		return NULL;
	TRY(launchers_await(f->contest->sc));
	for (int i = 0; i < REST_LOOKS; i++)
		TRY(look(&seconds, f));
	return NULL;
}

static struct error *is_quiet(bool *quiet, struct gpu_contest *f)
{
	double seconds;

	TRY(look(&seconds, f));
	*quiet = seconds < MAX(BUSY_SECONDS, BUSY_TIMES * f->quiet);
	return NULL;
}

static struct error *await_quiet(bool *quiet, struct gpu_contest *f)
{
	const struct timespec pause = {0, WAIT_NANOS};
	double deadline = clock_seconds() + WAIT_SECONDS;
	int looks = 1;

	TRY(is_quiet(quiet, f));
	while (!*quiet &&
	       (looks++ < WAIT_LOOKS || clock_seconds() < deadline)) {
		nanosleep(&pause, NULL);
		TRY(is_quiet(quiet, f));
	}
	return NULL;
}

static struct error *ends(bool *quiet, struct gpu_contest *f, size_t at)
{
	struct contest_launcher *l = &f->launcher[at];

	*quiet = false;
	if (!l->runner)
		return NULL;
	end_process(l);
	return await_quiet(quiet, f);
}

/* Kernels end with their process, those of another program do not. Ends one
 * after another, first `at`, then the candidate. */
static struct error *blame(struct score_outcome *o, size_t *whose,
			   struct gpu_contest *f, size_t at)
{
	bool quiet;

	*whose = gpu_contest_contender_at(f, at);
	TRY(ends(&quiet, f, at));
	for (size_t i = 0; i < f->n && !quiet; i++) {
		*whose = gpu_contest_contender_at(f, i);
		TRY(ends(&quiet, f, i));
	}
	if (!quiet)
		return error_new(ERROR_SYSTEM,
				 "another program works on the GPU while "
				 "kernels are timed: try again when it has "
				 "ended, see `nvidia-smi`");
	score_outcome_set(o, VERDICT_FORBIDDEN,
			  "its kernels go on after a launch, while others are "
			  "timed");
	return NULL;
}

static bool others_run(const struct gpu_contest *f, size_t at)
{
	for (size_t i = 0; i < f->n; i++)
		if (i != at && f->launcher[i].runner && !f->launcher[i].halted)
			return true;
	return false;
}

/* Stops all that ran beside each other. Any of them may have work on the card:
 * the candidate is the first to be asked. */
static struct error *begin_turns(struct score_outcome *o, size_t *whose,
				 struct gpu_contest *f)
{
	bool quiet;

	for (size_t i = 0; i < f->n; i++) {
		halt(o, &f->launcher[i]);
		if (o->verdict == VERDICT_PASS)
			continue;
		*whose = gpu_contest_contender_at(f, i);
		return NULL;
	}
	TRY(await_quiet(&quiet, f));
	return quiet ? NULL : blame(o, whose, f, 0);
}

struct error *gpu_turn_give(struct score_outcome *o, size_t *whose,
			    struct gpu_contest *f, size_t at)
{
	if (others_run(f, at))
		TRY(begin_turns(o, whose, f));
	if (o->verdict == VERDICT_PASS)
		go_on(&f->launcher[at]);
	return NULL;
}

struct error *gpu_turn_over(struct score_outcome *o, size_t *whose,
			    struct gpu_contest *f, size_t at)
{
	bool quiet;

	if (o->verdict != VERDICT_PASS || !f->launcher[at].runner)
		return NULL;
	halt(o, &f->launcher[at]);
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(await_quiet(&quiet, f));
	return quiet ? NULL : blame(o, whose, f, at);
}
