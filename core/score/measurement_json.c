/* The complete form of a measurement, for the journal. */
#include <math.h>

#include "core/base/clock.h"
#include "core/score/measurement.h"

static struct json *case_to_json(const struct case_result *c)
{
	struct json *j = json_object();

	json_set_string(j, "name", c->name);
	json_set_double(j, "weight", c->weight);
	json_set_double(j, "seconds", c->seconds);
	json_set_double(j, "rate", c->rate);
	json_set_double(j, "error", c->error);
	if (c->overhead > 0)
		json_set_double(j, "overhead", c->overhead);
	if (c->ceiling > 0)
		json_set_double(j, "ceiling", c->ceiling);
	json_set_int(j, "launches", (int64_t)c->launches);
	return j;
}

static struct json *comparison_to_json(const struct comparison *c)
{
	struct json *j = json_object(), *ratios = json_array();

	json_set_string(j, "rival", rival_name(c->rival));
	json_set_string(j, "name", c->name);
	json_set_double(j, "ratio", c->ratio);
	json_set_double(j, "low", c->ratio95.lo);
	json_set_double(j, "high", c->ratio95.hi);
	json_set_string(j, "told", told_name(c->told, c->ratio95));
	json_set_int(j, "blocks", (int64_t)c->blocks);
	json_set_bool(j, "confirmed", c->confirmed);
	json_set_double(j, "worst_case", c->worst_case);
	for (size_t i = 0; i < c->n_cases; i++)
		json_push_double(ratios, c->case_ratio[i]);
	json_set(j, "case_ratios", ratios);
	return j;
}

static struct json *kernel_to_json(const struct kernel_resources *k)
{
	struct json *j = json_object(), *warnings = json_array();

	json_set_string(j, "name", k->name);
	json_set_int(j, "registers", k->registers);
	json_set_int(j, "spill_stores", k->spill_stores);
	json_set_int(j, "spill_loads", k->spill_loads);
	json_set_int(j, "stack", k->stack);
	json_set_int(j, "shared", k->shared);
	json_set_int(j, "barriers", k->barriers);
	json_set_int(j, "constant", k->constant);
	for (size_t i = 0; i < k->warnings.n; i++)
		json_push_string(warnings, k->warnings.v[i]);
	json_set(j, "warnings", warnings);
	return j;
}

static struct json *resources_to_json(const struct resources *r)
{
	struct json *kernels = json_array();

	for (size_t i = 0; i < r->n; i++)
		json_push(kernels, kernel_to_json(&r->kernel[i]));
	return kernels;
}

struct json *measurement_to_json(const struct measurement *m)
{
	struct json *j = json_object(), *cases = json_array();
	struct json *comparisons = json_array(), *environment = json_object();

	json_set_int(j, "format", MEASUREMENT_FORMAT);
	json_set_string(j, "id", m->id);
	json_set_int(j, "time_us", m->time_us);
	json_set_string(j, "task", m->identity.task);
	json_set_string(j, "sources", m->identity.sources);
	json_set_string(j, "machine", m->identity.machine);
	json_set_string(j, "scorer", m->identity.scorer);
	json_set_string(j, "verdict", verdict_name(m->verdict));
	json_set_string(j, "trust", trust_class_name(m->trust));
	json_set_string(j, "why", m->why);
	json_set_string(j, "log", m->log);
	json_set_double(j, "score", m->score);
	json_set_bool(j, "rate_is_bytes", m->rate_is_bytes);
	if (m->noise > 0)
		json_set_double(j, "noise", m->noise);
	json_set_double(j, "seconds_build", m->seconds_build);
	json_set_double(j, "seconds_judge", m->seconds_judge);
	json_set_double(j, "seconds_timed", m->seconds_timed);
	json_set_double(j, "seconds_starting", m->seconds_starting);
	json_set_double(j, "seconds_total", m->seconds_total);
	for (size_t i = 0; i < m->n_cases; i++)
		json_push(cases, case_to_json(&m->cases[i]));
	for (size_t i = 0; i < m->n_comparisons; i++)
		json_push(comparisons, comparison_to_json(&m->comparisons[i]));
	for (size_t i = 0; i < m->n_environment; i++)
		json_set_string(environment, m->environment[i].key,
				m->environment[i].value);
	json_set(j, "cases", cases);
	json_set(j, "comparisons", comparisons);
	if (m->resources.n)
		json_set(j, "kernels", resources_to_json(&m->resources));
	json_set(j, "environment", environment);
	return j;
}

/* ---- reading ----------------------------------------------------------- */

static size_t get_count(const struct json *j, const char *key)
{
	int64_t n;

	return json_get_int(j, key, &n) ? (size_t)measurement_count(n) : 0;
}

/* One more than is allowed is read: measurement_check says so. */
static void read_cases(struct measurement *m, const struct json *list)
{
	size_t n = MIN(json_len(list), MEASUREMENT_MAX_CASES + 1U);

	for (size_t i = 0; i < n; i++) {
		const struct json *j = json_at(list, i);
		const char *name = "";
		struct case_result *c;

		json_get_string(j, "name", &name);
		c = measurement_add_case(m, name);
		json_get_double(j, "weight", &c->weight);
		json_get_double(j, "seconds", &c->seconds);
		json_get_double(j, "rate", &c->rate);
		json_get_double(j, "error", &c->error);
		json_get_double(j, "overhead", &c->overhead);
		json_get_double(j, "ceiling", &c->ceiling);
		c->launches = get_count(j, "launches");
	}
}

static bool rival_parse(enum rival *out, const char *name)
{
	for (int r = RIVAL_INCUMBENT; r <= RIVAL_START; r++)
		if (str_eq(rival_name((enum rival)r), name)) {
			*out = (enum rival)r;
			return true;
		}
	return false;
}

static void read_comparison(struct measurement *m, const struct json *j)
{
	const char *name = "", *rival = "", *told = "";
	const struct json *ratios = json_get(j, "case_ratios");
	enum rival kind;
	struct comparison *c;

	json_get_string(j, "name", &name);
	json_get_string(j, "rival", &rival);
	json_get_string(j, "told", &told);
	/* A kind of rival a later version knows is no comparison to us. */
	if (!rival_parse(&kind, rival))
		return;
	c = measurement_add_comparison(m, kind, name);
	json_get_double(j, "ratio", &c->ratio);
	json_get_double(j, "low", &c->ratio95.lo);
	json_get_double(j, "high", &c->ratio95.hi);
	told_parse(&c->told, told);
	c->blocks = get_count(j, "blocks");
	json_get_bool(j, "confirmed", &c->confirmed);
	json_get_double(j, "worst_case", &c->worst_case);
	c->n_cases = MIN(json_len(ratios), MEASUREMENT_MAX_CASES + 1U);
	c->case_ratio = xcalloc(c->n_cases, sizeof *c->case_ratio);
	for (size_t i = 0; i < c->n_cases; i++)
		if (!json_number(json_at(ratios, i), &c->case_ratio[i]))
			c->case_ratio[i] = NAN;
}

static void read_comparisons(struct measurement *m, const struct json *list)
{
	size_t n = MIN(json_len(list), MEASUREMENT_MAX_COMPARISONS + 1U);

	for (size_t i = 0; i < n; i++)
		read_comparison(m, json_at(list, i));
}

static void read_kernel(struct measurement *m, const struct json *j)
{
	const struct json *warnings = json_get(j, "warnings");
	size_t n = MIN(json_len(warnings), (size_t)MEASUREMENT_MAX_WARNINGS);
	const char *name = NULL;
	struct kernel_resources *k;

	if (!json_get_string(j, "name", &name))
		return;
	k = measurement_add_kernel(m, name);
	if (!k)
		return;
	k->registers = (int64_t)get_count(j, "registers");
	k->spill_stores = (int64_t)get_count(j, "spill_stores");
	k->spill_loads = (int64_t)get_count(j, "spill_loads");
	k->stack = (int64_t)get_count(j, "stack");
	k->shared = (int64_t)get_count(j, "shared");
	k->barriers = (int64_t)get_count(j, "barriers");
	k->constant = (int64_t)get_count(j, "constant");
	for (size_t i = k->warnings.n; i < n; i++) {
		const char *text = json_string(json_at(warnings, i));

		if (text)
			strvec_push(&k->warnings, text);
	}
}

static void read_kernels(struct measurement *m, const struct json *list)
{
	size_t n = MIN(json_len(list), (size_t)MEASUREMENT_MAX_KERNELS);

	for (size_t i = 0; i < n; i++)
		read_kernel(m, json_at(list, i));
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

static enum trust_class read_trust(const struct json *j)
{
	const char *s = "";

	json_get_string(j, "trust", &s);
	for (int t = TRUST_NONE; t <= TRUST_REPLAYED; t++)
		if (str_eq(trust_class_name((enum trust_class)t), s))
			return (enum trust_class)t;
	return TRUST_NONE;
}

struct error *measurement_from_json(struct measurement **out,
				    const struct json *j)
{
	cleanup_measurement struct measurement *m = xcalloc(1, sizeof *m);
	const char *verdict = "";

	json_copy_string(m->id, sizeof m->id, j, "id");
	json_get_string(j, "verdict", &verdict);
	if (!measurement_is_id(m->id, strlen(m->id)) ||
	    !verdict_parse(&m->verdict, verdict))
		return error_new(ERROR_MALFORMED,
				 "no measurement of this version: id '%s', "
				 "verdict '%s'",
				 m->id, verdict);
	if (json_get_int(j, "time_us", &m->time_us))
		m->time_us = clock_bounded(m->time_us);
	json_copy_string(m->identity.task, sizeof m->identity.task, j, "task");
	json_copy_string(m->identity.sources, sizeof m->identity.sources, j,
			 "sources");
	json_copy_string(m->identity.machine, sizeof m->identity.machine, j,
			 "machine");
	json_copy_string(m->identity.scorer, sizeof m->identity.scorer, j,
			 "scorer");
	m->trust = read_trust(j);
	m->why = json_dup_string(j, "why");
	m->log = json_dup_string(j, "log");
	json_get_double(j, "score", &m->score);
	json_get_bool(j, "rate_is_bytes", &m->rate_is_bytes);
	json_get_double(j, "noise", &m->noise);
	json_get_double(j, "seconds_build", &m->seconds_build);
	json_get_double(j, "seconds_judge", &m->seconds_judge);
	json_get_double(j, "seconds_timed", &m->seconds_timed);
	json_get_double(j, "seconds_starting", &m->seconds_starting);
	json_get_double(j, "seconds_total", &m->seconds_total);
	read_cases(m, json_get(j, "cases"));
	read_comparisons(m, json_get(j, "comparisons"));
	read_kernels(m, json_get(j, "kernels"));
	read_environment(m, json_get(j, "environment"));
	measurement_check(m);
	*out = steal(&m);
	return NULL;
}
