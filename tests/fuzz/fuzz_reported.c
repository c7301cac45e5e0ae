/* What a task's score.command prints, which a candidate may have written: it is
 * a score within its bounds, or one sentence. */
#include <math.h>

#include "scorer/reported/output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_figure(double v)
{
	return isfinite(v) && v > 0 && v <= REPORTED_VALUE_MAX;
}

static void check_cases(const struct reported *r)
{
	if (r->name.n > REPORTED_CASES_MAX)
		abort();
	for (size_t i = 0; i < r->name.n; i++) {
		if (!is_figure(r->value[i]))
			abort();
		if (!*r->name.v[i] || strlen(r->name.v[i]) > REPORTED_NAME_MAX)
			abort();
		for (size_t j = 0; j < i; j++)
			if (str_eq(r->name.v[i], r->name.v[j]))
				abort();
	}
}

static void check(const struct reported *r)
{
	if (r->verdict == VERDICT_PASS) {
		if (!is_figure(r->score))
			abort();
		check_cases(r);
	} else if (!r->why || strlen(r->why) > REPORTED_WHY_MAX) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_reported struct reported r = {0};
	cleanup_free char *why = reported_parse(&r, (const char *)data, size);

	if (!why)
		check(&r);
	else if (!*why || r.why || r.value || r.name.n)
		abort();
	return 0;
}
