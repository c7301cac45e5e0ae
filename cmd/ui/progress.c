#include "cmd/ui/progress.h"

#include "cmd/ui/bars.h"
#include "cmd/ui/live.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "cmd/ui/stop.h"
#include "core/base/clock.h"
#include "core/run/outcome.h"

static void flush(struct progress *p)
{
	/* The reader closed the pipe (`avogit evolve | head`): stop the run,
	 * because the user cannot see it. */
	if (fflush(stdout) && !p->closed) {
		p->closed = true;
		stop_request();
	}
}

/* ---- the foot of the terminal -------------------------------------------- */

/* "1m 20s, 12 attempts, champion #7 3.21x, $0.12" */
static void add_status(struct buf *out, const struct progress *p, size_t width)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *span =
		clock_format_span(clock_run_seconds() - p->began);

	buf_adds(&line, span);
	if (p->standing)
		buf_addf(&line, ", %s", p->standing);
	if (p->spent)
		buf_addf(&line, ", %s", p->spent);
	bars_add_text(out, line.data, p->palette, COLOR_FAINT, width);
}

static void draw(void *arg, struct buf *out, size_t width)
{
	const struct progress *p = arg;
	bool any = false;

	add_status(out, p, width);
	if (p->doing)
		bars_add_text(out, p->doing, p->palette, COLOR_NONE, width);
	for (size_t i = 0; i < p->n_stages; i++) {
		const struct stage_view v = stage_look(&p->stage[i]);

		any |= v.kind != STAGE_NONE;
		bars_add(out, &v, p->palette, width);
	}
	if (!any) {
		const struct stage_view v = stage_look(&p->thinking);

		bars_add(out, &v, p->palette, width);
	}
}

/* What is known of the run, and what begins now. */
static void keep_standing(struct progress *p, const struct population *pop)
{
	const struct attempt *champion = &pop->attempt[pop->champion];
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	char ratio[32];

	if (!pop->n)
		return;
	buf_addf(&b, "%zu attempt%s", pop->n - 1, pop->n == 2 ? "" : "s");
	if (pop->champion) {
		report_format_ratio(ratio, sizeof ratio,
				    attempt_speedup(champion));
		buf_addf(&b, ", champion #%lld %s", (long long)champion->number,
			 ratio);
	}
	free(p->standing);
	p->standing = buf_take(&b);
}

static void keep_doing(struct progress *p, char *text, enum stage_kind kind)
{
	free(p->doing);
	p->doing = text;
	stage_begin(&p->thinking, kind);
}

static void show_scoring(struct progress *p, const struct attempt *a)
{
	keep_doing(p,
		   xasprintf("scoring #%lld %s", (long long)a->number,
			     a->subject ? a->subject : ""),
		   STAGE_NONE);
}

static void keep_spent(struct progress *p, const char *text)
{
	free(p->spent);
	p->spent = text && *text ? xstrdup(text) : NULL;
}

static void format_figures(struct buf *line, const struct attempt *a)
{
	const struct measurement *m = a->measurement;
	char ratio[32], rate[RATE_TEXT + 1] = "-";

	report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
	report_format_rate(rate, sizeof rate, m);
	buf_addf(line, "%8s  %*s", ratio, report_rate_width(m), rate);
}

/* Adds why the attempt failed, or why it was faster and still not kept, or slower
 * and not found so. */
static void add_reason(struct buf *line, const struct population *pop,
		       const struct attempt *a)
{
	enum attempt_outcome outcome = attempt_outcome(pop, a);
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	if (outcome == OUTCOME_FAILED && a->measurement->why)
		buf_adds(&why, a->measurement->why);
	else if (outcome_has_reason(outcome))
		attempt_outcome_explain(&why, pop, a);
	if (!why.len)
		return;
	buf_adds(line, ": ");
	out_clean_line(line, why.data);
}

static void print_line(struct progress *p, const char *label, const char *text)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&line, text ? text : "");
	live_clear();
	printf("%s%s: %s%s\n", color_begin(p->palette, COLOR_FAINT), label,
	       line.data, color_end(p->palette, COLOR_FAINT));
	flush(p);
}

static void print_attempt(struct progress *p, const struct population *pop,
			  const struct attempt *a)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	char mark = report_mark(pop, a);
	enum color color = report_mark_color(mark);

	buf_addf(&line, "%s%c #%-4lld%s ", color_begin(p->palette, color), mark,
		 (long long)a->number, color_end(p->palette, color));
	format_figures(&line, a);
	buf_addf(&line, "  %s%-13s%s  ", color_begin(p->palette, color),
		 attempt_outcome_name(pop, a), color_end(p->palette, color));
	out_clean_line(&line, a->subject ? a->subject : "");
	add_reason(&line, pop, a);
	live_clear();
	puts(line.data);
	flush(p);
	/* What follows would be a search for nothing. */
	if (a->number == 0 && a->measurement &&
	    measurement_get(a->measurement, DOUBT_KEY))
		print_line(p, "scorer",
			   measurement_get(a->measurement, DOUBT_KEY));
}

/* Prints a kept attempt late, because the next event may crown it. */
static void print_waiting(struct progress *p, const struct population *pop)
{
	int64_t number = p->waiting;

	p->waiting = -1;
	for (size_t i = pop->n; number >= 0 && i-- > 0;) {
		if (pop->attempt[i].number == number) {
			print_attempt(p, pop, &pop->attempt[i]);
			return;
		}
	}
}

/* Where more than one role asked a model, the sum of each. */
static void print_spent(struct progress *p, const struct population *pop)
{
	struct spend by_role[ROLE_COUNT];
	size_t n = population_role_spend(by_role, pop);

	print_line(p, "spent", p->spent);
	for (enum role i = ROLE_PLANNER; i < ROLE_COUNT && n > 1; i++) {
		cleanup_free char *text = spend_format(&by_role[i]);
		cleanup_free char *label =
			xasprintf("spent by the %s", role_name(i));

		if (*text)
			print_line(p, label, text);
	}
}

/* Prints the journal's word for the reason of the stop, and its meaning. */
static void print_stop(struct progress *p, const struct population *pop,
		       const char *reason)
{
	static const char *const meaning[][2] = {
		{"attempts", "as many as were asked for"},
		{"time", "it is up"},
		{"steps", "the model had all its replies"},
		{"tokens", "the run took as many as it may"},
		{"money", "the run cost as much as it may"},
		{"gpu-time", "the run used a GPU for as long as it may"},
		{"exhausted", "nothing is left to try"},
		{"interrupted", "it goes on with the same command"},
	};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&text, reason);
	for (size_t i = 0; i < ARRAY_SIZE(meaning); i++)
		if (str_eq(reason, meaning[i][0]))
			buf_addf(&text, ", %s", meaning[i][1]);
	if (p->spent)
		print_spent(p, pop);
	print_line(p, "stopped", text.data);
}

static void show_event(struct progress *p, enum evolve_event event,
		       const struct population *pop, const struct attempt *a,
		       const char *text)
{
	if (event == EVOLVE_MEASURED && a->accepted && a->number) {
		p->waiting = a->number;
		return;
	}
	print_waiting(p, pop);
	keep_standing(p, pop);
	switch (event) {
	case EVOLVE_SCORING:
		show_scoring(p, a);
		break;
	case EVOLVE_MEASURED:
	case EVOLVE_PROPOSED:
		print_attempt(p, pop, a);
		break;
	case EVOLVE_INTERVENED:
		print_line(p, "supervisor", text);
		break;
	case EVOLVE_MIGRATED:
		print_line(p, "islands", text);
		break;
	case EVOLVE_REMARKED:
		print_line(p, a ? "scorer" : "operator", text);
		break;
	case EVOLVE_WORKING:
		keep_doing(p, xstrdup(text ? text : ""), STAGE_THINK);
		break;
	case EVOLVE_NOTICED:
		print_line(p, "operator", text);
		break;
	case EVOLVE_WAITING:
		print_line(p, "waiting", text);
		break;
	case EVOLVE_SPENT:
		keep_spent(p, text);
		break;
	case EVOLVE_STOPPED:
		print_stop(p, pop, text ? text : "");
		break;
	case EVOLVE_STARTED:
	case EVOLVE_CROWNED:
		break;
	}
}

static void on_event(struct evolve_listener *self, enum evolve_event event,
		     const struct population *pop, const struct attempt *a,
		     const char *text)
{
	struct progress *p = (struct progress *)self;

	live_hold();
	if (event == EVOLVE_MEASURED)
		keep_doing(p, xstrdup("choosing what to try next"),
			   STAGE_THINK);
	show_event(p, event, pop, a, text);
	live_go_on();
}

void progress_release(struct progress *p)
{
	live_end();
	keep_spent(p, NULL);
	free(p->standing);
	free(p->doing);
	p->standing = p->doing = NULL;
}

void progress_show(struct progress *p, const struct work_stage *stage, size_t n)
{
	p->stage = stage;
	p->n_stages = n;
	keep_doing(p, xstrdup("checking the task"), STAGE_NONE);
	live_begin(draw, p);
}

void progress_init(struct progress *p, const struct palette *palette)
{
	*p = (struct progress){
		.listener = {.on_event = on_event},
		.palette = palette,
		.began = clock_run_seconds(),
		.waiting = -1,
	};
}
