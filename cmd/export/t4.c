#include "cmd/export/t4.h"

#include <math.h>

#include "agent/tuner/tunables.h"
#include "core/base/clock.h"

struct t4 {
	struct session *session;
	struct population run;
	const struct task *task; /* borrowed from the session */
	struct strvec patterns;
	/* Of the attempt that the others are held against. */
	struct tunables space;
	char rest[FILESET_ID_LEN + 1];
	char machine[IDENTITY_HEX_LEN + 1];
	size_t *point;
};

static void t4_release(struct t4 *t)
{
	population_release(&t->run);
	strvec_release(&t->patterns);
	tunables_release(&t->space);
	free(t->point);
}
DEFINE_RELEASE(t4, struct t4, t4_release)

/* ---- which attempts ------------------------------------------------------ */

static struct error *read_sources(struct fileset *out, struct t4 *t,
				  const struct attempt *a)
{
	return gitstore_files(out, t->session->git, a->id.hex, &t->patterns);
}

static struct error *read_space(struct t4 *t, const struct attempt *best)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	bool has;

	TRY(read_sources(&sources, t, best));
	TRY(tunables_read(&t->space, &sources, t->task));
	if (!t->space.n)
		return error_new(ERROR_REFUSED,
				 "export: the sources of the run '%s' declare "
				 "no tunables, and T4 has one result for each "
				 "choice of their values: see docs/task.md",
				 t->run.record.run);
	t->point = xcalloc(t->space.n, sizeof *t->point);
	return tunables_locate(&has, t->point, t->rest, &t->space, &sources);
}

static struct error *open_run(struct t4 *t, struct session *s, const char *run)
{
	const struct attempt *best;

	t->session = s;
	TRY(gitstore_population(&t->run, s->git, run));
	if (!t->run.has_record || !t->run.n)
		return error_new(ERROR_NOT_FOUND,
				 "export: the run '%s' has no attempts", run);
	best = &t->run.attempt[t->run.champion];
	TRY(committed_task_read(&s->at, s, t->run.attempt[0].id.hex,
				t->run.record.task_path));
	t->task = s->at.task;
	task_source_patterns(&t->patterns, t->task);
	if (best->measurement)
		snprintf(t->machine, sizeof t->machine, "%s",
			 best->measurement->identity.machine);
	return read_space(t, best);
}

/* Sets t->point to the attempt's; *has: its sources are the same but for it. */
static struct error *locate(bool *has, struct t4 *t, const struct attempt *a)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	char rest[FILESET_ID_LEN + 1];

	TRY(read_sources(&sources, t, a));
	TRY(tunables_locate(has, t->point, rest, &t->space, &sources));
	*has = *has && str_eq(rest, t->rest);
	return NULL;
}

/* ---- one result ---------------------------------------------------------- */

/* NULL: it says nothing about the candidate. */
static const char *invalidity(enum verdict v)
{
	switch (v) {
	case VERDICT_PASS:
		return "correct";
	case VERDICT_BUILD_FAILED:
		return "compile";
	case VERDICT_WRONG:
	case VERDICT_OUT_OF_BOUNDS:
	case VERDICT_IMPOSSIBLE:
		return "correctness";
	case VERDICT_CRASHED:
	case VERDICT_FORBIDDEN:
		return "runtime";
	case VERDICT_TIMED_OUT:
		return "timeout";
	default:
		return NULL;
	}
}

/* Decimal integers are numbers, as in the files of Kernel Tuner; all else is
 * text: an 010 would be another value of C. */
static void set_value(struct json *values, const struct tunable *t,
		      const char *value)
{
	char again[32];
	long long number = strtoll(value, NULL, 10);

	snprintf(again, sizeof again, "%lld", number);
	if (str_eq(again, value))
		json_set_int(values, t->name, number);
	else
		json_set_string(values, t->name, value);
}

static struct json *configuration_json(const struct t4 *t)
{
	struct json *values = json_object();

	for (size_t i = 0; i < t->space.n; i++)
		set_value(values, &t->space.tunable[i],
			  t->space.tunable[i].value[t->point[i]]);
	return values;
}

static struct json *times_json(const struct measurement *m)
{
	struct json *j = json_object(), *runtimes = json_array();

	/* The schema's name, and that of Kernel Tuner's writer. */
	json_set_double(j, "compilation_time", 1e3 * m->seconds_build);
	json_set_double(j, "compilation", 1e3 * m->seconds_build);
	json_set_double(j, "benchmark", 1e3 * m->seconds_timed);
	json_set_double(j, "validation", 1e3 * m->seconds_judge);
	json_set_double(j, "framework", 1e3 * m->seconds_starting);
	json_set_double(j, "search_algorithm", 0);
	for (size_t i = 0; i < m->n_cases; i++)
		if (m->cases[i].seconds > 0)
			json_push_double(runtimes, 1e3 * m->cases[i].seconds);
	json_set(j, "runtimes", runtimes);
	return j;
}

/* The geometric mean over the cases, in seconds; 0: some were not timed. */
static double mean_seconds(const struct measurement *m)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < m->n_cases; i++) {
		if (m->cases[i].seconds <= 0)
			return 0;
		sum += m->cases[i].weight * log(m->cases[i].seconds);
		weight += m->cases[i].weight;
	}
	return weight > 0 ? exp(sum / weight) : 0;
}

static void add_measured(struct json *list, const char *name, double value,
			 const char *unit)
{
	struct json *one = json_object();

	json_set_string(one, "name", name);
	json_set_double(one, "value", value);
	json_set_string(one, "unit", unit);
	json_push(list, one);
}

/* Kernel Tuner's value of what has none: readers ask every result for its
 * objective, and know these words. */
static void add_failed(struct json *list, const char *name, enum verdict v)
{
	struct json *one = json_object();

	json_set_string(one, "name", name);
	json_set_string(one, "value",
			v == VERDICT_BUILD_FAILED ? "CompilationFailedConfig"
						  : "RuntimeFailedConfig");
	json_set_string(one, "unit", "");
	json_push(list, one);
}

static void set_measured(struct json *j, const struct t4 *t,
			 const struct measurement *m)
{
	struct json *list = json_array(), *objectives = json_array();
	const char *objective = task_is_reported(t->task) ? "score" : "time";
	double seconds = mean_seconds(m), size;

	if (m->verdict != VERDICT_PASS)
		add_failed(list, objective, m->verdict);
	else if (seconds > 0)
		add_measured(list, "time", 1e3 * seconds, "ms");
	if (m->verdict == VERDICT_PASS)
		add_measured(list, "score", m->score,
			     measurement_unit(&size, m));
	json_push_string(objectives, objective);
	json_set(j, "measurements", list);
	json_set(j, "objectives", objectives);
}

static struct json *result_json(const struct t4 *t, const struct measurement *m)
{
	struct json *j = json_object();
	char time[21];

	clock_format(time, m->time_us);
	json_set_string(j, "timestamp", time);
	json_set(j, "configuration", configuration_json(t));
	json_set(j, "times", times_json(m));
	json_set_string(j, "invalidity", invalidity(m->verdict));
	json_set_int(j, "correctness", m->verdict == VERDICT_PASS);
	set_measured(j, t, m);
	return j;
}

/* ---- the file ------------------------------------------------------------ */

static struct error *add_result(struct json *results, struct t4_count *count,
				struct t4 *t, const struct attempt *a)
{
	cleanup_measurement struct measurement *whole = NULL;
	const struct measurement *m = a->measurement;
	bool has;

	if (!m || !invalidity(m->verdict)) {
		count->no_result++;
		return NULL;
	}
	if (!str_eq(m->identity.machine, t->machine)) {
		count->other_machine++;
		return NULL;
	}
	TRY(locate(&has, t, a));
	if (!has) {
		count->other_code++;
		return NULL;
	}
	TRY(gitstore_recall(&whole, t->session->git, a));
	json_push(results, result_json(t, whole ? whole : m));
	count->written++;
	return NULL;
}

static struct json *metadata_json(const struct t4 *t)
{
	const struct attempt *best = &t->run.attempt[t->run.champion];
	struct json *j = json_object();

	json_set_string(j, "timeunit", "milliseconds");
	json_set_string(j, "task", t->task->name);
	json_set_string(j, "run", t->run.record.run);
	json_set_string(j, "commit", best->id.hex);
	if (best->kind && best->kind <= t->run.n_machines)
		json_set_string(j, "machine",
				t->run.machine[best->kind - 1].name);
	return j;
}

struct error *t4_write(struct buf *out, struct t4_count *count,
		       struct session *s, const char *run)
{
	CLEANUP(t4) struct t4 t = {.patterns = STRVEC_INIT};
	cleanup_json struct json *file = json_object();
	cleanup_free char *text = NULL;
	struct json *results = json_array();

	*count = (struct t4_count){0};
	json_set_string(file, "schema_version", "1.0.0");
	json_set(file, "results", results);
	TRY(open_run(&t, s, run));
	for (size_t i = 0; i < t.run.n; i++)
		TRY(add_result(results, count, &t, &t.run.attempt[i]));
	json_set(file, "metadata", metadata_json(&t));
	text = json_print_pretty(file);
	buf_adds(out, text);
	buf_adds(out, "\n");
	return NULL;
}
