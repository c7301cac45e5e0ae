/* The judge and the card of a scoring: what is there before the first candidate,
 * and what the card can do at most. */
#include "scorer/contest/gpu_contest.h"
#include "scorer/device/lock.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/host/launchers.h"
#include "scorer/scoring.h"

/* ---- the judge ----------------------------------------------------------- */

static struct error *test_judge(struct scorer *s)
{
	if (s->task->language != LANGUAGE_CUDA)
		return NULL;
	return scorer_drop_judge(s, gpu_judge_self_test(s->scoring.judge));
}

struct error *scorer_need_judge(struct scorer *s)
{
	struct runner_spec spec;

	if (s->scoring.judge)
		return test_judge(s);
	TRY(scorer_judge_spec(&spec, s));
	if (s->task->language == LANGUAGE_CUDA) {
		spec.role = "gpu-judge";
		spec.gpu = s->scoring.gpu;
		spec.gives = true;
		spec.folders = s->scoring.folders;
	}
	TRY(judge_start(&s->scoring.judge, s->task, &spec));
	return test_judge(s);
}

struct error *scorer_drop_judge(struct scorer *s, struct error *err)
{
	if (err) {
		judge_free(s->scoring.judge);
		s->scoring.judge = NULL;
	}
	return err;
}

/* ---- what the card can do at most ---------------------------------------- */

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

/* Does another program time something on the card? Then not even the driver's
 * start should disturb it. */
static struct error *is_in_use(bool *out, const struct scorer *s)
{
	cleanup_fd int lock = -1;

	TRY(gpu_lock_try(&lock, "/tmp", s->gpus.gpu[0].uuid));
	*out = lock < 0;
	return NULL;
}

struct error *scorer_get_ready(struct scorer *s)
{
	/* As most of a run's are. */
	const struct score_request usual = {.n_rivals = 1};
	bool used;

	if (s->task->language != LANGUAGE_CUDA || !scorer_has_device(s))
		return NULL;
	TRY(is_in_use(&used, s));
	if (used)
		return NULL;
	TRY(scorer_need_ceilings(s));
	/* That took seconds, or waited for the card. */
	TRY(is_in_use(&used, s));
	if (used)
		return NULL;
	TRY(scorer_need_judge(s));
	if (!gpu_replays(&s->scoring))
		return NULL;
	return launchers_expect(&s->scoring, score_spares(&usual));
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
