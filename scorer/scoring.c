#include "scorer/scoring.h"

#include "core/base/clock.h"
#include "scorer/contest/correctness.h"
#include "scorer/contest/suite.h"
#include "scorer/contest/gpu_contest.h"
#include "scorer/contest/series.h"
#include "scorer/device/lock.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/inspect/sanitizer.h"
#include "scorer/host/launchers.h"

/* ---- timing ---------------------------------------------------------------- */

static void fail(struct measurement *m, struct score_outcome *o)
{
	measurement_fail(m, o->verdict, "%s", o->why);
	if (o->log && o->log[0]) {
		free(m->log);
		m->log = steal(&o->log);
	}
}

/* What the reader should know of the minutes it was timed in. */
static void tell_steadiness(struct measurement *m, const struct contest *c)
{
	cleanup_free char *why = NULL;

	steadiness_end(&why, &c->steady);
	if (why)
		measurement_set(m, "unsteady", why);
}

static struct error *report(struct score_outcome *o, struct measurement *m,
			    struct contenders *f, const struct contest *c)
{
	const struct score_request *r = f->request;

	m->noise = contest_noise(c);
	if (!c->gpu)
		score_set_number(m, "overhead", 1e6 * series_fixed(c, 0), "us");
	score_libraries(m, f);
	if (c->versions)
		measurement_set(m, "runner", c->versions);
	score_comparisons(m, f, c);
	tell_steadiness(m, c);
	if (c->gpu)
		gpu_contest_record(m, c->gpu);
	if (r->confirm && r->n_rivals > 0 &&
	    m->comparisons[0].decision == DECISION_FASTER)
		TRY(score_confirm(o, m, f, contest_floor(c)));
	return o->verdict == VERDICT_PASS && !f->rival_failed
		       ? score_cases(m, f, c)
		       : NULL;
}

/* A win is confirmed, and a process is not what one observation is of. */
static bool used_before(const struct contenders *f)
{
	return score_twin_waits(f->request) && !f->request->patient &&
	       !f->scorer->scoring.short_launches;
}

/* Once; *again: a contest is to be made again. */
static struct error *time_once(struct score_outcome *o, bool *again,
			       struct measurement *m, struct contenders *f)
{
	const struct score_request *r = f->request;
	cleanup_contest struct contest *c = steal(&f->ahead);

	if (!c)
		c = contenders_contest(f, r->n_rivals, f->n_baselines);

	score_hurry(&c->design, r);
	c->twinless = score_twin_waits(r);
	c->thorough = r->thorough;
	TRY(contest_run(o, c, contenders_seconds(f)));
	*again = c->failed > 0;
	if (*again)
		return score_rival_failed(o, f, c);
	return o->verdict == VERDICT_PASS ? report(o, m, f, c) : NULL;
}

/* Times a candidate that is right. */
static struct error *time_it(struct score_outcome *o, struct measurement *m,
			     struct contenders *f)
{
	bool again = true;

	stage_begin(f->scorer->options.stage, STAGE_BUILD);
	TRY(contenders_build_rivals(f));
	while (again && !f->rival_failed)
		TRY(time_once(o, &again, m, f));
	return NULL;
}

/* Known at the end: one rival that cannot be replayed makes a comparison one
 * of class isolated. */
static void set_class(struct measurement *m, const struct scorer *s)
{
	bool replayed = s->task->language == LANGUAGE_CUDA &&
			!s->scoring.isolated[0];

	m->trust = replayed ? TRUST_REPLAYED : TRUST_ISOLATED;
	if (s->scoring.isolated[0])
		measurement_set(m, "isolated", s->scoring.isolated);
}

static void take_figures(void *arg, const char *id,
			 const struct measurement *before)
{
	struct measurement *m = arg;

	if (before->verdict != VERDICT_PASS || before->trust != TRUST_REPLAYED)
		return;
	measurement_set(m, "same_code", id);
	for (size_t i = 0; i < before->n_cases; i++) {
		const struct case_result *was = &before->cases[i];
		struct case_result *c = measurement_add_case(m, was->name);
		char *name = c->name;

		*c = *was;
		c->name = name;
	}
	m->score = before->score;
	m->rate_is_bytes = before->rate_is_bytes;
	m->noise = before->noise;
}

/* Another source, the same machine code launched the same way: its figures
 * are those of before. */
static bool same_as_before(struct measurement *m, const struct contenders *f,
			   const char *code)
{
	const struct score_request *r = f->request;
	const struct code_found found = {take_figures, m};

	if (!r->find_code || !*code || f->scorer->scoring.isolated[0])
		return false;
	r->find_code(r->find_code_arg, code, &found);
	return measurement_get(m, "same_code") != NULL;
}

size_t score_spares(const struct score_request *r)
{
	return 1 + 2 * (1 + r->n_rivals) + (score_twin_waits(r) ? 0 : 1);
}

/* Spares that are needed once the candidate is checked: launchers of its
 * contest. Where pairs of processes are many, as many as may be, since the card
 * is at rest while a contest waits for them. */
static struct error *spares_soon(size_t *n, const struct scoring *sc,
				 const struct score_request *r)
{
	cleanup_fd int lock = -1;

	*n = 1 + r->n_rivals + (score_twin_waits(r) ? 0 : 1);
	if (!sc->short_launches)
		return NULL;
	/* Another avogit may be timing: no more of it than needed. */
	TRY(gpu_lock_try(&lock, "/tmp", sc->gpu->uuid));
	if (lock >= 0)
		*n = LAUNCHERS_MOST;
	return NULL;
}

/* Only where baselines are compared, too: a search asks for neither. */
static struct error *ask_suite(struct measurement *m, struct contenders *f,
			       enum verdict v)
{
	const struct task *t = f->scorer->task;
	char text[64];
	size_t passed;

	if (!t->kernelbench || !f->n_baselines ||
	    t->language == LANGUAGE_CUDA ||
	    (v != VERDICT_PASS && v != VERDICT_WRONG))
		return NULL;
	TRY(suite_check(&passed, &f->scorer->scoring, &f->candidate));
	snprintf(text, sizeof text, "%zu of %d trials", passed, SUITE_TRIALS);
	measurement_set(m, SUITE_KEY, text);
	return NULL;
}

/* Captures for the contest before the candidate is checked, by the process that
 * captures for that, too: one less opens the card. *o: the candidate failed in
 * it; if a rival did, the contest is to find out. */
static struct error *capture_ahead(struct score_outcome *o,
				   struct runner **capturer,
				   struct contenders *f)
{
	struct scorer *s = f->scorer;
	double start = clock_seconds();
	bool all, others;

	/* Too many are contest_run's to refuse. */
	if (!gpu_replays(&s->scoring) || s->scoring.isolated[0] ||
	    1 + f->request->n_rivals + f->n_baselines + 2 > HALF_MAX_SLOTS)
		return NULL;
	TRY(contenders_build_each(&all, f));
	if (!all)
		return NULL;
	f->ahead = contenders_contest(f, f->request->n_rivals, f->n_baselines);
	f->ahead->used_before = used_before(f);
	f->ahead->gpu = gpu_contest_new(f->ahead);
	TRY(gpu_contest_capture_first(o, capturer, f->ahead->gpu));
	s->scoring.seconds_starting += clock_seconds() - start;
	if (*capturer)
		return NULL;
	others = f->ahead->failed > 0;
	contest_free(f->ahead);
	f->ahead = NULL;
	if (o->verdict == VERDICT_PASS || !others)
		return NULL;
	score_outcome_release(o);
	*o = (struct score_outcome)SCORE_OUTCOME_INIT;
	/* What hurt one context may have hurt the card, and others. */
	launchers_clear(&s->scoring.launchers);
	s->scoring.judge->tested = false;
	return scorer_need_judge(s);
}

static struct error *run_phases(struct measurement *m, struct contenders *f)
{
	struct scorer *s = f->scorer;
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	cleanup_buf struct buf checked = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf unreached = BUF_INIT(BUF_LIMIT_TEXT);
	struct correctness found = {.case_error = f->case_error,
				    .cost = f->cost,
				    .checked = &checked,
				    .unreached = &unreached,
				    .files = &f->request->candidate->files};
	cleanup_runner struct runner *capturer = NULL, *launcher = NULL;
	size_t soon;

	TRY(gpu_choose_class(&s->scoring));
	TRY(scorer_need_ceilings(s));
	TRY(scorer_need_judge(s));
	if (s->task->language == LANGUAGE_CUDA) {
		s->scoring.spares_next =
			f->request->winners_only ? score_spares(f->request) : 0;
		TRY(spares_soon(&soon, &s->scoring, f->request));
		TRY(capture_ahead(&o, &capturer, f));
		if (o.verdict == VERDICT_PASS)
			TRY(gpu_correctness(&o, &found, &s->scoring,
					    &f->candidate, &capturer,
					    used_before(f) ? &launcher : NULL,
					    soon));
		if (f->ahead)
			gpu_contest_lend(f->ahead->gpu, &launcher);
	} else {
		TRY(correctness_check(&o, &found, &s->scoring, &f->candidate));
	}
	if (checked.len)
		measurement_set(m, "checked", checked.data);
	if (unreached.len && o.verdict == VERDICT_PASS)
		measurement_set(m, "unreached", unreached.data);
	if (found.repeats) {
		measurement_set(m, "deterministic",
				found.unlike ? "no" : "yes");
		score_set_number(m, "repeats", (double)found.repeats, "");
	}
	if (found.code[0] && !s->scoring.isolated[0])
		measurement_set(m, "code", found.code);
	TRY(ask_suite(m, f, o.verdict));
	if (o.verdict == VERDICT_PASS && !same_as_before(m, f, found.code))
		TRY(time_it(&o, m, f));
	if (f->rival_failed)
		return NULL;
	if (o.verdict == VERDICT_PASS && sanitize_wanted(m, f->request))
		TRY(sanitize_candidate(&o, m, s, &f->candidate,
				       f->request->sanitizers));
	if (o.verdict != VERDICT_PASS)
		fail(m, &o);
	/* What hurt one context may have hurt the card, and others. */
	if (o.verdict == VERDICT_CRASHED || o.verdict == VERDICT_TIMED_OUT ||
	    o.verdict == VERDICT_OUT_OF_BOUNDS) {
		s->scoring.judge->tested = false;
		launchers_clear(&s->scoring.launchers);
	}
	set_class(m, s);
	return NULL;
}

/* How long the card had work: launches, and the judge's kernels. */
static void tell_card_time(struct measurement *m)
{
	cleanup_free char *text =
		xasprintf("%.2f", m->seconds_timed + m->seconds_judge);

	measurement_set(m, "gpu_seconds", text);
}

struct error *score_built(struct measurement *m, struct contenders *f)
{
	struct scorer *s = f->scorer;
	double judged = 0;
	struct error *err;

	if (s->scoring.judge)
		judged = s->scoring.judge->seconds;
	s->scoring.seconds_timed = 0;
	s->scoring.seconds_starting = 0;
	err = run_phases(m, f);
	if (s->scoring.judge)
		m->seconds_judge = s->scoring.judge->seconds - judged;
	m->seconds_timed = s->scoring.seconds_timed;
	m->seconds_starting = s->scoring.seconds_starting;
	if (s->task->language == LANGUAGE_CUDA)
		tell_card_time(m);
	if (err)
		launchers_clear(&s->scoring.launchers);
	return scorer_drop_judge(s, err);
}
