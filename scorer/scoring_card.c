/* A scoring held against what its card can do at most. */
#include "scorer/scoring.h"

/* What a first scoring spends on each ceiling of the card. */
#define SHORT_SECONDS 0.2

struct error *scorer_need_ceilings(struct scorer *s)
{
	const struct scorer_options *o = &s->options;
	cleanup_error struct error *err = NULL;

	if (s->ceilings_sought || !s->gpus.n ||
	    s->task->language != LANGUAGE_CUDA)
		return NULL;
	s->ceilings_sought = true;
	if (ceilings_load(&s->ceilings, o->cache_dir, &s->gpus))
		return NULL;
	TRY(launchers_await(&s->scoring));
	if (o->say)
		o->say("measuring what the card can do, once: about 3 s");
	err = ceilings_measure(&s->ceilings, s->scoring.sandbox,
			       s->scoring.program_fd, &s->gpus, SHORT_SECONDS,
			       o->stop_now);
	if (err && error_is(err, ERROR_INTERRUPTED))
		return steal(&err);
	if (!err && o->cache_dir)
		err = ceilings_keep(&s->ceilings, o->cache_dir);
	if (err && o->say)
		o->say(error_message(err));
	return NULL;
}

struct error *score_against_card(struct measurement *m, struct case_result *r,
				 const struct scorer *s,
				 const struct task_case *tc)
{
	struct floor floor = {0};

	if (!s->ceilings.time_us)
		return NULL;
	TRY(ceilings_floor(&floor, &s->ceilings, s->task, tc));
	r->ceiling = floor.seconds / r->seconds;
	if (r->seconds < floor.least)
		measurement_fail(m, VERDICT_IMPOSSIBLE,
				 "case %s took %.4g us a launch, but %s (or "
				 "the task's flops or bytes say more than has "
				 "to be done)",
				 tc->name, 1e6 * r->seconds, floor.why);
	return NULL;
}
