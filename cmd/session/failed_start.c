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

struct error *failed_start_remove(struct gitstore *g, const char *run)
{
	cleanup_removal struct removal r = {.journals = STRVEC_INIT};

	TRY(removal_plan(&r, g, run));
	return removal_do(g, &r);
}
