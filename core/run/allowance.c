/* The allowance that a loop hands out: what is left of its budget. */
#include "core/run/allowance.h"

#include <inttypes.h>
#include <math.h>

#include "core/base/clock.h"
#include "core/run/loop.h"

static const char *allowance_why_stop(const struct allowance *a)
{
	return loop_why_stop((const struct loop *)a);
}

static double allowance_seconds_left(const struct allowance *a)
{
	const struct loop *l = (const struct loop *)a;
	double end = l->limit.all;

	if (isfinite(end) && loop_has_last_measurements(l))
		end = l->limit.attempts;
	return MAX(end - (clock_run_seconds() - l->began), 0);
}

static void add_count(struct buf *out, int64_t limit, int64_t used,
		      const char *what)
{
	if (limit > 0)
		buf_addf(out, "%s%" PRId64 " %s", out->len ? ", " : "",
			 MAX(limit - used, (int64_t)0), what);
}

static void add_seconds(struct buf *out, double limit, double used,
			const char *what)
{
	double left = MAX(limit - used, 0);

	if (limit > 0)
		buf_addf(out, "%s%.3g %s%s", out->len ? ", " : "",
			 left >= 5400 ? left / 3600 : left / 60,
			 left >= 5400 ? "h" : "min", what);
}

static void allowance_left(const struct allowance *a, struct buf *out)
{
	const struct loop *l = (const struct loop *)a;
	const struct budget_limits *b = &l->e->budget;
	struct spend spend = l->p->spend;

	spend_add(&spend, &l->unrecorded);
	add_count(out, b->attempts, l->attempts, "attempts");
	add_seconds(out, b->seconds, clock_seconds() - l->began, "");
	add_count(out, b->steps, spend.turns, "replies");
	add_count(out, b->tokens, spend.tokens_in + spend.tokens_out, "tokens");
	if (b->dollars > 0)
		buf_addf(out, "%s$%.2f", out->len ? ", " : "",
			 MAX(b->dollars - spend.dollars, 0));
	add_seconds(out, b->gpu_seconds, spend.gpu_seconds, " of the GPU");
}

static void allowance_spent(struct allowance *a, const struct spend *more)
{
	struct loop *l = (struct loop *)a;
	struct spend total = l->p->spend;
	cleanup_free char *text = NULL;

	spend_add(&l->unrecorded, more);
	spend_add(&total, &l->unrecorded);
	text = spend_format(&total);
	loop_tell(l, EVOLVE_SPENT, NULL, text);
}

static void allowance_working(struct allowance *a, const char *text)
{
	loop_tell((struct loop *)a, EVOLVE_WORKING, NULL, text);
}

static void allowance_waiting(struct allowance *a, const char *text)
{
	loop_tell((struct loop *)a, EVOLVE_WAITING, NULL, text);
}

static void allowance_notice(struct allowance *a, const char *text)
{
	loop_tell((struct loop *)a, EVOLVE_NOTICED, NULL, text);
}

struct allowance loop_allowance(const struct evolve *e)
{
	return (struct allowance){
		.why_stop = allowance_why_stop,
		.seconds_left = allowance_seconds_left,
		.left = allowance_left,
		.stop_requested = e->stop_requested,
		.stop_now = e->stop_now,
		.cancel = e->cancel,
		.spent = allowance_spent,
		.working = allowance_working,
		.waiting = allowance_waiting,
		.notice = allowance_notice,
	};
}
