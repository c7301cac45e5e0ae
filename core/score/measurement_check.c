/* Measurements that others wrote are checked before anything is computed from
 * them: every field by its bounds (measurement_fields.c). */
#include "core/score/measurement_fields.h"

static char *records_nonsense(const struct record_kind *k,
			      const struct measurement *m)
{
	if (record_count(k, m) > k->max)
		return xasprintf("it has over %zu %s", k->max, k->json);
	for (size_t i = 0; i < record_count(k, m); i++) {
		const void *one = record_at(k, m, i);
		cleanup_free char *why = fields_nonsense(&k->fields, one);

		if (!why && k->nonsense)
			why = k->nonsense(one);
		if (why)
			return xasprintf("%s%s says %s", k->where,
					 record_name(k, one), why);
	}
	return NULL;
}

static char *nonsense(const struct measurement *m)
{
	cleanup_free char *first = fields_nonsense(&headline_fields, m);
	char *why = first ? xasprintf("it says %s", first) : NULL;

	for (size_t i = 0; i < RECORD_COUNT && !why; i++)
		why = records_nonsense(&record_kinds[i], m);
	return why;
}

void measurement_check(struct measurement *m)
{
	cleanup_free char *why = nonsense(m);

	if (!why)
		return;
	measurement_drop_results(m);
	fields_clear_numbers(m, &headline_fields);
	if (m->verdict == VERDICT_PASS)
		measurement_fail(m, VERDICT_UNUSABLE, "%.200s", why);
}

bool measurement_case_allows(const char *key, double value)
{
	return fields_allow(&record_kinds[RECORD_CASE].fields, key, value);
}
