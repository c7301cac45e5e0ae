#include "cmd/watch/view.h"

#include <math.h>
#include <stdarg.h>

#include "cmd/session/nearest.h"
#include "cmd/ui/graph.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "cmd/ui/table.h"
#include "cmd/watch/trajectory.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/run/outcome.h"

/* Of the rows below the head and the foot the trajectory has two fifths. */
#define PLOT_LEAST 3
#define PLOT_MOST  16
/* With fewer rows than that there is none. */
#define PLOT_FROM 14
#define STEPS_MAX 64 /* of the champion's line */

/* Puts it, cut to the row. Returns the column after it. */
static size_t put(struct canvas *c, size_t row, size_t col, enum color color,
		  const char *text)
{
	cleanup_free char *start = NULL;
	cleanup_free char *fits = NULL;

	if (row >= c->rows || col >= c->cols)
		return c->cols;
	/* At most four bytes a cell are of use, and a text may be very long. */
	start = xstrndup(text, text_cut(text, (c->cols - col + 1) * 4));
	fits = text_fit(start, c->cols - col);
	c->put(c, row, col, color, fits);
	return col + text_width(fits);
}

PRINTF(5, 6)
static size_t putf(struct canvas *c, size_t row, size_t col, enum color color,
		   const char *fmt, ...)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *raw = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&raw, fmt, args);
	va_end(args);
	if (len < 0)
		raw = NULL; /* its value is not defined then */
	out_clean_line(&clean, raw ? raw : "");
	return put(c, row, col, color, clean.data);
}

/* ---- the head ------------------------------------------------------------ */

static void put_state(struct canvas *c, size_t row, size_t col,
		      const struct view *v)
{
	if (v->trouble)
		putf(c, row, col, COLOR_BAD, "cannot be read: %s", v->trouble);
	else if (v->pid > 0)
		putf(c, row, col, COLOR_GOOD, "running (process %ld)", v->pid);
	else if (v->pid)
		putf(c, row, col, COLOR_GOOD, "running");
	else if (v->p->stop_reason)
		putf(c, row, col, COLOR_BOLD, "ended: %s",
		     stop_words(v->p->stop_reason));
	else if (v->elsewhere)
		putf(c, row, col, COLOR_WARN,
		     "unfinished: another clone's, which may be at work");
	else
		putf(c, row, col, COLOR_BAD,
		     "dead: its process is gone; `avogit evolve --run %s` "
		     "goes on",
		     v->run);
}

/* The attempt that was faster and has no crown; else the start. */
static void put_no_champion(struct canvas *c, size_t row,
			    const struct population *p, const char *start)
{
	cleanup_buf struct buf said = BUF_INIT(BUF_LIMIT_TEXT);

	if (nearest_say(&said, p))
		putf(c, row, 0, COLOR_NONE, "no champion yet: %s", said.data);
	else
		putf(c, row, 0, COLOR_NONE, "no champion yet; the start: %s",
		     start);
}

static void put_champion(struct canvas *c, size_t row,
			 const struct population *p)
{
	const struct attempt *a = &p->attempt[p->champion];
	char ratio[32], rate[RATE_TEXT + 1] = "not measured yet";
	size_t col;

	report_format_rate(rate, sizeof rate, a->measurement);
	if (!p->champion) {
		put_no_champion(c, row, p, rate);
		return;
	}
	report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
	col = putf(c, row, 0, COLOR_WARN, "champion #%lld %s",
		   (long long)a->number, ratio);
	putf(c, row, col, COLOR_NONE, "  %s  %s", rate,
	     a->subject ? a->subject : "");
}

void tally_make(struct tally *t, const struct population *p)
{
	*t = (struct tally){0};
	for (size_t i = 1; i < p->n; i++) {
		const struct measurement *m = p->attempt[i].measurement;

		t->kept += p->attempt[i].accepted;
		t->failed += m && m->verdict != VERDICT_PASS;
	}
}

static void put_machine(struct canvas *c, size_t row, const struct view *v)
{
	const struct population *p = v->p;
	const char *machine = p->n_machines ? p->machine[0].name
					    : p->record.machine_name;
	size_t col =
		putf(c, row, 0, COLOR_NONE,
		     "%zu attempt%s, %zu kept, %zu failed; %s; %s", p->n - 1,
		     p->n == 2 ? "" : "s", v->tally->kept, v->tally->failed,
		     p->operator_name ? p->operator_name : "no operator yet",
		     machine ? machine : "no machine yet");

	if (p->n_machines > 1)
		putf(c, row, col, COLOR_NONE, " and %zu more",
		     p->n_machines - 1);
}

static void put_spent(struct canvas *c, size_t row, const struct view *v)
{
	const struct population *p = v->p;
	cleanup_free char *work = clock_format_span(p->spent_seconds);
	cleanup_free char *models = spend_format(&p->spend);
	double since = MAX(0, (double)(v->now_us - p->time_us) / 1e6);
	char gpu[48] = "";
	cleanup_free char *newest = clock_format_span(floor(since));
	const char *spent = v->pid && v->doing->spent ? v->doing->spent
						      : models;

	if (p->spend.gpu_seconds > 0)
		snprintf(gpu, sizeof gpu, ", %.0f s of a GPU",
			 p->spend.gpu_seconds);
	putf(c, row, 0, COLOR_NONE, "%s of work%s; newest entry %s ago; %s%s",
	     work, gpu, newest, *spent ? "spent " : "no model was asked",
	     spent);
}

static const struct attempt *in_flight(size_t *n, const struct population *p)
{
	const struct attempt *newest = NULL;

	*n = 0;
	for (size_t i = p->settled; i < p->n; i++) {
		if (p->attempt[i].measurement)
			continue;
		newest = &p->attempt[i];
		(*n)++;
	}
	return newest;
}

/* What the process said, else what the journal tells. */
static void put_now(struct canvas *c, size_t row, const struct view *v)
{
	size_t n;
	const struct attempt *a = in_flight(&n, v->p);
	double since = (double)(v->now_us - v->doing->since_us) / 1e6;
	cleanup_free char *span = clock_format_span(floor(MAX(0, since)));

	if (v->pid && v->doing->text)
		putf(c, row, 0, COLOR_GOOD, "now, for %s: %s", span,
		     v->doing->text);
	else if (a && n > 1)
		putf(c, row, 0, COLOR_NONE,
		     "not measured: %zu attempts, the newest #%lld: %s", n,
		     (long long)a->number, a->subject ? a->subject : "");
	else if (a)
		putf(c, row, 0, COLOR_NONE, "not measured: #%lld: %s",
		     (long long)a->number, a->subject ? a->subject : "");
	else
		putf(c, row, 0, COLOR_FAINT, "nothing is under way");
}

static void put_said(struct canvas *c, size_t row, const struct population *p)
{
	const struct saying *w;

	if (!p->n_sayings)
		return;
	w = &p->sayings[p->n_sayings - 1];
	putf(c, row, 0, COLOR_FAINT, "%s after #%zu: %s", report_said_by(w),
	     w->attempts ? w->attempts - 1 : 0,
	     w->reason	    ? w->reason
	     : w->direction ? w->direction
			    : "");
}

/* ---- the tree ------------------------------------------------------------ */

/* "#0 > #3 1.520x > #17 2.100x", its end where there is no room for all. */
static void put_line(struct canvas *c, size_t row, const struct population *p)
{
	cleanup_strvec struct strvec steps = STRVEC_INIT;
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	const struct attempt *a = &p->attempt[p->champion];
	size_t width = strlen("champion's line: ... ");
	size_t first;

	while (a && steps.n < STEPS_MAX) {
		char ratio[32];

		report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
		strvec_pushf(&steps, "#%lld %s", (long long)a->number, ratio);
		a = a->number ? population_find(p, a->parent.hex) : NULL;
	}
	for (first = 0; first < steps.n; first++) {
		width += strlen(steps.v[first]) + strlen(" > ");
		if (width > c->cols && first)
			break;
	}
	buf_addf(&line, "champion's line: %s",
		 first < steps.n || a ? "... > " : "");
	for (size_t i = first; i-- > 0;)
		buf_addf(&line, "%s%s", steps.v[i], i ? " > " : "");
	putf(c, row, 0, COLOR_WARN, "%s", line.data);
}

static void put_attempt(struct canvas *c, size_t row, const char *cells,
			size_t width, const struct population *p,
			const struct attempt *a)
{
	const struct measurement *m = a->measurement;
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	enum color color = report_mark_color(report_mark(p, a));
	char ratio[32];
	size_t col;

	report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
	putf(c, row, 0, color, "%s", cells);
	col = putf(c, row, width + 1, COLOR_NONE, "#%-5lld %8s  ",
		   (long long)a->number, ratio);
	col = putf(c, row, col, color, "%-13s  ", attempt_outcome_name(p, a));
	if (m && m->verdict != VERDICT_PASS)
		buf_adds(&why, m->why ? m->why : verdict_line(m->verdict));
	else if (outcome_has_reason(attempt_outcome(p, a)))
		attempt_reason_add(&why, p, a);
	putf(c, row, col, COLOR_NONE, "%s%s%s", a->subject ? a->subject : "",
	     why.len ? ": " : "", why.len ? why.data : "");
}

/* The lines between two attempts are left out: an attempt has more to tell. */
static void put_tree(struct canvas *c, size_t row, size_t rows,
		     const struct population *p)
{
	cleanup_strvec struct strvec cells = STRVEC_INIT;
	cleanup_graph struct graph g;
	size_t width = 0;

	graph_init(&g, p);
	for (size_t i = p->n; i-- > 0 && cells.n < rows;) {
		cleanup_buf struct buf above = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_buf struct buf own = BUF_INIT(BUF_LIMIT_TEXT);

		graph_row(&above, &own, &g, i, report_mark(p, &p->attempt[i]));
		width = MAX(width, own.len);
		strvec_push(&cells, own.data);
	}
	width = MIN(width, c->cols / 3);
	for (size_t i = 0; i < cells.n; i++)
		put_attempt(c, row + i, cells.v[i], width, p,
			    &p->attempt[p->n - 1 - i]);
}

/* ---- all of it ----------------------------------------------------------- */

/* Returns the row after it. */
static size_t put_plot(struct canvas *c, size_t row, const struct view *v)
{
	size_t left = c->rows - row;
	size_t rows = MIN(MAX(left * 2 / 5, PLOT_LEAST), PLOT_MOST);

	if (c->rows < PLOT_FROM)
		return row;
	trajectory_draw(c, row, rows, v->p);
	return row + rows;
}

static void draw_run(struct canvas *c, const struct view *v)
{
	size_t row = 1, foot = c->rows - 1;

	put_champion(c, row++, v->p);
	put_machine(c, row++, v);
	put_spent(c, row++, v);
	if (!v->p->stop_reason || v->pid)
		put_now(c, row++, v);
	put_said(c, row, v->p);
	row += v->p->n_sayings > 0;
	row = put_plot(c, row, v);
	if (v->p->champion)
		put_line(c, row++, v->p);
	if (row < foot)
		put_tree(c, row, foot - row, v->p);
	putf(c, foot, 0, COLOR_FAINT,
	     "q quits; avogit show '%s#N' has all of attempt N", v->run);
}

void view_draw(struct canvas *c, const struct view *v)
{
	size_t col;

	if (!c->rows || !c->cols)
		return;
	if (!v->run) {
		putf(c, 0, 0, COLOR_BOLD, "%s", v->waiting);
		putf(c, c->rows - 1, 0, COLOR_FAINT, "q quits");
		return;
	}
	col = putf(c, 0, 0, COLOR_BOLD, "%s  ", v->run);
	put_state(c, 0, col, v);
	if (v->p->n)
		draw_run(c, v);
	else
		putf(c, c->rows - 1, 0, COLOR_FAINT, "q quits");
}
