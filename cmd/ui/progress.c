#include "cmd/ui/progress.h"

#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "cmd/ui/stop.h"
#include "cmd/ui/terminal.h"
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

static void clear_status(const struct progress *p)
{
	if (p->live)
		fputs("\r\033[K", stdout);
}

/* Cuts the line at the terminal's edge: a wrapped one cannot be rewritten. */
static void put_status(struct progress *p, const char *text)
{
	size_t width = terminal_width(), room = width ? width - 1 : 79;
	size_t len = strlen(text);

	while (text_width(text) > room && len > 0) {
		cleanup_free char *cut = xstrndup(text, --len);

		if (text_width(cut) <= room) {
			printf("\r\033[K%s", cut);
			flush(p);
			return;
		}
	}
	printf("\r\033[K%s", text);
	flush(p);
}

static void show_status(struct progress *p, const struct population *pop,
			const struct attempt *a)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *span =
		clock_format_span(clock_run_seconds() - p->began);
	const struct attempt *champion = &pop->attempt[pop->champion];
	char ratio[32];

	if (!p->live)
		return;
	report_format_ratio(ratio, sizeof ratio, attempt_speedup(champion));
	buf_addf(&line, "%s, ", span);
	if (pop->champion)
		buf_addf(&line, "champion #%lld %s, ",
			 (long long)champion->number, ratio);
	if (p->spent)
		buf_addf(&line, "%s, ", p->spent);
	buf_addf(&line, "scoring #%lld ", (long long)a->number);
	out_clean_line(&line, a->subject ? a->subject : "");
	put_status(p, line.data);
}

/* Shows what an operator is waiting for. */
static void show_working(struct progress *p, const char *text)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *span =
		clock_format_span(clock_run_seconds() - p->began);

	if (!p->live)
		return;
	buf_addf(&line, "%s, ", span);
	if (p->spent)
		buf_addf(&line, "%s, ", p->spent);
	out_clean_line(&line, text ? text : "");
	put_status(p, line.data);
}

static void keep_spent(struct progress *p, const char *text)
{
	free(p->spent);
	p->spent = text && *text ? xstrdup(text) : NULL;
}

static void format_figures(struct buf *line, const struct attempt *a)
{
	const struct measurement *m = a->measurement;
	char ratio[32], rate[RATE_TEXT] = "-";

	report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
	if (m && m->verdict == VERDICT_PASS)
		measurement_format(rate, sizeof rate, m, m->score);
	buf_addf(line, "%8s  %*s", ratio, report_rate_width(m), rate);
}

/* Adds why the attempt failed, or why it was faster and still not kept. */
static void add_reason(struct buf *line, const struct population *pop,
		       const struct attempt *a)
{
	enum attempt_outcome outcome = attempt_outcome(pop, a);
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	if (outcome == OUTCOME_FAILED && a->measurement->why)
		buf_adds(&why, a->measurement->why);
	else if (outcome_is_doubt(outcome))
		attempt_outcome_explain(&why, pop, a);
	if (!why.len)
		return;
	buf_adds(line, ": ");
	out_clean_line(line, why.data);
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
	clear_status(p);
	puts(line.data);
	flush(p);
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

static void print_line(struct progress *p, const char *label, const char *text)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&line, text ? text : "");
	clear_status(p);
	printf("%s%s: %s%s\n", color_begin(p->palette, COLOR_FAINT), label,
	       line.data, color_end(p->palette, COLOR_FAINT));
	flush(p);
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

static void on_event(struct evolve_listener *self, enum evolve_event event,
		     const struct population *pop, const struct attempt *a,
		     const char *text)
{
	struct progress *p = (struct progress *)self;

	if (event == EVOLVE_MEASURED && a->accepted && a->number) {
		p->waiting = a->number;
		return;
	}
	print_waiting(p, pop);
	switch (event) {
	case EVOLVE_SCORING:
		show_status(p, pop, a);
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
		show_working(p, text);
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

void progress_release(struct progress *p)
{
	keep_spent(p, NULL);
}

void progress_init(struct progress *p, const struct palette *palette, bool live)
{
	*p = (struct progress){
		.listener = {.on_event = on_event},
		.palette = palette,
		.live = live,
		.began = clock_run_seconds(),
		.waiting = -1,
	};
}
