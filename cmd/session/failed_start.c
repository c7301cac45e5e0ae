#include "cmd/session/failed_start.h"

#include "gitstore/run/remove.h"

/* The commit of a person on the base that the run began with is an attempt once it
 * was scored. */
bool failed_start_is(const struct population *p)
{
	const struct attempt *base = p->attempt;

	if (!p->has_record || !p->n || !attempt_is_measured(base) ||
	    attempt_passes(base))
		return false;
	for (size_t i = 1; i < p->n; i++)
		if (attempt_is_measured(&p->attempt[i]) ||
		    !str_eq(p->attempt[i].id.hex, p->record.from.hex))
			return false;
	return true;
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
