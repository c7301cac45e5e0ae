#include "cmd/session/earlier.h"

#include <math.h>

#include "agent/tuner/tuner.h"
#include "cmd/session/tuning.h"
#include "cmd/ui/out.h"
#include "core/base/json.h"

/* Of a run the start, the champion and so many of the newest attempts are looked at,
 * and in all the sources of so many that the tuner did not make: a long history
 * must not keep a run from beginning. */
#define MOST_ATTEMPTS 2000
#define MOST_SOURCES  1000

struct earlier {
	const struct session *session;
	struct tunables space;
	char rest[FILESET_ID_LEN + 1]; /* of the sources here */
	size_t sources;		       /* read so far */
	/* The best find so far. */
	struct json *results;
	size_t points;
	char *run, *machine;
};

static void earlier_release(struct earlier *e)
{
	tunables_release(&e->space);
	json_free(e->results);
	free(e->run);
	free(e->machine);
}
DEFINE_RELEASE(earlier, struct earlier, earlier_release)

/* ---- where an attempt lies ------------------------------------------------ */

/* The tuner keeps the values of its attempts, and the rest of their sources. Is
 * the attempt of the sources here, with values that these still have? */
static bool point_kept(size_t *point, const struct earlier *e,
		       const struct json *state)
{
	const char *rest;

	return tuner_point(point, &rest, &e->space, state) &&
	       str_eq(rest, e->rest);
}

static struct error *point_of_sources(bool *has, size_t *point,
				      const struct earlier *e, const char *id)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	char rest[FILESET_ID_LEN + 1];

	*has = false;
	TRY(tuning_sources(&sources, e->session, id));
	TRY(tunables_locate(has, point, rest, &e->space, &sources));
	*has = *has && str_eq(rest, e->rest);
	return NULL;
}

/* The attempt's values by name; NULL: it is not of these sources. */
static struct json *values_of(struct earlier *e, const struct attempt *a)
{
	cleanup_error struct error *err = NULL;
	cleanup_json struct json *state = NULL;
	cleanup_free size_t *point = xcalloc(e->space.n, sizeof *point);
	bool has;

	if (a->operator_state)
		err = json_parse(&state, a->operator_state,
				 strlen(a->operator_state));
	if (json_get(state, "tunables")) {
		has = point_kept(point, e, state);
	} else {
		if (e->sources++ >= MOST_SOURCES)
			return NULL;
		error_free(err);
		err = point_of_sources(&has, point, e, a->id.hex);
	}
	return has && tunables_allowed(&e->space, point)
		       ? tuner_values(&e->space, point)
		       : NULL;
}

/* As T4 has it; takes the values. Only ratios between the times count. */
static struct json *result_of(const struct attempt *a, struct json *values)
{
	bool passed = attempt_passes(a);
	struct json *result = json_object(), *list = json_array(),
		    *time = json_object();

	json_set_string(time, "name", "time");
	json_set_double(time, "value", passed ? exp(-a->gain) : 0);
	json_push(list, time);
	json_set(result, "configuration", values);
	json_set_string(result, "invalidity", passed ? "correct" : "runtime");
	json_set(result, "measurements", list);
	return result;
}

/* ---- which run ------------------------------------------------------------- */

/* Of an attempt that passes and was compared with none of the others nothing is
 * known; the start was measured on all kinds of machines. */
static bool is_of_use(const struct population *p, size_t i, size_t kind)
{
	const struct attempt *a = &p->attempt[i];

	if (i && i != p->champion && i + MOST_ATTEMPTS < p->n)
		return false;
	return attempt_is_measured(a) && (!i || a->kind == kind) &&
	       (!attempt_passes(a) || isfinite(a->gain));
}

/* The points that were measured on one kind of machine, 1, 2, ... */
static void take_kind(struct earlier *e, const struct population *p,
		      size_t kind)
{
	cleanup_json struct json *results = json_array();
	size_t points = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct attempt *a = &p->attempt[i];
		struct json *values;

		if (!is_of_use(p, i, kind))
			continue;
		values = values_of(e, a);
		if (!values)
			continue;
		json_push(results, result_of(a, values));
		points++;
	}
	if (points <= e->points)
		return;
	json_free(e->results);
	free(e->run);
	free(e->machine);
	e->results = steal(&results);
	e->points = points;
	e->run = xstrdup(p->record.run);
	e->machine = xstrdup(p->machine[kind - 1].name);
}

/* Whatever a fetched journal has: without a task it is of none. */
static bool is_of_task(const struct earlier *e, const struct population *p)
{
	const struct entry *record = &p->record;

	return p->has_record && record->task_path &&
	       str_eq(record->task_path, e->session->at.task->path) &&
	       str_eq(record->task_id, e->session->at.id);
}

static struct error *take_run(struct earlier *e, const char *run)
{
	cleanup_population struct population p = {0};

	population_init(&p);
	TRY(gitstore_population(&p, e->session->git, run));
	if (!is_of_task(e, &p))
		return NULL;
	for (size_t kind = 1; kind <= p.n_machines; kind++)
		take_kind(e, &p, kind);
	return NULL;
}

static struct error *open_here(struct earlier *e, const struct session *s)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_free size_t *point = NULL;
	bool has;

	e->session = s;
	TRY(tuning_sources(&sources, s, s->at.commit.hex));
	TRY(tunables_read(&e->space, &sources, s->at.task));
	point = xcalloc(e->space.n + 1, sizeof *point);
	return tunables_locate(&has, point, e->rest, &e->space, &sources);
}

static void print_found(const struct earlier *e, FILE *say)
{
	cleanup_buf struct buf machine = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&machine, e->machine);
	fprintf(say,
		"%zu measurements of the run %s (%s) guide the tuner; "
		"--no-earlier leaves them out\n",
		e->points, e->run, machine.data);
}

struct error *earlier_read(struct buf *out, const struct session *s,
			   const char *but, FILE *say)
{
	CLEANUP(earlier) struct earlier e = {0};
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	cleanup_json struct json *file = json_object();
	cleanup_free char *text = NULL;
	cleanup_error struct error *err = NULL;

	err = open_here(&e, s);
	if (err)
		return NULL; /* the tuner says what is wrong with them */
	TRY(gitstore_runs(&runs, s->git));
	for (size_t i = 0; i < runs.n && e.space.n; i++)
		if (!str_eq(runs.v[i], but))
			error_free(take_run(&e, runs.v[i]));
	if (e.points < EARLIER_LEAST)
		return NULL;
	json_set(file, "results", steal(&e.results));
	text = json_print(file);
	buf_adds(out, text);
	print_found(&e, say);
	return NULL;
}
