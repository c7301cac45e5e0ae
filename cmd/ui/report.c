#include "cmd/ui/report.h"

#include <math.h>

#include "cmd/ui/out.h"
#include "core/base/demangle.h"
#include "core/run/outcome.h"

/* Formats "1.234 ms"; "-" for 0. */
static void format_time(char *out, size_t size, double seconds)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
	size_t i = 0;

	if (!(seconds > 0)) {
		snprintf(out, size, "-");
		return;
	}
	while (i + 1 < ARRAY_SIZE(units) && seconds < units[i].unit)
		i++;
	snprintf(out, size, "%.4g %s", seconds / units[i].unit, units[i].name);
}

void report_format_ratio(char *out, size_t size, double ratio)
{
	if (!(ratio > 0))
		snprintf(out, size, "-");
	else
		snprintf(out, size, ratio < 10 ? "%.3fx" : "%.1fx", ratio);
}

/* Empty if unknown; a column of empty cells is not shown. */
static void format_share(char *out, size_t size, double share)
{
	*out = '\0';
	if (share > 0)
		snprintf(out, size, share < 0.1 ? "%.1f %%" : "%.0f %%",
			 100 * share);
}

enum color report_decision_color(enum decision told)
{
	if (told == DECISION_FASTER)
		return COLOR_GOOD;
	return told == DECISION_SLOWER ? COLOR_BAD : COLOR_NONE;
}

void report_headline(struct buf *out, const struct measurement *m)
{
	char rate[RATE_TEXT], noise[32];

	if (m->verdict != VERDICT_PASS) {
		buf_addf(out, "%s: ", verdict_name(m->verdict));
		out_clean_line(out, m->why ? m->why : verdict_line(m->verdict));
		return;
	}
	measurement_format(rate, sizeof rate, m, m->score);
	buf_addf(out, "pass, %s", rate);
	measurement_format_percent(noise, sizeof noise, m->noise);
	if (m->noise > 0)
		buf_addf(out, ", noise %s", noise);
}

/* Formats "vs start", "vs openblas" or "vs 1a2b3c4d5e". */
static void rival_title(char *out, size_t size, const struct comparison *c)
{
	if (c->rival == RIVAL_BASELINE)
		snprintf(out, size, "vs %s", c->name);
	else if (c->rival == RIVAL_INCUMBENT)
		snprintf(out, size, "vs %.10s", c->name);
	else
		snprintf(out, size, "vs %s", rival_name(c->rival));
}

/* "case", "time", "of it fixed", "taken off", "rate", "of card" and "error". */
#define FIXED_COLUMNS 7

static bool has_case_ratios(const struct comparison *c)
{
	for (size_t i = 0; i < c->n_cases; i++)
		if (c->case_ratio[i] > 0)
			return true;
	return false;
}

/* The columns of a table of cases or of kernels: the name, the figures that it
 * has one of (columns.h), and what it is compared with. */
struct columns {
	const struct comparison *at[TABLE_MAX_COLUMNS - FIXED_COLUMNS];
	size_t n;
};

/* Only comparisons with ratios of cases get a column; scores quoted in a note
 * have only the ratio of the whole. */
static void find_columns(struct columns *out, const struct measurement *m)
{
	out->n = 0;
	for (size_t i = 0; i < m->n_comparisons; i++)
		if (out->n < ARRAY_SIZE(out->at) &&
		    has_case_ratios(&m->comparisons[i]))
			out->at[out->n++] = &m->comparisons[i];
}

/* In class isolated, part of the time is not the kernel's. */
static bool shows_overhead(const struct measurement *m)
{
	for (size_t i = 0; i < m->n_cases; i++)
		if (m->cases[i].overhead > 0)
			return true;
	return false;
}

/* On the CPU it is measured and taken off. */
static bool shows_fixed(const struct measurement *m)
{
	for (size_t i = 0; i < m->n_cases; i++)
		if (m->cases[i].fixed > 0)
			return true;
	return false;
}

static void add_fixed(struct table *t, const struct case_result *c)
{
	char text[32], error[32];

	format_time(text, sizeof text, c->fixed);
	measurement_format_percent(error, sizeof error,
				   c->fixed_error / c->seconds);
	if (c->fixed > 0)
		table_add(t, COLOR_NONE, "%s +- %s", text, error);
	else
		table_add(t, COLOR_NONE, "-");
}

static void add_case(struct table *t, const struct measurement *m,
		     const struct columns *columns, size_t at)
{
	const struct case_result *c = &m->cases[at];
	char text[32];

	table_add(t, COLOR_NONE, "%s", c->name);
	format_time(text, sizeof text, c->seconds);
	table_add(t, COLOR_NONE, "%s", text);
	format_time(text, sizeof text, c->overhead);
	if (shows_overhead(m))
		table_add(t, COLOR_NONE, "%s", text);
	if (shows_fixed(m))
		add_fixed(t, c);
	measurement_format(text, sizeof text, m, c->rate);
	table_add(t, COLOR_BOLD, "%s", c->rate > 0 ? text : "-");
	format_share(text, sizeof text, c->ceiling);
	table_add(t, COLOR_NONE, "%s", text);
	table_add(t, c->error > 1 ? COLOR_BAD : COLOR_NONE, "%.2g", c->error);
	for (size_t i = 0; i < columns->n; i++) {
		const struct comparison *k = columns->at[i];

		report_format_ratio(text, sizeof text,
				    at < k->n_cases ? k->case_ratio[at] : NAN);
		table_add(t, COLOR_NONE, "%s", text);
	}
}

static bool knows_ceiling(const struct measurement *m)
{
	for (size_t i = 0; i < m->n_cases; i++)
		if (m->cases[i].ceiling > 0)
			return true;
	return false;
}

static void print_cases(const struct measurement *m, const struct palette *p)
{
	cleanup_table struct table t = {0};
	bool overhead = shows_overhead(m), fixed = shows_fixed(m);
	struct columns columns;
	char align[TABLE_MAX_COLUMNS + 1] = "lrrrrrrrrrrr";
	char title[64];

	if (!m->n_cases)
		return;
	find_columns(&columns, m);
	align[FIXED_COLUMNS - (overhead ? 0U : 1U) - (fixed ? 0U : 1U) +
	      columns.n] = '\0';
	table_init(&t, align);
	t.indent = "  ";
	table_add(&t, COLOR_FAINT, "case");
	table_add(&t, COLOR_FAINT, "time");
	if (overhead)
		table_add(&t, COLOR_FAINT, "of it fixed");
	if (fixed)
		table_add(&t, COLOR_FAINT, "taken off");
	table_add(&t, COLOR_FAINT, "rate");
	table_add(&t, COLOR_FAINT, "%s", knows_ceiling(m) ? "of card" : "");
	table_add(&t, COLOR_FAINT, "error");
	for (size_t i = 0; i < columns.n; i++) {
		rival_title(title, sizeof title, columns.at[i]);
		table_add(&t, COLOR_FAINT, "%s", title);
	}
	for (size_t i = 0; i < m->n_cases; i++)
		add_case(&t, m, &columns, i);
	table_print(&t, p);
}

static void add_comparison(struct table *t, const struct comparison *c)
{
	char ratio[32], lo[32], hi[32], title[64];

	rival_title(title, sizeof title, c);
	report_format_ratio(ratio, sizeof ratio, c->ratio);
	report_format_ratio(lo, sizeof lo, c->ratio95.lo);
	report_format_ratio(hi, sizeof hi, c->ratio95.hi);
	table_add(t, COLOR_NONE, "%s", title);
	table_add(t, report_decision_color(c->decision), "%s%s",
		  c->at_least ? "at least " : "", ratio);
	if (isfinite(c->ratio95.hi))
		table_add(t, COLOR_FAINT, "[%s, %s]", lo, hi);
	else
		table_add(t, COLOR_FAINT, "[too few blocks]");
	table_add(t, report_decision_color(c->decision), "%s",
		  isfinite(c->ratio95.hi)
			  ? decision_name(c->decision, c->ratio95)
			  : "not known");
	table_add(t, COLOR_FAINT, "%zu block%s%s", c->blocks,
		  c->blocks == 1 ? "" : "s", c->confirmed ? ", confirmed" : "");
}

static void report_steadiness(const struct measurement *m,
			      const struct palette *p)
{
	const char *why = measurement_get(m, "unsteady");
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	if (!why)
		return;
	out_clean_line(&line, why);
	printf("  %sthe machine was not steady: %s%s\n",
	       color_begin(p, COLOR_WARN), line.data, color_end(p, COLOR_WARN));
}

static void report_fixed(const struct measurement *m, const struct palette *p)
{
	const char *what = measurement_get(m, "fixed");
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	if (!what)
		return;
	out_clean_line(&line, what);
	printf("  %s%s%s\n", color_begin(p, COLOR_WARN), line.data,
	       color_end(p, COLOR_WARN));
}

static void report_sanitizers(const struct measurement *m,
			      const struct palette *p)
{
	const char *clean = measurement_get(m, "sanitized");
	const char *why = measurement_get(m, "unsanitized");
	const char *warnings = measurement_get(m, "sanitizer_warnings");
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	if (!clean && !why)
		return;
	out_clean_line(&line, clean ? clean : why);
	printf("  %s%s: %s%s\n",
	       color_begin(p, clean ? COLOR_FAINT : COLOR_WARN),
	       clean ? "nothing found by" : "not sanitized", line.data,
	       color_end(p, clean ? COLOR_FAINT : COLOR_WARN));
	if (!warnings)
		return;
	buf_clear(&line);
	out_clean_line(&line, warnings);
	printf("  %swarnings of racecheck: %s%s\n", color_begin(p, COLOR_WARN),
	       line.data, color_end(p, COLOR_WARN));
}

void report_cases(const struct measurement *m, const struct palette *p)
{
	cleanup_table struct table t = {0};

	print_cases(m, p);
	table_init(&t, "lrlll");
	t.indent = "  ";
	for (size_t i = 0; i < m->n_comparisons; i++)
		add_comparison(&t, &m->comparisons[i]);
	if (t.n)
		putchar('\n');
	table_print(&t, p);
	report_fixed(m, p);
	report_steadiness(m, p);
	report_sanitizers(m, p);
}

#define KERNEL_NAME_SHOWN 60

static void add_kernel(struct table *t, const struct kernel_resources *k)
{
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);
	bool spills = k->spill_stores || k->spill_loads;
	cleanup_free char *plain = demangle(k->name);

	out_clean_line(&name, plain);
	table_add(t, COLOR_NONE, "%.*s%s", KERNEL_NAME_SHOWN, name.data,
		  name.len > KERNEL_NAME_SHOWN ? "..." : "");
	table_add(t, COLOR_BOLD, "%jd", (intmax_t)k->registers);
	table_add(t, spills ? COLOR_WARN : COLOR_NONE, "%jd/%jd",
		  (intmax_t)k->spill_stores, (intmax_t)k->spill_loads);
	table_add(t, COLOR_NONE, "%jd", (intmax_t)k->stack);
	table_add(t, COLOR_NONE, "%jd", (intmax_t)k->shared);
	table_add(t, COLOR_NONE, "%jd", (intmax_t)k->barriers);
	table_add(t, COLOR_NONE, "%jd", (intmax_t)k->constant);
}

static void print_warnings(const struct resources *r, const struct palette *p)
{
	for (size_t i = 0; i < r->n; i++)
		for (size_t w = 0; w < r->kernel[i].warnings.n; w++) {
			cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

			out_clean_line(&line, r->kernel[i].warnings.v[w]);
			printf("  %s%s%s\n", color_begin(p, COLOR_WARN),
			       line.data, color_end(p, COLOR_WARN));
		}
}

void report_resources(const struct measurement *m, const struct palette *p)
{
	static const char *const titles[] = {"kernel",	"registers", "spills",
					     "stack",	"shared",    "barriers",
					     "constant"};
	cleanup_table struct table t = {0};

	if (!m->resources.n)
		return;
	table_init(&t, "lrrrrrr");
	t.indent = "  ";
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_add(&t, COLOR_FAINT, "%s", titles[i]);
	for (size_t i = 0; i < m->resources.n; i++)
		add_kernel(&t, &m->resources.kernel[i]);
	if (m->n_cases)
		putchar('\n');
	table_print(&t, p);
	print_warnings(&m->resources, p);
}

void report_log(const struct measurement *m)
{
	if (m->log)
		out_text("  ", m->log);
}

void report_environment(const struct measurement *m, const struct palette *p)
{
	cleanup_table struct table t = {0};

	table_init(&t, "ll");
	t.indent = "  ";
	for (size_t i = 0; i < m->n_environment; i++) {
		table_add(&t, COLOR_FAINT, "%s", m->environment[i].key);
		table_add(&t, COLOR_NONE, "%s", m->environment[i].value);
	}
	table_print(&t, p);
}

/* ---- attempts ----------------------------------------------------------- */

char report_mark(const struct population *p, const struct attempt *a)
{
	switch (attempt_outcome(p, a)) {
	case OUTCOME_CHAMPION:
		return '*';
	case OUTCOME_START:
	case OUTCOME_KEPT:
		return 'o';
	case OUTCOME_IN_FLIGHT:
		return '?';
	case OUTCOME_FAILED:
		return 'x';
	default:
		return '.';
	}
}

enum color report_mark_color(char mark)
{
	switch (mark) {
	case '*':
		return COLOR_WARN;
	case 'o':
		return COLOR_GOOD;
	case 'x':
		return COLOR_BAD;
	default:
		return COLOR_FAINT;
	}
}
