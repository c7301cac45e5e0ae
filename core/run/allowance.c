/* The allowance that a loop hands out: what is left of its budget. */
#include "core/run/allowance.h"

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
	double limit = l->e->budget.seconds;

	return limit > 0 ? MAX(limit - (clock_run_seconds() - l->began), 0)
			 : (double)INFINITY;
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

struct allowance loop_allowance(const struct evolve *e)
{
	return (struct allowance){
		.why_stop = allowance_why_stop,
		.seconds_left = allowance_seconds_left,
		.stop_requested = e->stop_requested,
		.stop_now = e->stop_now,
		.cancel = e->cancel,
		.spent = allowance_spent,
		.working = allowance_working,
		.waiting = allowance_waiting,
	};
}
