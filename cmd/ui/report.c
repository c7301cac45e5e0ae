#include "cmd/ui/report.h"

#include <math.h>

#include "cmd/ui/checked.h"
#include "cmd/ui/out.h"
#include "core/base/demangle.h"
#include "core/run/branching.h"
#include "core/run/islands.h"
#include "core/run/outcome.h"
#include "core/score/columns.h"

/* Of a rate, as a share; `doctor` calls so much too much. */
#define NOISY 0.01

void report_format_ratio(char *out, size_t size, double ratio)
{
	if (!(ratio > 0))
		snprintf(out, size, "-");
	else
		snprintf(out, size, ratio < 10 ? "%.3fx" : "%.1fx", ratio);
}

static enum color decision_color(enum decision d)
{
	if (d == DECISION_FASTER)
		return COLOR_GOOD;
	return d == DECISION_SLOWER ? COLOR_BAD : COLOR_NONE;
}

int report_rate_width(const struct measurement *m)
{
	return m && m->trust == TRUST_REPORTED ? 21 : 12;
}

void report_format_rate(char *out, size_t size, const struct measurement *m)
{
	char rate[RATE_TEXT];

	if (!m || m->verdict != VERDICT_PASS)
		return;
	measurement_format(rate, sizeof rate, m, m->score);
	snprintf(out, size, "%s%s", rate,
		 measurement_get(m, DOUBT_KEY) ? "?" : "");
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
	buf_addf(out, "pass, %s%s", rate,
		 measurement_get(m, DOUBT_KEY) ? " (says little)" : "");
	measurement_format_percent(noise, sizeof noise, m->noise);
	if (m->noise > 0)
		buf_addf(out, ", noise %s", noise);
}

bool report_is_noisy(const struct measurement *m)
{
	return m->noise > NOISY || measurement_get(m, "unsteady");
}

void report_against(const struct palette *p, const struct comparison *c,
		    const char *against, const char *how)
{
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);
	char ratio[32], lo[32], hi[32];
	enum color color = decision_color(c->decision);

	report_format_ratio(ratio, sizeof ratio, c->ratio);
	report_format_ratio(lo, sizeof lo, c->ratio95.lo);
	report_format_ratio(hi, sizeof hi, c->ratio95.hi);
	out_clean_line(&name, against);
	printf("  %s%s%s%s the speed of %s [%s, %s]%s\n",
	       c->at_least ? "at least " : "", color_begin(p, color), ratio,
	       color_end(p, color), name.data, lo, hi, how);
}

/* Formats "vs start", "vs openblas" or "vs 1a2b3c4d5e". */
static void rival_title(char *out, size_t size, const struct comparison *c,
			const char *start)
{
	if (c->rival != RIVAL_BASELINE && start && str_eq(c->name, start))
		snprintf(out, size, "vs %s", rival_name(RIVAL_START));
	else if (c->rival == RIVAL_BASELINE)
		snprintf(out, size, "vs %s", c->name);
	else if (c->rival == RIVAL_INCUMBENT)
		snprintf(out, size, "vs %.10s", c->name);
	else
		snprintf(out, size, "vs %s", rival_name(c->rival));
}

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
	const struct field *figure[COLUMNS_MAX];
	const char *start; /* as in report_cases */
	const struct comparison *rival[TABLE_MAX_COLUMNS];
	size_t n_figures, n_rivals;
};

/* Only comparisons with ratios of cases get a column; scores quoted in a note
 * have only the ratio of the whole. */
static void find_rivals(struct columns *c, const struct measurement *m)
{
	size_t most = TABLE_MAX_COLUMNS - 1 - c->n_figures;

	for (size_t i = 0; i < m->n_comparisons; i++)
		if (c->n_rivals < most && has_case_ratios(&m->comparisons[i]))
			c->rival[c->n_rivals++] = &m->comparisons[i];
}

static void begin_table(struct table *t, struct columns *c,
			const struct measurement *m, enum record r)
{
	char align[TABLE_MAX_COLUMNS + 1] = "lrrrrrrrrrrr", title[64];

	c->n_figures = columns_of(c->figure, m, r);
	if (r == RECORD_CASE)
		find_rivals(c, m);
	align[1 + c->n_figures + c->n_rivals] = '\0';
	table_init(t, align);
	t->indent = "  ";
	table_add(t, COLOR_FAINT, r == RECORD_CASE ? "case" : "kernel");
	for (size_t i = 0; i < c->n_figures; i++)
		table_add(t, COLOR_FAINT, "%s", c->figure[i]->title);
	for (size_t i = 0; i < c->n_rivals; i++) {
		rival_title(title, sizeof title, c->rival[i], c->start);
		table_add(t, COLOR_FAINT, "%s", title);
	}
}

static void add_figures(struct table *t, const struct columns *c,
			const struct measurement *m, enum record r, size_t at)
{
	static const enum color colors[] = {[EMPHASIS_STRONG] = COLOR_BOLD,
					    [EMPHASIS_WARN] = COLOR_WARN,
					    [EMPHASIS_BAD] = COLOR_BAD};

	for (size_t i = 0; i < c->n_figures; i++) {
		cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
		enum emphasis e = column_cell(&text, c->figure[i], m, r, at);

		table_add(t, colors[e], "%s", text.data);
	}
}

static void print_cases(const struct measurement *m, const struct palette *p,
			const char *start)
{
	cleanup_table struct table t = {0};
	struct columns columns = {.start = start};
	char ratio[64];

	if (!m->n_cases)
		return;
	begin_table(&t, &columns, m, RECORD_CASE);
	for (size_t at = 0; at < m->n_cases; at++) {
		table_add(&t, COLOR_NONE, "%s", m->cases[at].name);
		add_figures(&t, &columns, m, RECORD_CASE, at);
		for (size_t i = 0; i < columns.n_rivals; i++) {
			const struct comparison *k = columns.rival[i];

			report_format_ratio(ratio, sizeof ratio,
					    at < k->n_cases ? k->case_ratio[at]
							    : NAN);
			table_add(&t, COLOR_NONE, "%s", ratio);
		}
	}
	table_print(&t, p);
}

static void add_comparison(struct table *t, const struct measurement *m,
			   const struct comparison *c, const char *start)
{
	char ratio[32], lo[32], hi[32], title[64];

	rival_title(title, sizeof title, c, start);
	report_format_ratio(ratio, sizeof ratio, c->ratio);
	report_format_ratio(lo, sizeof lo, c->ratio95.lo);
	report_format_ratio(hi, sizeof hi, c->ratio95.hi);
	table_add(t, COLOR_NONE, "%s", title);
	table_add(t, decision_color(c->decision), "%s%s",
		  c->at_least ? "at least " : "", ratio);
	if (isfinite(c->ratio95.hi))
		table_add(t, COLOR_FAINT, "[%s, %s]", lo, hi);
	else
		table_add(t, COLOR_FAINT, "[too few blocks]");
	table_add(t, decision_color(c->decision), "%s",
		  isfinite(c->ratio95.hi) ? measurement_told(m, c)
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

static void report_warning(const struct measurement *m, const char *key,
			   const struct palette *p)
{
	const char *what = measurement_get(m, key);
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	if (!what)
		return;
	out_clean_line(&line, what);
	printf("  %s%s%s\n", color_begin(p, COLOR_WARN), line.data,
	       color_end(p, COLOR_WARN));
}

/* A fault from such a number on does not show. */
static void report_unreached(const struct measurement *m,
			     const struct palette *p)
{
	const char *what = measurement_get(m, "unreached");
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	if (!what)
		return;
	out_clean_line(&line, what);
	printf("  %sthe sources compare with %s, and no size a little greater "
	       "was checked: if it is a size, let `hidden:` or a case reach "
	       "beyond%s\n",
	       color_begin(p, COLOR_WARN), line.data, color_end(p, COLOR_WARN));
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

static const struct comparison *find_baseline(const struct measurement *m,
					      const char *name)
{
	for (size_t i = 0; i < m->n_comparisons; i++)
		if (m->comparisons[i].rival == RIVAL_BASELINE &&
		    str_eq(m->comparisons[i].name, name))
			return &m->comparisons[i];
	return NULL;
}

/* fast_p of a suite is the share of its problems with a correct kernel that is
 * more than p times as fast: of one problem it is 0 or 1. */
static void report_suite(const struct measurement *m, const struct palette *p)
{
	const char *trials = measurement_get(m, SUITE_KEY);
	const struct comparison *c = find_baseline(m, "eager");
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	char ratio[32];
	unsigned long passed, of;
	char *end;

	if (!trials)
		return;
	passed = strtoul(trials, &end, 10);
	if (!starts_with(end, " of "))
		return;
	of = strtoul(end + strlen(" of "), NULL, 10);
	printf("\n  %sKernelBench's rule, tried here: allclose (rtol and atol "
	       "1e-2) in %lu of %lu trials%s\n",
	       color_begin(p, COLOR_FAINT), passed, of,
	       color_end(p, COLOR_FAINT));
	if (passed < of)
		buf_adds(&line, "0 for every p, since it is not correct by "
				"that rule");
	else if (!c)
		buf_adds(&line, "not known: no time was compared with eager's");
	else if (!isfinite(c->ratio))
		buf_adds(&line, "not known: too few blocks beside eager");
	report_format_ratio(ratio, sizeof ratio, c ? c->ratio : NAN);
	if (!line.len)
		buf_addf(&line, "1 up to p = %s (over eager), 0 above", ratio);
	printf("  %sfast_p of this problem, with avogit's times: %s%s\n",
	       color_begin(p, COLOR_FAINT), line.data,
	       color_end(p, COLOR_FAINT));
}

/* Far more than rounding: the reader wonders which of the two is right. */
#define ANOTHER_MEAN 0.02

/* A case's ratio is the median of its rounds, that of the comparison a mean over
 * the rounds of all: on a busy machine they need not agree. */
static void report_mean(const struct measurement *m, const struct palette *p)
{
	for (size_t i = 0; i < m->n_comparisons; i++) {
		const struct comparison *c = &m->comparisons[i];
		double sum = 0, weight = 0;
		char mean[32];

		if (!has_case_ratios(c) || c->n_cases != m->n_cases ||
		    !isfinite(c->ratio95.hi))
			continue;
		for (size_t k = 0; k < c->n_cases; k++) {
			sum += m->cases[k].weight * log(c->case_ratio[k]);
			weight += m->cases[k].weight;
		}
		if (!isfinite(sum) ||
		    !(fabs(sum / weight - log(c->ratio)) > ANOTHER_MEAN))
			continue;
		report_format_ratio(mean, sizeof mean, exp(sum / weight));
		printf("  %sa case's ratio is the median of its rounds; so "
		       "their mean, %s, is not that of all rounds%s\n",
		       color_begin(p, COLOR_FAINT), mean,
		       color_end(p, COLOR_FAINT));
		return;
	}
}

void report_cases(const struct measurement *m, const struct palette *p,
		  const char *start)
{
	cleanup_table struct table t = {0};

	print_cases(m, p, start);
	table_init(&t, "lrlll");
	t.indent = "  ";
	for (size_t i = 0; i < m->n_comparisons; i++)
		add_comparison(&t, m, &m->comparisons[i], start);
	if (t.n)
		putchar('\n');
	table_print(&t, p);
	report_mean(m, p);
	report_warning(m, "fixed", p);
	report_warning(m, DOUBT_KEY, p);
	report_unreached(m, p);
	report_steadiness(m, p);
	report_sanitizers(m, p);
	report_suite(m, p);
}

#define KERNEL_NAME_SHOWN 60

static void add_kernel_name(struct table *t, const char *name)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *plain = demangle(name);

	out_clean_line(&line, plain);
	table_add(t, COLOR_NONE, "%.*s%s", KERNEL_NAME_SHOWN, line.data,
		  line.len > KERNEL_NAME_SHOWN ? "..." : "");
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
	cleanup_table struct table t = {0};
	struct columns columns = {0};

	if (!m->resources.n)
		return;
	begin_table(&t, &columns, m, RECORD_KERNEL);
	for (size_t i = 0; i < m->resources.n; i++) {
		add_kernel_name(&t, m->resources.kernel[i].name);
		add_figures(&t, &columns, m, RECORD_KERNEL, i);
	}
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

#define CHECKED	      "checked" /* the hidden sizes that were launched */
#define DETERMINISTIC "deterministic"
#define REPEATS	      "repeats" /* how many launches say that */
#define CHECKED_WIDTH 76

/* In lines that end between two sizes. */
static void print_checked(const char *what)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf whole = BUF_INIT(BUF_LIMIT_TEXT);
	int column = CHECKED_WIDTH;

	out_clean_line(&whole, what);
	checked_shorten(&line, whole.data);
	printf("  hidden sizes that were checked:");
	for (const char *at = line.data; *at; at += strspn(at, " ")) {
		int n = (int)strcspn(at, " ");
		bool fits = column + 1 + n <= CHECKED_WIDTH;

		printf("%s%.*s", fits ? " " : "\n    ", n, at);
		column = (fits ? column + 1 : 4) + n;
		at += n;
	}
	putchar('\n');
}

/* What `deterministic=yes` is worth: a race may need more launches to show. */
static void add_deterministic(struct table *t, const struct measurement *m,
			      const char *value)
{
	const char *times = measurement_get(m, REPEATS);
	long n = times ? strtol(times, NULL, 10) : 1;

	table_add(t, COLOR_FAINT, DETERMINISTIC);
	if (str_eq(value, "yes"))
		table_add(t, COLOR_NONE,
			  "yes, as far as %ld launch%s made again say%s", n,
			  n == 1 ? "" : "es", n == 1 ? "s" : "");
	else
		table_add(t, COLOR_NONE, "%s, of %ld launch%s made again",
			  value, n, n == 1 ? "" : "es");
}

void report_environment(const struct measurement *m, const struct palette *p)
{
	const char *checked = measurement_get(m, CHECKED);
	cleanup_table struct table t = {0};

	if (checked)
		print_checked(checked);
	table_init(&t, "ll");
	t.indent = "  ";
	for (size_t i = 0; i < m->n_environment; i++) {
		const char *key = m->environment[i].key;
		const char *value = m->environment[i].value;

		if (str_eq(key, CHECKED) || str_eq(key, REPEATS))
			continue;
		if (str_eq(key, DETERMINISTIC)) {
			add_deterministic(&t, m, value);
			continue;
		}
		table_add(&t, COLOR_FAINT, "%s", key);
		table_add(&t, COLOR_NONE, "%s", value);
	}
	table_print(&t, p);
}

/* ---- attempts ----------------------------------------------------------- */

const char *report_said_by(const struct saying *w)
{
	enum role role;

	if (w->kind != ENTRY_REMARK && branching_was_asked(w->trigger))
		return "run";
	if (w->kind != ENTRY_REMARK)
		return islands_said(w->trigger) ? "islands" : "supervisor";
	role = role_find(w->trigger);
	if (role != ROLE_COUNT)
		return role_name(role);
	return w->trigger ? "scorer" : "operator";
}

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
