#include "cmd/session/own_benchmark.h"

#include <math.h>
#include <unistd.h>

#include "cmd/session/figures.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "cmd/ui/stop.h"
#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "core/score/stats.h"
#include "gitstore/run/pick.h"

#define OUTPUT_LIMIT ((size_t)1 << 20)
#define TAIL_LINES   12
#define LABEL_SHOWN  44

enum { BEFORE, AFTER, SIDES };
static const char *const side_names[SIDES] = {"before", "after"};

struct own_run {
	struct printed_figures figures;
	double seconds;
};

struct own_turns {
	const struct own_benchmark *b;
	struct gitstore *g;
	const volatile int *stop_now;
	struct commit_id commit[SIDES];
	char *dir[SIDES];
	struct own_run *run[SIDES]; /* b->runs each */
	struct measurement *claim;  /* avogit's own; may be NULL */
};

static void turns_release(struct own_turns *t)
{
	for (int s = 0; s < SIDES; s++) {
		if (t->dir[s])
			error_free(dir_remove(t->dir[s]));
		free(t->dir[s]);
		for (int64_t i = 0; t->run[s] && i < t->b->runs; i++)
			figures_release(&t->run[s][i].figures);
		free(t->run[s]);
	}
	measurement_free(t->claim);
}
DEFINE_RELEASE(own_turns, struct own_turns, turns_release)

/* A candidate's whole change since the base of its run; of any other commit the
 * change over its parent. */
static struct error *find_commits(struct own_turns *t, const char *rev)
{
	cleanup_pick struct pick p = {0};
	cleanup_error struct error *err = NULL;
	cleanup_free char *parent = NULL;
	char run[RUN_NAME_MAX + 1];
	struct commit_id id;

	TRY(gitstore_resolve_in(&id, run, t->g, rev));
	err = pick_prepare(&p, t->g, id.hex, run, "its parent is before it");
	if (!err) {
		t->commit[AFTER] = p.commit;
		t->commit[BEFORE] = p.base;
		t->claim = steal(&p.measurement);
		return NULL;
	}
	t->commit[AFTER] = id;
	parent = xasprintf("%s^", id.hex);
	return error_wrap(gitstore_resolve(&t->commit[BEFORE], t->g, parent),
			  "there is nothing before %s to compare with", rev);
}

static struct error *check_out(struct own_turns *t, int side)
{
	const char *tmp = getenv("TMPDIR");

	TRY(error_wrap(dir_make_temp(&t->dir[side],
				     tmp && *tmp == '/' ? tmp : "/tmp",
				     "avogit-verify."),
		       "cannot make a folder for a checkout"));
	return gitstore_export(t->g, t->commit[side].hex, t->dir[side]);
}

/* With --json the standard output is for the object alone. */
static void print_tail(const struct own_turns *t, const struct buf *output)
{
	const char *at = output->data;
	size_t lines = 0;

	for (size_t i = output->len; i-- > 0;)
		if (output->data[i] == '\n' && ++lines > TAIL_LINES) {
			at = output->data + i + 1;
			break;
		}
	if (output->len)
		out_text_to(t->b->json ? stderr : stdout, "  ", at);
}

static struct error *run_once(struct own_run *out, struct own_turns *t,
			      int side)
{
	const char *const argv[] = {"sh", "-c", t->b->command, NULL};
	const struct process_spec spec = {
		.argv = argv,
		.dir = t->dir[side],
		.limits = {.wall_seconds = t->b->seconds},
		.die_with_parent = true,
		.stop_now = t->stop_now,
	};
	cleanup_process_result struct process_result r = {0};

	TRY(process_run(&r, &spec, OUTPUT_LIMIT));
	if (r.stopped)
		return error_new(ERROR_INTERRUPTED, "stopped");
	if (r.timed_out || r.exit_code != 0)
		print_tail(t, &r.output);
	if (r.timed_out)
		return error_new(ERROR_REFUSED,
				 "the command did not end within %.0f s, %s "
				 "the change: --time gives it longer",
				 t->b->seconds, side_names[side]);
	if (r.exit_code != 0)
		return error_new(ERROR_REFUSED,
				 "the command failed %s the change (exit code "
				 "%d): nothing is compared",
				 side_names[side],
				 r.signal ? 128 + r.signal : r.exit_code);
	figures_read(&out->figures, r.output.len ? r.output.data : "",
		     r.output.len);
	out->seconds = r.seconds;
	return NULL;
}

/* The first of each may build, and is not counted. ABBA, so that a drift of the
 * machine hits both alike. */
static struct error *run_all(struct own_turns *t)
{
	for (int s = 0; s < SIDES; s++) {
		struct own_run first = {{0}, 0};
		struct error *err = run_once(&first, t, s);

		figures_release(&first.figures);
		TRY(err);
	}
	for (int64_t i = 0; i < t->b->runs; i++)
		for (int k = 0; k < SIDES; k++) {
			int side = (int)((i + k) % SIDES);

			TRY(run_once(&t->run[side][i], t, side));
		}
	return NULL;
}

/* ---- what came of it ----------------------------------------------------- */

/* The values of a figure (label NULL: the time of the command) in all runs of
 * one side. False if a run lacks it. */
static bool values(double *out, const struct own_turns *t, int side,
		   const char *label)
{
	for (int64_t i = 0; i < t->b->runs; i++) {
		const struct own_run *r = &t->run[side][i];
		const struct figure *f =
			label ? figures_find(&r->figures, label) : NULL;

		if (label && !f)
			return false;
		out[i] = label ? f->value : r->seconds;
	}
	return true;
}

static bool all_equal(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] < a[0] || a[i] > a[0] || b[i] < a[0] || b[i] > a[0])
			return false;
	return true;
}

/* One of its figures, or its time (label NULL), beside each other. */
struct own_figure {
	const char *label;
	double *value[SIDES]; /* b->runs each */
	double median[SIDES];
	bool has_ratio; /* every value is above 0 */
	double ratio;	/* after / before, of the turns */
	struct interval ratio95;
};

static void own_figure_release(struct own_figure *f)
{
	for (int s = 0; s < SIDES; s++)
		free(f->value[s]);
}
DEFINE_RELEASE(own_figure, struct own_figure, own_figure_release)

static void find_ratio(struct own_figure *f, size_t n)
{
	cleanup_free double *x = xcalloc(n, sizeof *x);

	for (size_t i = 0; i < n; i++) {
		if (!(f->value[BEFORE][i] > 0 && f->value[AFTER][i] > 0))
			return;
		x[i] = log(f->value[AFTER][i] / f->value[BEFORE][i]);
	}
	f->has_ratio = true;
	f->ratio95 = stats_interval(x, n, 0.95, 1);
	f->ratio95 = (struct interval){exp(f->ratio95.lo), exp(f->ratio95.hi)};
	f->ratio = exp(stats_median(x, n));
}

/* False if there is nothing to show: it is not in all runs, or is the same in
 * all (a size, a count). */
static bool own_figure_find(struct own_figure *f, const struct own_turns *t,
			    const char *label)
{
	size_t n = (size_t)t->b->runs;

	f->label = label;
	for (int s = 0; s < SIDES; s++) {
		f->value[s] = xcalloc(n, sizeof *f->value[s]);
		if (!values(f->value[s], t, s, label))
			return false;
		f->median[s] = stats_median(f->value[s], n);
	}
	if (all_equal(f->value[BEFORE], f->value[AFTER], n))
		return false;
	find_ratio(f, n);
	return true;
}

/* "0.622 [0.610, 0.640]"; "-" where a ratio means nothing. */
static void add_row(struct table *table, const struct own_figure *f)
{
	if (f->label)
		table_add(table, COLOR_NONE, "%.*s", LABEL_SHOWN, f->label);
	else
		table_add(table, COLOR_NONE, "the command itself, in s");
	table_add(table, COLOR_NONE, "%.6g", f->median[BEFORE]);
	table_add(table, COLOR_NONE, "%.6g", f->median[AFTER]);
	if (f->has_ratio)
		table_add(table, COLOR_BOLD, "%.3f [%.3f, %.3f]", f->ratio,
			  f->ratio95.lo, f->ratio95.hi);
	else
		table_add(table, COLOR_NONE, "-");
}

static void print_claim(const struct measurement *m)
{
	const struct comparison *c = m ? measurement_headline(m) : NULL;

	if (!c)
		puts("avogit has said nothing of this change in a note");
	else if (c->decision == DECISION_NONE)
		printf("avogit said: %s beside the %s\n",
		       decision_name(c->decision, c->ratio95),
		       rival_name(c->rival));
	else
		printf("avogit said: %.3fx the speed of the %s [%.3fx, "
		       "%.3fx]\n",
		       c->ratio, rival_name(c->rival), c->ratio95.lo,
		       c->ratio95.hi);
}

static void print(const struct own_turns *t, const struct palette *color)
{
	cleanup_table struct table table = {0};
	const struct printed_figures *first = &t->run[BEFORE][0].figures;
	char id[SIDES][COMMIT_ID_LEN + 1];
	size_t rows = 0;

	for (int s = 0; s < SIDES; s++)
		gitstore_abbreviate(id[s], t->g, t->commit[s].hex);
	printf("%lld runs each, in turns: before %s, after %s\n",
	       (long long)t->b->runs, id[BEFORE], id[AFTER]);
	table_init(&table, "lrrr");
	table.indent = "  ";
	table_add(&table, COLOR_FAINT, "what it printed");
	table_add(&table, COLOR_FAINT, "before");
	table_add(&table, COLOR_FAINT, "after");
	table_add(&table, COLOR_FAINT, "after / before");
	for (size_t i = 0; i <= first->n; i++) {
		CLEANUP(own_figure) struct own_figure f = {0};

		if (!own_figure_find(&f, t,
				     i < first->n ? first->v[i].label : NULL))
			continue;
		add_row(&table, &f);
		rows += i < first->n;
	}
	table_print(&table, color);
	if (!rows)
		puts("  it printed no number that was in all runs and not "
		     "always the same");
	print_claim(t->claim);
}

/* What is shown of a figure, and what it was in each run. */
static struct json *figure_to_json(const struct own_figure *f, size_t runs)
{
	struct json *j = json_object();

	json_set_string(j, "label", f->label);
	for (int s = 0; s < SIDES; s++) {
		struct json *all = json_array();

		for (size_t i = 0; i < runs; i++)
			json_push_double(all, f->value[s][i]);
		json_set_double(j, side_names[s], f->median[s]);
		json_set(j, s == BEFORE ? "before_runs" : "after_runs", all);
	}
	if (f->has_ratio) {
		json_set_double(j, "ratio", f->ratio);
		json_set_double(j, "low", f->ratio95.lo);
		json_set_double(j, "high", f->ratio95.hi);
	}
	return j;
}

static void print_json(const struct own_turns *t)
{
	const struct printed_figures *first = &t->run[BEFORE][0].figures;
	cleanup_json struct json *j = out_json_new();
	struct json *figures = json_array();

	json_set_string(j, "command", t->b->command);
	json_set_int(j, "runs", t->b->runs);
	for (int s = 0; s < SIDES; s++)
		json_set_string(j, side_names[s], t->commit[s].hex);
	json_set(j, "figures", figures);
	for (size_t i = 0; i <= first->n; i++) {
		CLEANUP(own_figure) struct own_figure f = {0};
		struct json *one;

		if (!own_figure_find(&f, t,
				     i < first->n ? first->v[i].label : NULL))
			continue;
		one = figure_to_json(&f, (size_t)t->b->runs);
		if (i < first->n)
			json_push(figures, one);
		else
			json_set(j, "seconds", one);
	}
	if (t->claim)
		json_set(j, "claim", measurement_to_json(t->claim));
	out_json(j);
}

struct error *own_benchmark_run(const struct own_benchmark *b,
				struct gitstore *g, const char *rev,
				const struct palette *color)
{
	CLEANUP(own_turns) struct own_turns t = {.b = b, .g = g};

	t.stop_now = stop_now_watch();
	for (int s = 0; s < SIDES; s++)
		t.run[s] = xcalloc((size_t)b->runs, sizeof *t.run[s]);
	TRY(find_commits(&t, rev));
	for (int s = 0; s < SIDES; s++)
		TRY(check_out(&t, s));
	TRY(run_all(&t));
	if (b->json)
		print_json(&t);
	else
		print(&t, color);
	return NULL;
}
