#include "cmd/session/failed_start.h"

#include "gitstore/run/remove.h"

/* The base, or the commit of a person on it that the run began with. */
static bool is_start(const struct population *p, const struct attempt *a)
{
	return a->number == 0 || str_eq(a->id.hex, p->record.from.hex);
}

bool failed_start_is(const struct population *p)
{
	bool failed = false;

	if (!p->has_record)
		return false;
	for (size_t i = 0; i < p->n; i++) {
		const struct attempt *a = &p->attempt[i];

		if (!is_start(p, a))
			return false;
		failed |= attempt_is_measured(a) && !attempt_passes(a);
	}
	return failed;
}

/* Another clone's journal can come at any time: `avogit sync` waits for no run.
 * Only what was planned is removed, so it is read after the plan. */
static struct error *check_still(struct gitstore *g, const struct removal *r)
{
	cleanup_population struct population now = {0};
	bool of_others;

	TRY(removal_is_of_others(&of_others, g, r));
	if (of_others)
		return error_new(ERROR_REFUSED,
				 "run %s failed at its start in another clone: "
				 "begin another (--run NAME)",
				 r->run);
	TRY(gitstore_population(&now, g, r->run));
	if (failed_start_is(&now))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "run %s has got more from another clone meanwhile: "
			 "start again",
			 r->run);
}

struct error *failed_start_remove(struct gitstore *g, const char *run)
{
	cleanup_removal struct removal r = {.journals = STRVEC_INIT};

	TRY(removal_plan(&r, g, run));
	TRY(check_still(g, &r));
	return removal_do(g, &r);
}
