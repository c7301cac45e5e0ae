/* Workloads and Traces of FlashInfer-Bench: the task's cases, and the times
 * there. */
#include "cmd/export/flashinfer.h"
#include "core/base/clock.h"
#include "core/base/hash.h"

/* A name that is the same for the same task, case and commit, in the form of a
 * UUID. */
static char *workload_id(const struct export_source *s, size_t i)
{
	struct hash *h = hash_new();
	char hex[HASH_HEX_LEN + 1];

	hash_adds(h, s->task->name);
	hash_adds(h, s->task->cases[i].name);
	hash_adds(h, s->pick.base.hex);
	hash_finish(hex, h);
	return xasprintf("%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12,
			 hex + 16, hex + 20);
}

static struct error *set_axes(struct json *workload,
			      const struct export_source *s,
			      const struct axes *axes, size_t i)
{
	struct json *values = json_object();

	json_set(workload, "axes", values);
	for (size_t k = 0; k < axes->n; k++) {
		const struct axis *a = &axes->axis[k];
		int64_t value;

		if (!a->varies)
			continue;
		TRY(axis_value(&value, a, s->task, &s->task->cases[i]));
		json_set_int(values, a->name, value);
	}
	return NULL;
}

static struct json *inputs_json(const struct export_source *s)
{
	const struct torch_binding entry = package_entry(s);
	struct json *j = json_object();

	for (size_t i = 0; i < s->task->n_arguments; i++) {
		cleanup_free char *name = code_name(s->task->argument[i].name);
		struct json *one;

		if (!binding_takes(s, &entry, i))
			continue;
		one = json_object();
		json_set_string(one, "type", "random");
		json_set(j, name, one);
	}
	return j;
}

/* ---- the measurement ------------------------------------------------------- */

static struct json *environment_json(const struct measurement *m)
{
	static const char *const keys[] = {"compiler", "flags", "arch",
					   "driver", "kernel"};
	const char *machine = measurement_get(m, "machine");
	struct json *j = json_object(), *libs = json_object();

	json_set_string(j, "hardware", machine ? machine : "unknown");
	json_set_string(libs, "avogit", AVOGIT_VERSION);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (measurement_get(m, keys[i]))
			json_set_string(libs, keys[i],
					measurement_get(m, keys[i]));
	json_set(j, "libs", libs);
	return j;
}

/* avogit knows the worst error relative to what is allowed, and not these two:
 * their schema takes NaN, and would take 0 for what is left out. */
static struct json *correctness_json(const struct case_result *c)
{
	struct json *j = json_object(), *extra = json_object();

	json_set_string(j, "max_relative_error", "NaN");
	json_set_string(j, "max_absolute_error", "NaN");
	json_set_double(extra, "worst_error_over_allowed_error", c->error);
	json_set(j, "extra", extra);
	return j;
}

static struct json *evaluation_json(const struct export_source *s, size_t i)
{
	const struct measurement *m = s->pick.measurement;
	const struct case_result *c = &m->cases[i];
	struct json *j = json_object(), *performance = json_object();
	cleanup_free char *log = flashinfer_facts(s);
	char time[21];

	clock_format(time, m->time_us);
	json_set_string(j, "status", "PASSED");
	json_set(j, "environment", environment_json(m));
	json_set_string(j, "timestamp", time);
	json_set_string(j, "log", log);
	json_set(j, "correctness", correctness_json(c));
	json_set_double(performance, "latency_ms", c->seconds * 1e3);
	json_set(j, "performance", performance);
	return j;
}

/* ---- lines ----------------------------------------------------------------- */

static struct error *add_line(struct buf *out, const struct export_source *s,
			      const struct axes *axes, size_t i,
			      const char *solution)
{
	cleanup_json struct json *j = json_object();
	cleanup_free char *id = workload_id(s, i), *text = NULL;
	struct json *workload = json_object();

	json_set_string(j, "definition", s->function);
	json_set(j, "workload", workload);
	TRY(set_axes(workload, s, axes, i));
	json_set(workload, "inputs", inputs_json(s));
	json_set_string(workload, "uuid", id);
	if (solution) {
		json_set_string(j, "solution", solution);
		json_set(j, "evaluation", evaluation_json(s, i));
	} else {
		json_set_null(j, "solution");
		json_set_null(j, "evaluation");
	}
	text = json_print(j);
	buf_addf(out, "%s\n", text);
	return NULL;
}

struct error *flashinfer_traces(struct buf *out, const struct export_source *s,
				const struct axes *axes, const char *solution)
{
	const struct measurement *m = s->pick.measurement;

	for (size_t i = 0; i < s->task->n_cases; i++)
		if (!solution ||
		    (m && i < m->n_cases && m->cases[i].seconds > 0))
			TRY(add_line(out, s, axes, i, solution));
	return NULL;
}
