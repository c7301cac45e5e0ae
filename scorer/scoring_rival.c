/* A contest that ended since another than the candidate failed. */
#include "scorer/host/gpu_setup.h"
#include "scorer/scoring.h"

/* The task's own code is tried so often: a crash may be the machine's. */
#define BASELINE_TRIES 3

struct error *score_round_drop_rival(struct score_round *f, size_t rival,
				     enum verdict v, const char *why)
{
	const struct score_request *r = f->request;

	if (!r->rival_failure)
		return error_new(ERROR_TASK,
				 "%s is no rival to compare with: %s",
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
static bool may_be_the_replay(const struct score_round *f,
			      const struct score_outcome *o)
{
	const struct scorer *s = f->scorer;

	return s->task->language == LANGUAGE_CUDA && !s->scoring.isolated[0] &&
	       s->task->launch_class != LAUNCH_REPLAYED &&
	       gpu_is_of_replay(o->verdict);
}

struct error *score_rival_failed(struct score_outcome *o, struct score_round *f,
				 const struct contest *c)
{
	const struct contender *who = &c->contender[c->failed];
	struct scoring *sc = &f->scorer->scoring;
	cleanup_score_outcome struct score_outcome its = *o;

	*o = (struct score_outcome)SCORE_OUTCOME_INIT;
	if (sc->judge)
		sc->judge->tested = false;
	launchers_clear(&sc->launchers);
	if (who->points.trusted && ++f->baseline_failures < BASELINE_TRIES)
		return NULL;
	if (who->points.trusted)
		return error_new(ERROR_TASK,
				 "%s is no rival to compare with: %s",
				 who->name, its.why);
	if (!may_be_the_replay(f, &its))
		return score_round_drop_rival(f, c->failed - 1, its.verdict,
					      its.why);
	snprintf(sc->isolated, sizeof sc->isolated,
		 "replayed %.12s is something else than called: %s", who->name,
		 its.why);
	return NULL;
}
