/* Those of one scoring: the candidate, its rivals and the baselines, built; and
 * what becomes of a contest in which another than the candidate fails. */
#include "core/base/clock.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/host/launchers.h"
#include "scorer/scoring.h"

/* Of a comparison that begins when the time is up: a few rounds. */
#define LEAST_SECONDS 0.1

void contenders_init(struct contenders *f, struct scorer *s,
		     const struct score_request *r)
{
	*f = (struct contenders){.scorer = s, .request = r};
	f->candidate = (struct build)BUILD_INIT;
	f->rival = xcalloc(r->n_rivals, sizeof *f->rival);
	for (size_t i = 0; i < r->n_rivals; i++)
		f->rival[i] = (struct build)BUILD_INIT;
	f->case_error = xcalloc(s->task->n_cases, sizeof *f->case_error);
	f->cost = xcalloc(s->task->n_cases, sizeof *f->cost);
	f->n_baselines = r->baselines ? s->task->n_baselines : 0;
}

double contenders_seconds(const struct contenders *f)
{
	double most = f->scorer->options.comparison_seconds;
	double left = f->request->until - clock_seconds();

	if (!(f->request->until > 0) || (left >= most && most > 0))
		return most;
	/* 0 means no limit where commands report. */
	return MAX(left, LEAST_SECONDS);
}

void contenders_release(struct contenders *f)
{
	contest_free(f->ahead);
	build_release(&f->candidate);
	for (size_t i = 0; f->rival && i < f->request->n_rivals; i++)
		build_release(&f->rival[i]);
	free(f->rival);
	free(f->case_error);
	free(f->cost);
}

/* ---- a contest in which another than the candidate failed ---------------- */

/* The task's own code is tried so often: a crash may be the machine's. */
#define BASELINE_TRIES 3

struct error *contenders_drop_rival(struct contenders *f, size_t rival,
				    enum verdict v, const char *why)
{
	const struct score_request *r = f->request;

	if (!r->rival_failure)
		return error_new(ERROR_TASK,
				 "cannot compare with %s: it fails itself: %s",
				 r->rivals[rival].candidate->id.hex, why);
	rival_failure_release(r->rival_failure);
	*r->rival_failure = (struct rival_failure){.failed = true,
						   .rival = rival,
						   .verdict = v,
						   .why = xstrdup(why)};
	f->rival_failed = true;
	return NULL;
}

/* Replayed it does something else than when it is called, which says nothing
 * against it: the first phase finds that of a candidate (gpu_correctness). */
static bool may_be_the_replay(const struct contenders *f,
			      const struct score_outcome *o)
{
	const struct scorer *s = f->scorer;

	return s->task->language == LANGUAGE_CUDA && !s->scoring.isolated[0] &&
	       s->task->launch_class != LAUNCH_REPLAYED &&
	       gpu_is_of_replay(o->verdict);
}

struct error *score_rival_failed(struct score_outcome *o, struct contenders *f,
				 const struct contest *c)
{
	const struct contender *who = &c->contender[c->failed];
	struct scoring *sc = &f->scorer->scoring;
	cleanup_score_outcome struct score_outcome its = *o;

	*o = (struct score_outcome)SCORE_OUTCOME_INIT;
	if (sc->judge)
		sc->judge->tested = false;
	launchers_clear(&sc->launchers);
	kept_plans_clear(&sc->plans);
	if (who->points.trusted && ++f->baseline_failures < BASELINE_TRIES)
		return NULL;
	if (who->points.trusted)
		return error_new(ERROR_TASK,
				 "cannot compare with %s: it fails itself: %s",
				 who->name, its.why);
	if (!may_be_the_replay(f, &its))
		return contenders_drop_rival(f, c->failed - 1, its.verdict,
					     its.why);
	snprintf(sc->isolated, sizeof sc->isolated,
		 "replayed %.12s is something else than called: %s", who->name,
		 its.why);
	return NULL;
}

/* ---- rivals, built --------------------------------------------------------- */

static struct error *no_build(struct contenders *f, size_t rival)
{
	cleanup_free char *why =
		xasprintf("it does not build: %s", f->rival[rival].first_error);

	return contenders_drop_rival(f, rival, VERDICT_BUILD_FAILED, why);
}

struct error *contenders_build_each(bool *all, struct contenders *f)
{
	*all = true;
	for (size_t i = 0; i < f->request->n_rivals && *all; i++) {
		struct build *b = &f->rival[i];

		if (b->ok)
			continue;
		build_release(b);
		*b = (struct build)BUILD_INIT;
		TRY(build_candidate(b, f->scorer->builder,
				    &f->request->rivals[i].candidate->files));
		*all = b->ok;
	}
	return NULL;
}

struct error *contenders_build_rivals(struct contenders *f)
{
	struct scorer *s = f->scorer;
	bool all;

	TRY(contenders_build_each(&all, f));
	for (size_t i = 0; i < f->request->n_rivals; i++)
		if (!f->rival[i].ok)
			return no_build(f, i);
	for (size_t i = 0; i < f->n_baselines; i++)
		TRY(scorer_build_once(&s->baseline[i], s,
				      &s->task->baselines[i]));
	return NULL;
}

struct contest *contenders_contest(struct contenders *f, size_t n_rivals,
				   size_t n_baselines)
{
	struct scorer *s = f->scorer;
	struct contest *c = contest_new(&s->scoring, 1 + n_rivals + n_baselines,
					f->case_error, f->cost);

	c->contender[0].name = f->request->candidate->id.hex;
	c->contender[0].build = &f->candidate;
	c->contender[0].points = scoring_points(s->task);
	for (size_t i = 0; i < n_rivals; i++) {
		struct contender *who = &c->contender[1 + i];

		who->name = f->request->rivals[i].candidate->id.hex;
		who->build = &f->rival[i];
		who->points = scoring_points(s->task);
	}
	for (size_t i = 0; i < n_baselines; i++) {
		struct contender *who = &c->contender[1 + n_rivals + i];

		who->name = s->task->baselines[i].name;
		who->build = &s->baseline[i];
		who->build = &s->baseline[i];
		who->points = (struct entry_points){
			s->task->baselines[i].entry,
			s->task->baselines[i].prepare,
			s->task->baselines[i].setup, true};
	}
	return c;
}
