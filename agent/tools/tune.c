/*
 * Lets the tuner sweep the tunables that the agent's sources declare. Each
 * point is an attempt of the run; what it tells of itself in the attempt's
 * state ("tunables") is read here, and nothing else of the tuner.
 *
 * After a kill the call is made once more, and goes on: the attempts of its
 * first part count for its budget and are in its table.
 */
#include <inttypes.h>
#include <math.h>

#include "agent/tools/internal.h"
#include "core/base/clock.h"
#include "core/run/outcome.h"

#define ATTEMPTS     16
#define ATTEMPTS_MAX 1000
#define ROWS_MAX     30
/* Bytes shown of a point, and of why one failed. */
#define POINT_MAX 160
#define WHY_MAX	  120

struct sweep {
	struct toolbox *b;
	/* Attempts from the first index on and before the other are of its
	 * first part, in a process that was killed. */
	size_t from, before;
	struct strvec own; /* ids of the attempts that it made since */
	size_t most;	   /* attempts */
	double until;
	struct fileset sources; /* as they were */
	int64_t lineage;
	const char *end; /* why it ended; static */
};

/* ---- what was measured --------------------------------------------------- */

/* The values of a point that the tuner tried; NULL: it made no such attempt.
 * json_free disposes. */
static struct json *point_of(const struct attempt *a)
{
	cleanup_json struct json *state = NULL;
	cleanup_error struct error *err = NULL;
	const struct json *values;

	if (!a->operator_state)
		return NULL;
	err = json_parse(&state, a->operator_state, strlen(a->operator_state));
	values = err ? NULL : json_get(state, "tunables");
	return values ? json_dup(values) : NULL;
}

static int by_gain(const void *x, const void *y)
{
	const struct attempt *a = *(const struct attempt *const *)x;
	const struct attempt *b = *(const struct attempt *const *)y;
	bool a_ran = isfinite(a->gain), b_ran = isfinite(b->gain);

	if (a_ran != b_ran)
		return a_ran ? -1 : 1;
	if (a_ran && a->gain != b->gain)
		return a->gain > b->gain ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static void add_swept(const struct attempt **rows, size_t *n,
		      const struct attempt *a)
{
	cleanup_json struct json *point = a ? point_of(a) : NULL;

	if (point)
		rows[(*n)++] = a;
}

/* The attempts of the sweep, *n of them and NULL, best first: what other agents
 * try meanwhile is none of them. free() disposes. */
static const struct attempt **swept(size_t *n, const struct sweep *s)
{
	const struct population *p = s->b->v->population;
	const struct attempt **rows =
		xcalloc(s->before - s->from + s->own.n + 1, sizeof *rows);

	*n = 0;
	for (size_t i = s->from; i < s->before; i++)
		add_swept(rows, n, &p->attempt[i]);
	for (size_t i = 0; i < s->own.n; i++)
		add_swept(rows, n, population_find(p, s->own.v[i]));
	qsort(rows, *n, sizeof *rows, by_gain);
	return rows;
}

/* ---- the table ----------------------------------------------------------- */

static void add_point(struct buf *out, const struct attempt *a)
{
	cleanup_json struct json *point = point_of(a);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < json_len(point); i++) {
		const struct json *value = json_at(point, i);

		buf_addf(&text, "%s%s %s", i ? ", " : "", json_key(value),
			 json_string(value));
	}
	buf_addf(out, "%.*s", POINT_MAX, text.data);
}

static void add_row(struct buf *out, const struct population *p,
		    const struct attempt *a, const struct attempt *parent)
{
	double gain = a->gain - (parent ? parent->gain : 0);
	char ratio[32] = "-";

	if (isfinite(gain))
		snprintf(ratio, sizeof ratio, "%.3fx", exp(gain));
	buf_addf(out, "#%-4" PRId64 " %-13s %9s  ", a->number,
		 attempt_outcome_name(p, a), ratio);
	add_point(out, a);
	if (a->measurement && a->measurement->why)
		buf_addf(out, ": %.*s", WHY_MAX, a->measurement->why);
	buf_addc(out, '\n');
}

static const struct attempt *first_of(const struct attempt *const *rows,
				      size_t n)
{
	const struct attempt *first = NULL;

	for (size_t i = 0; i < n; i++)
		if (!first || rows[i]->number < first->number)
			first = rows[i];
	return first;
}

static void add_table(struct buf *out, const struct population *p,
		      const struct attempt *const *rows, size_t n)
{
	const struct attempt *first = first_of(rows, n);
	const struct attempt *parent =
		first ? population_find(p, first->parent.hex) : NULL;

	if (!n)
		return;
	buf_addf(out, "%zu point%s, best first", n, n == 1 ? "" : "s");
	if (parent)
		buf_addf(out, "; speed over #%" PRId64, parent->number);
	buf_adds(out, ":\n");
	for (size_t i = 0; i < ROWS_MAX && rows[i]; i++)
		add_row(out, p, rows[i], parent);
	if (n > ROWS_MAX)
		buf_addf(out, "(%zu more: lineage lists them)\n", n - ROWS_MAX);
}

/* ---- the sweep ----------------------------------------------------------- */

static bool may_go_on(struct sweep *s, size_t n)
{
	struct toolbox *b = s->b;
	const char *why = toolbox_why_stop(b);

	if (why)
		s->end = stop_words(why);
	else if (b->v->lineage != s->lineage)
		s->end = "another lineage was begun for it";
	else if (n >= s->most)
		s->end = "its attempts are spent";
	else if (clock_seconds() >= s->until)
		s->end = "its seconds are spent";
	return !s->end;
}

static size_t count_swept(const struct sweep *s)
{
	cleanup_free const struct attempt **rows = NULL;
	size_t n;

	rows = swept(&n, s);
	return n;
}

/* One point. A call that its client cancelled keeps what it has measured. */
static struct error *sweep_step(struct sweep *s)
{
	struct toolbox *b = s->b;
	enum varied varied = VARIED_NOTHING;
	struct commit_id last = b->v->made;
	struct error *err = b->v->tuner->vary(b->v->tuner, &varied, b->v);

	if (!str_eq(b->v->made.hex, last.hex))
		strvec_push(&s->own, b->v->made.hex);
	if (error_is(err, ERROR_INTERRUPTED) && !toolbox_why_stop(b)) {
		error_free(err);
		s->end = "the client cancelled the call";
		return NULL;
	}
	TRY(err);
	if (varied == VARIED_DEAD_END)
		s->end = "every point that is allowed was measured";
	else if (varied != VARIED)
		s->end = toolbox_why_stop(b) ? stop_words(toolbox_why_stop(b))
					     : "there is nothing to score";
	return NULL;
}

static struct error *sweep_run(struct sweep *s)
{
	while (may_go_on(s, count_swept(s))) {
		TRY(sweep_step(s));
		/* Points are made from the parent, not from one another. */
		if (!s->end)
			s->b->v->goes_on_from(
				s->b->v, variation_parent(s->b->v)->id.hex);
	}
	return NULL;
}

/* ---- what is left -------------------------------------------------------- */

/* Writes the best point into the workspace; if none passed, what was there. */
static struct error *write_best(const struct attempt **best, struct sweep *s)
{
	struct toolbox *b = s->b;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_fileset struct fileset now = FILESET_INIT;

	TRY(b->v->tuner->take_best(b->v->tuner, best, b->v));
	if (!*best)
		TRY(fileset_write(&s->sources, b->v->workspace));
	else
		b->v->goes_on_from(b->v, (*best)->id.hex);
	task_source_patterns(&patterns, b->v->task);
	TRY(fileset_read(&now, b->v->workspace, &patterns));
	fileset_id(b->scored, &now);
	return str_eq(b->dir, b->v->workspace) ? NULL
					       : fileset_write(&now, b->dir);
}

static void add_end(struct buf *out, const struct sweep *s,
		    const struct attempt *best)
{
	const struct variation *v = s->b->v;

	buf_addf(out, "The sweep ended: %s.\n", s->end);
	if (best)
		buf_addf(out,
			 "The workspace holds the best of these sources, that "
			 "of #%" PRId64 ".",
			 best->number);
	else
		buf_adds(out, "None passed: the workspace is as it was.");
	if (v->lineage == s->lineage)
		buf_addf(out,
			 " The next attempt is compared with #%" PRId64 ".\n",
			 variation_parent(v)->number);
	else
		buf_addc(out, '\n');
	if (v->lineage != s->lineage)
		toolbox_add_redirection(out, v);
}

static struct error *sweep(struct tool_reply *out, struct sweep *s)
{
	cleanup_free const struct attempt **rows = NULL;
	struct toolbox *b = s->b;
	const struct attempt *best = NULL;
	size_t n;

	TRY(toolbox_take_sources(&s->sources, b));
	TRY(sweep_run(s));
	TRY(write_best(&best, s));
	rows = swept(&n, s);
	b->attempts += n;
	add_table(&out->text, b->v->population, rows, n);
	add_end(&out->text, s, best);
	return NULL;
}

TOOL_FUNCTION(tool_tune)
{
	const struct population *p = b->v->population;
	bool timed = json_get(arguments, "seconds");
	int64_t most = tool_int(arguments, "attempts",
				timed ? ATTEMPTS_MAX : ATTEMPTS, 1,
				ATTEMPTS_MAX);
	double seconds =
		(double)tool_int(arguments, "seconds", 1, 1, INT32_MAX);
	struct sweep s = {
		.b = b,
		.from = b->unread && b->unread < p->n ? b->unread : p->n,
		.before = p->n,
		.own = STRVEC_INIT,
		.most = (size_t)most,
		.until = timed ? clock_seconds() + seconds : INFINITY,
		.sources = FILESET_INIT,
		.lineage = b->v->lineage,
	};
	struct error *err;

	b->unread = 0;
	if (!b->v->tuner) {
		tool_fail(out, "there is no tuner here: score each value");
		return NULL;
	}
	err = sweep(out, &s);
	fileset_release(&s.sources);
	strvec_release(&s.own);
	return tool_mend(out, err);
}
