/* The complete form of a measurement, for the journal. */
#include "core/score/measurement_fields.h"

static struct json *records_to_json(const struct record_kind *k,
				    const struct measurement *m)
{
	struct json *list = json_array();

	for (size_t i = 0; i < record_count(k, m); i++) {
		struct json *one = json_object();

		fields_to_json(one, &k->fields, record_at(k, m, i));
		json_push(list, one);
	}
	return list;
}

struct json *measurement_to_json(const struct measurement *m)
{
	struct json *j = json_object(), *environment = json_object();

	json_set_int(j, "format", MEASUREMENT_FORMAT);
	fields_to_json(j, &headline_fields, m);
	for (size_t i = 0; i < RECORD_COUNT; i++) {
		const struct record_kind *k = &record_kinds[i];

		if (!k->optional || record_count(k, m))
			json_set(j, k->json, records_to_json(k, m));
	}
	for (size_t i = 0; i < m->n_environment; i++)
		json_set_string(environment, m->environment[i].key,
				m->environment[i].value);
	json_set(j, "environment", environment);
	return j;
}

/* ---- reading ----------------------------------------------------------- */

static void read_record(struct measurement *m, const struct record_kind *k,
			const struct json *j)
{
	const char *name = "";
	void *one;

	if (k->by_name && !json_get_string(j, k->fields.v[0].json, &name))
		return;
	one = k->add(m, name);
	if (one && !fields_from_json(one, &k->fields, j))
		k->drop_last(m);
}

/* Reads one more than is allowed, so that measurement_check refuses it. */
static void read_records(struct measurement *m, const struct record_kind *k,
			 const struct json *list)
{
	size_t n = MIN(json_len(list), k->max + 1);

	for (size_t i = 0; i < n; i++)
		read_record(m, k, json_at(list, i));
}

static void read_environment(struct measurement *m, const struct json *object)
{
	size_t n = MIN(json_len(object), (size_t)MEASUREMENT_MAX_SETTINGS);

	for (size_t i = 0; i < n; i++) {
		const struct json *v = json_at(object, i);
		const char *s = json_string(v);

		if (s && json_key(v))
			measurement_set(m, json_key(v), s);
	}
}

struct error *measurement_from_json(struct measurement **out,
				    const struct json *j)
{
	cleanup_measurement struct measurement *m = xcalloc(1, sizeof *m);
	const char *verdict = "";

	if (!fields_from_json(m, &headline_fields, j) ||
	    !measurement_is_id(m->id, strlen(m->id))) {
		json_get_string(j, "verdict", &verdict);
		return error_new(ERROR_MALFORMED,
				 "no measurement of this version: id '%s', "
				 "verdict '%s'",
				 m->id, verdict);
	}
	for (size_t i = 0; i < RECORD_COUNT; i++)
		read_records(m, &record_kinds[i],
			     json_get(j, record_kinds[i].json));
	read_environment(m, json_get(j, "environment"));
	measurement_check(m);
	*out = steal(&m);
	return NULL;
}
