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
	err = pick_prepare(&p, t->g, id.hex, run);
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

static void print_tail(const struct buf *output)
{
	const char *at = output->data;
	size_t lines = 0;

	for (size_t i = output->len; i-- > 0;)
		if (output->data[i] == '\n' && ++lines > TAIL_LINES) {
			at = output->data + i + 1;
			break;
		}
	if (output->len)
		out_text("  ", at);
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
		print_tail(&r.output);
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

/* "0.622 [0.610, 0.640]"; "-" where a ratio means nothing. */
static void add_ratio(struct table *table, const double *before,
		      const double *after, size_t n)
{
	cleanup_free double *x = xcalloc(n, sizeof *x);
	struct interval in;

	for (size_t i = 0; i < n; i++) {
		if (!(before[i] > 0 && after[i] > 0)) {
			table_add(table, COLOR_NONE, "-");
			return;
		}
		x[i] = log(after[i] / before[i]);
	}
	in = stats_interval(x, n, 0.95, 1);
	table_add(table, COLOR_BOLD, "%.3f [%.3f, %.3f]",
		  exp(stats_median(x, n)), exp(in.lo), exp(in.hi));
}

/* False if there is nothing to show: it is not in all runs, or is the same in
 * all (a size, a count). */
static bool add_row(struct table *table, const struct own_turns *t,
		    const char *label)
{
	size_t n = (size_t)t->b->runs;
	cleanup_free double *before = xcalloc(n, sizeof *before);
	cleanup_free double *after = xcalloc(n, sizeof *after);

	if (!values(before, t, BEFORE, label) ||
	    !values(after, t, AFTER, label) || all_equal(before, after, n))
		return false;
	if (label)
		table_add(table, COLOR_NONE, "%.*s", LABEL_SHOWN, label);
	else
		table_add(table, COLOR_NONE, "the command itself, in s");
	table_add(table, COLOR_NONE, "%.6g", stats_median(before, n));
	table_add(table, COLOR_NONE, "%.6g", stats_median(after, n));
	add_ratio(table, before, after, n);
	return true;
}

static void print_claim(const struct measurement *m)
{
	const struct comparison *c = m ? measurement_headline(m) : NULL;

	if (!c)
		puts("avogit has said nothing of this change in a note");
	else if (c->told == TOLD_NOTHING)
		printf("avogit said: %s beside the %s\n",
		       told_name(c->told, c->ratio95), rival_name(c->rival));
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
	for (size_t i = 0; i < first->n; i++)
		rows += add_row(&table, t, first->v[i].label);
	add_row(&table, t, NULL);
	table_print(&table, color);
	if (!rows)
		puts("  it printed no number that was in all runs and not "
		     "always the same");
	print_claim(t->claim);
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
	print(&t, color);
	return NULL;
}
