/* Several processes extend one run, one at a time. */
#include <time.h>

#include "core/base/clock.h"
#include "core/run/loop.h"

#define LOOK_NS	  (50 * 1000 * 1000)
#define SAY_EVERY 60.0

bool loop_is_shared(const struct loop *l)
{
	return l->e->archive->take_turn != NULL;
}

/* Is the call that waits to be given up, or the run? What was measured meanwhile
 * is given up only where all is to end at once. */
static bool is_over(const struct loop *l, bool has_result)
{
	return (!has_result && loop_asked_to_stop(l)) ||
	       (l->e->stop_now && *l->e->stop_now == 2);
}

static struct error *wait_for_turn(struct loop *l, bool has_result)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	struct archive *a = l->e->archive;
	double said = clock_seconds();
	bool taken = true;

	for (;;) {
		TRY(a->take_turn(a, &taken, l->p, l->e->run));
		if (taken) {
			l->turns = 1;
			return NULL;
		}
		if (is_over(l, has_result)) {
			a->give_turn(a);
			return error_new(ERROR_INTERRUPTED,
					 "stopped while another process had "
					 "its turn");
		}
		if (clock_seconds() - said > SAY_EVERY) {
			said = clock_seconds();
			loop_tell(l, EVOLVE_WAITING, NULL,
				  "another process works on the run");
		}
		loop_at_rest(l, true);
		nanosleep(&pause, NULL);
		loop_at_rest(l, false);
	}
}

struct error *loop_take_turn(struct loop *l)
{
	if (!loop_is_shared(l) || l->turns)
		l->turns++;
	else
		TRY(wait_for_turn(l, false));
	return NULL;
}

void loop_give_turn(struct loop *l)
{
	struct archive *a = l->e->archive;

	if (l->turns && --l->turns == 0 && loop_is_shared(l))
		a->give_turn(a);
}

bool loop_lend_turn(struct loop *l, const char *id)
{
	struct archive *a = l->e->archive;

	if (!loop_is_shared(l) || !l->e->evaluator->elsewhere || !l->varying ||
	    l->turns != 1)
		return false;
	a->hold(a, id, true);
	loop_give_turn(l);
	return true;
}

struct error *loop_end_lending(struct loop *l, const char *id,
			       struct error *err)
{
	struct archive *a = l->e->archive;
	/* It was lent as the only one of this process, which may have taken it
	 * again. */
	struct error *late = l->turns ? loop_take_turn(l)
				      : wait_for_turn(l, !err);

	a->hold(a, id, false);
	if (!err)
		return late;
	error_free(late);
	return err;
}
