#include "core/score/measurement_fields.h"

#include <inttypes.h>
#include <math.h>

#include "core/score/note_lines.h"

/* Bounds: far beyond what a machine can do and a scoring can take, so that our
 * own figures are never refused. A rate is in flop or bytes per second. A field
 * without an upper bound is infinite if there were too few blocks. */
#define SECONDS	  .unit = "s", .most = SECONDS_MAX
#define RATE	  .most = 1e24
#define RATIO	  .most = RATIO_MAX
#define LOG_RATIO .most = 1e3
#define ERROR	  .most = 1e30
#define WEIGHT	  .most = 1e100
#define FAR	  .most = INFINITY
#define MAYBE	  .may_be_nan = true

/* Where a field is stored: its key, and for a note its place in the line. */
#define JOURNAL(key)	    .json = (key)
#define NOTE(key, in_order) .note = (key), .place = (in_order)
#define PRINT(how)	    .format = (how)
#define ONLY_IF(condition)  .noted = (condition)
#define OPTIONAL	    .optional = true

/* How people and models are shown it. */
#define COLUMN(at, words) .column = (at), .title = (words)
#define AS(how)		  .show = (how)
#define PHRASE(words)	  .phrase = (words)
#define EMPHASIS(of)	  .emphasis = (of)

/* ---- the headline -------------------------------------------------------- */

static const char *verdict_word(const void *m)
{
	return verdict_name(((const struct measurement *)m)->verdict);
}

static bool set_verdict(void *m, const char *word)
{
	return verdict_parse(&((struct measurement *)m)->verdict, word);
}

static const char *trust_word(const void *m)
{
	return trust_class_name(((const struct measurement *)m)->trust);
}

static bool set_trust(void *m, const char *word)
{
	for (int t = TRUST_NONE; t <= TRUST_REPORTED; t++)
		if (str_eq(trust_class_name((enum trust_class)t), word))
			((struct measurement *)m)->trust = (enum trust_class)t;
	return true;
}

static bool passes(const void *m)
{
	return ((const struct measurement *)m)->verdict == VERDICT_PASS;
}

static void add_rate(struct buf *line, double rate, const struct measurement *m)
{
	char text[RATE_TEXT];

	measurement_format(text, sizeof text, m, rate);
	note_word_add(line, "score", text);
}

static void add_score(struct buf *line, const void *m, const void *whole)
{
	const struct measurement *of = m;

	(void)whole;
	add_rate(line, of->score, of);
}

static bool has_own_unit(const void *m)
{
	return measurement_get(m, UNIT_KEY) != NULL;
}

static bool is_in_flop(const void *m)
{
	return !((const struct measurement *)m)->rate_is_bytes &&
	       !has_own_unit(m);
}

static bool is_in_bytes(const void *m)
{
	return ((const struct measurement *)m)->rate_is_bytes &&
	       !has_own_unit(m);
}

static void take_own(void *m, const char *value)
{
	fields_from_word(m, &headline_fields, "flop_per_s", value);
}

static void take_bytes(void *m, const char *value)
{
	fields_from_word(m, &headline_fields, "flop_per_s", value);
	((struct measurement *)m)->rate_is_bytes = true;
}

static void add_machine(struct buf *line, const void *m, const void *whole)
{
	const char *machine = measurement_get(m, "machine");

	(void)whole;
	if (machine)
		note_word_add(line, "machine", machine);
}

static void add_format(struct buf *line, const void *m, const void *whole)
{
	(void)m;
	(void)whole;
	buf_addf(line, " format=%d", MEASUREMENT_FORMAT);
}

static void add_first_ratio(struct buf *line, const void *m, const void *whole);

#define OF(member) FIELD_MEMBER(struct measurement, member)

static const struct field headline[] = {
	{JOURNAL("id"), OF(id)},
	{JOURNAL("time_us"), FIELD_AS(FIELD_TIME, struct measurement, time_us)},
	{JOURNAL("task"), NOTE("task", 10), OF(identity.task)},
	{JOURNAL("sources"), NOTE("sources", 11), OF(identity.sources)},
	{JOURNAL("machine"), NOTE("kind", 12), OF(identity.machine)},
	{JOURNAL("scorer"), NOTE("scorer", 13), OF(identity.scorer)},
	{JOURNAL("verdict"), NOTE("verdict", 1),
	 FIELD_NAMED(verdict_word, set_verdict)},
	{JOURNAL("trust"), NOTE("trust", 6),
	 FIELD_NAMED(trust_word, set_trust)},
	{JOURNAL("why"), NOTE("why", 4), OF(why), .max = MEASUREMENT_WHY_MAX},
	{JOURNAL("log"), OF(log), .max = MEASUREMENT_LOG_MAX},
	{JOURNAL("score"), NOTE("flop_per_s", 8), OF(score), RATE,
	 PRINT("%.6g"), ONLY_IF(is_in_flop)},
	{NOTE("bytes_per_s", 8), OF(score), PRINT("%.6g"), ONLY_IF(is_in_bytes),
	 .take = take_bytes},
	{NOTE("per_s", 8), OF(score), PRINT("%.6g"), ONLY_IF(has_own_unit),
	 .take = take_own},
	{JOURNAL("rate_is_bytes"), OF(rate_is_bytes)},
	{JOURNAL("noise"), NOTE("noise", 7), OF(noise), LOG_RATIO,
	 PRINT("%.4f"), OPTIONAL},
	{JOURNAL("seconds_build"), OF(seconds_build), SECONDS},
	{JOURNAL("seconds_judge"), OF(seconds_judge), SECONDS},
	{JOURNAL("seconds_timed"), OF(seconds_timed), SECONDS},
	{JOURNAL("seconds_starting"), OF(seconds_starting), SECONDS},
	{JOURNAL("seconds_total"), OF(seconds_total), SECONDS},
	{NOTE("score", 2), FIELD_FOR_PEOPLE(add_score), ONLY_IF(passes)},
	{NOTE("vs", 3), FIELD_FOR_PEOPLE(add_first_ratio)},
	{NOTE("machine", 5), FIELD_FOR_PEOPLE(add_machine)},
	{NOTE("format", 9), FIELD_FOR_PEOPLE(add_format)},
};
const struct fields headline_fields = FIELD_TABLE(headline);

#undef OF

/* ---- a case -------------------------------------------------------------- */

static bool is_timed(const void *c)
{
	return ((const struct case_result *)c)->seconds > 0;
}

/* A reported case has a value and no time. */
static bool has_rate(const void *c)
{
	return ((const struct case_result *)c)->rate > 0;
}

static bool is_measured(const void *c)
{
	return is_timed(c) || !has_rate(c);
}

static void add_case_score(struct buf *line, const void *c, const void *whole)
{
	const struct measurement *m = whole;

	add_rate(line, ((const struct case_result *)c)->rate, m);
}

static bool is_weighted(const void *c)
{
	return ((const struct case_result *)c)->weight != 1;
}

static void show_time(struct buf *out, double seconds, const void *c,
		      const void *whole)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
	size_t i = 0;

	(void)c;
	(void)whole;
	while (i + 1 < ARRAY_SIZE(units) && seconds < units[i].unit)
		i++;
	buf_addf(out, "%.4g %s", seconds / units[i].unit, units[i].name);
}

static void show_fixed(struct buf *out, double seconds, const void *c,
		       const void *whole)
{
	const struct case_result *of = c;
	char error[32];

	measurement_format_percent(error, sizeof error,
				   of->fixed_error / of->seconds);
	show_time(out, seconds, c, whole);
	buf_addf(out, " +- %s", error);
}

static void show_rate(struct buf *out, double rate, const void *c,
		      const void *whole)
{
	char text[RATE_TEXT] = "-";

	(void)c;
	if (rate > 0)
		measurement_format(text, sizeof text, whole, rate);
	buf_adds(out, text);
}

static void show_share(struct buf *out, double share, const void *c,
		       const void *whole)
{
	(void)c;
	(void)whole;
	buf_addf(out, share < 0.1 ? "%.1f %%" : "%.0f %%", 100 * share);
}

static enum emphasis strong(const void *record)
{
	(void)record;
	return EMPHASIS_STRONG;
}

static enum emphasis of_error(const void *c)
{
	return ((const struct case_result *)c)->error > 1 ? EMPHASIS_BAD
							  : EMPHASIS_NONE;
}

#define OF(member) FIELD_MEMBER(struct case_result, member)

static const struct field of_case[] = {
	{JOURNAL("name"), NOTE("case", 1), OF(name)},
	{JOURNAL("weight"), NOTE("weight", 9), OF(weight), WEIGHT,
	 PRINT("%.6g"), ONLY_IF(is_weighted)},
	{JOURNAL("seconds"), NOTE("seconds", 3), OF(seconds), SECONDS,
	 PRINT("%.6g"), ONLY_IF(is_timed), COLUMN(1, "time"), AS(show_time),
	 PHRASE("*")},
	{JOURNAL("rate"), NOTE("rate", 4), OF(rate), RATE, PRINT("%.6g"),
	 ONLY_IF(has_rate), COLUMN(4, "rate"), AS(show_rate), PHRASE("*"),
	 EMPHASIS(strong)},
	{JOURNAL("error"), NOTE("error", 7), OF(error), ERROR, PRINT("%.3g"),
	 ONLY_IF(is_measured), COLUMN(6, "error/limit"),
	 PHRASE("error * of what is allowed"), EMPHASIS(of_error)},
	{JOURNAL("overhead"), NOTE("overhead", 5), OF(overhead), SECONDS,
	 PRINT("%.3g"), OPTIONAL, COLUMN(2, "fixed part"), AS(show_time)},
	{JOURNAL("fixed"), NOTE("fixed", 10), OF(fixed), SECONDS, PRINT("%.3g"),
	 OPTIONAL, COLUMN(3, "taken off"), AS(show_fixed)},
	{JOURNAL("fixed_error"), NOTE("fixed_error", 11), OF(fixed_error),
	 SECONDS, PRINT("%.2g"), OPTIONAL},
	{JOURNAL("ceiling"), NOTE("ceiling", 6), OF(ceiling), RATIO,
	 PRINT("%.3f"), OPTIONAL, COLUMN(5, "of card"), AS(show_share),
	 PHRASE("* of the most that the card can do")},
	{JOURNAL("spread"), OF(spread), RATIO, OPTIONAL},
	{JOURNAL("launches"), NOTE("launches", 8), OF(launches)},
	{NOTE("score", 2), FIELD_FOR_PEOPLE(add_case_score), ONLY_IF(has_rate)},
};

#undef OF

static void *add_case(struct measurement *m, const char *name)
{
	return measurement_add_case(m, name);
}

/* ---- a comparison -------------------------------------------------------- */

static const char *rival_word(const void *c)
{
	return rival_name(((const struct comparison *)c)->rival);
}

/* A kind of rival that only a later version knows is dropped. */
static bool set_rival(void *c, const char *word)
{
	for (int r = RIVAL_INCUMBENT; r <= RIVAL_START; r++)
		if (str_eq(rival_name((enum rival)r), word)) {
			((struct comparison *)c)->rival = (enum rival)r;
			return true;
		}
	return false;
}

static const char *decision_word(const void *c)
{
	const struct comparison *of = c;

	return decision_name(of->decision, of->ratio95);
}

static bool is_at_least(const void *c)
{
	return ((const struct comparison *)c)->at_least;
}

static bool set_decision(void *c, const char *word)
{
	decision_parse(&((struct comparison *)c)->decision, word);
	return true;
}

#define OF(member) FIELD_MEMBER(struct comparison, member)

static const struct field of_comparison[] = {
	{JOURNAL("rival"), NOTE("against", 1),
	 FIELD_NAMED(rival_word, set_rival)},
	{JOURNAL("name"), NOTE("of", 2), OF(name)},
	{JOURNAL("ratio"), NOTE("ratio", 3), OF(ratio), RATIO, MAYBE,
	 PRINT("%.4f")},
	{JOURNAL("low"), NOTE("low", 4), OF(ratio95.lo), RATIO, PRINT("%.4f")},
	{JOURNAL("high"), NOTE("high", 5), OF(ratio95.hi), FAR, PRINT("%.4f")},
	{JOURNAL("told"), NOTE("told", 6),
	 FIELD_NAMED(decision_word, set_decision)},
	{JOURNAL("blocks"), NOTE("blocks", 7), OF(blocks)},
	{JOURNAL("confirmed"), NOTE("confirmed", 8), OF(confirmed)},
	{JOURNAL("at_least"), NOTE("at_least", 10), OF(at_least), OPTIONAL,
	 ONLY_IF(is_at_least)},
	{JOURNAL("worst_case"), NOTE("worst", 9), OF(worst_case), FAR, MAYBE,
	 PRINT("%.4f")},
	{JOURNAL("case_ratios"),
	 FIELD_ARRAY(struct comparison, case_ratio, n_cases),
	 .max = MEASUREMENT_MAX_CASES + 1U, RATIO, MAYBE},
};

#undef OF

#define HEADLINE_RATIO 2 /* the first of four */

static void add_first_ratio(struct buf *line, const void *m, const void *whole)
{
	static const struct fields four = {of_comparison + HEADLINE_RATIO, 4};
	const struct comparison *c = measurement_headline(m);

	if (!c)
		return;
	note_word_add(line, "vs", rival_word(c));
	fields_to_words(line, &four, c, whole);
}

static void *add_comparison(struct measurement *m, const char *name)
{
	return measurement_add_comparison(m, RIVAL_INCUMBENT, name);
}

static void drop_comparison(struct measurement *m)
{
	struct comparison *c = &m->comparisons[--m->n_comparisons];

	free(c->name);
	free(c->case_ratio);
}

/* Without a decision there may have been too few blocks for any figure. With
 * one, the ratio lies on the decided side of 1, and its interval is finite. */
static char *comparison_nonsense(const void *one)
{
	const struct comparison *c = one;
	const char *told = decision_word(c);
	double least = c->decision == DECISION_FASTER;
	double most = c->decision == DECISION_SLOWER ? 1 : RATIO_MAX;

	if (!(c->ratio95.hi >= c->ratio95.lo))
		return xasprintf("low=%g and high=%g", c->ratio95.lo,
				 c->ratio95.hi);
	if (c->decision == DECISION_NONE)
		return NULL;
	if (!(c->ratio >= least && c->ratio <= most))
		return xasprintf("ratio=%g and told=%s", c->ratio, told);
	if (!(c->ratio95.hi <= RATIO_MAX))
		return xasprintf("high=%g and told=%s", c->ratio95.hi, told);
	if (!(c->worst_case <= RATIO_MAX))
		return xasprintf("worst_case=%g and told=%s", c->worst_case,
				 told);
	return NULL;
}

/* ---- a kernel ------------------------------------------------------------ */

/* Stores and loads as one word, in bytes: "16/24". */
static void show_spills(struct buf *out, double stores, const void *k,
			const void *whole)
{
	const struct kernel_resources *of = k;

	(void)stores;
	(void)whole;
	buf_addf(out, "%" PRId64 "/%" PRId64, of->spill_stores,
		 of->spill_loads);
}

static void add_spills(struct buf *line, const void *k, const void *whole)
{
	buf_adds(line, " spills=");
	show_spills(line, 0, k, whole);
}

static enum emphasis of_spills(const void *k)
{
	const struct kernel_resources *of = k;

	return of->spill_stores || of->spill_loads ? EMPHASIS_WARN
						   : EMPHASIS_NONE;
}

static void take_spills(void *k, const char *value)
{
	struct kernel_resources *of = k;
	const char *loads = strchr(value, '/');

	of->spill_stores = field_count(strtoll(value, NULL, 10));
	of->spill_loads = loads ? field_count(strtoll(loads + 1, NULL, 10)) : 0;
}

#define OF(member) FIELD_MEMBER(struct kernel_resources, member)

static const struct field of_kernel[] = {
	{JOURNAL("name"), NOTE("kernel", 1), OF(name)},
	{JOURNAL("registers"), NOTE("registers", 2), OF(registers),
	 COLUMN(1, "registers"), PHRASE("* registers"), EMPHASIS(strong)},
	{JOURNAL("spill_stores"), NOTE("spills", 3), OF(spill_stores),
	 .add = add_spills, .take = take_spills, COLUMN(2, "spills"),
	 AS(show_spills), PHRASE("* bytes spilled (stores/loads)"),
	 EMPHASIS(of_spills)},
	{JOURNAL("spill_loads"), OF(spill_loads)},
	{JOURNAL("stack"), NOTE("stack", 4), OF(stack), COLUMN(3, "stack")},
	{JOURNAL("shared"), NOTE("shared", 5), OF(shared), COLUMN(4, "shared"),
	 PHRASE("* bytes of static shared memory")},
	{JOURNAL("barriers"), NOTE("barriers", 6), OF(barriers),
	 COLUMN(5, "barriers"), PHRASE("* barriers")},
	{JOURNAL("constant"), NOTE("constant", 7), OF(constant),
	 COLUMN(6, "constant")},
	{JOURNAL("warnings"), NOTE("warning", 8), OF(warnings),
	 .max = MEASUREMENT_MAX_WARNINGS},
};

#undef OF

static void *add_kernel(struct measurement *m, const char *name)
{
	return measurement_add_kernel(m, name);
}

/* ---- the kinds ----------------------------------------------------------- */

#define ITEMS(list, n_list, type, name)                                     \
	.items_at = offsetof(struct measurement, list),                     \
	.n_at = offsetof(struct measurement, n_list), .size = sizeof(type), \
	.name_at = offsetof(type, name)

const struct record_kind record_kinds[] = {
	[RECORD_CASE] = {.json = "cases",
			 .rank = RANK_CASES,
			 .end_rank = RANK_COMPARISONS,
			 .max = MEASUREMENT_MAX_CASES,
			 .where = "case ",
			 .fields = FIELD_TABLE(of_case),
			 ITEMS(cases, n_cases, struct case_result, name),
			 .add = add_case},
	[RECORD_COMPARISON] = {.json = "comparisons",
			       .rank = RANK_COMPARISONS,
			       .end_rank = RANK_KERNELS,
			       .max = MEASUREMENT_MAX_COMPARISONS,
			       .where = "the comparison with ",
			       .fields = FIELD_TABLE(of_comparison),
			       ITEMS(comparisons, n_comparisons,
				     struct comparison, name),
			       .add = add_comparison,
			       .drop_last = drop_comparison,
			       .nonsense = comparison_nonsense},
	[RECORD_KERNEL] = {.json = "kernels",
			   .rank = RANK_KERNELS,
			   .end_rank = RANK_ENVIRONMENT,
			   .max = MEASUREMENT_MAX_KERNELS,
			   .where = "kernel ",
			   .fields = FIELD_TABLE(of_kernel),
			   ITEMS(resources.kernel, resources.n,
				 struct kernel_resources, name),
			   .optional = true,
			   .by_name = true,
			   .add = add_kernel},
};

size_t record_count(const struct record_kind *k, const struct measurement *m)
{
	return *(const size_t *)(const void *)((const char *)m + k->n_at);
}

const void *record_at(const struct record_kind *k, const struct measurement *m,
		      size_t i)
{
	const void *items = (const char *)m + k->items_at;

	return *(const char *const *)items + i * k->size;
}

const char *record_name(const struct record_kind *k, const void *one)
{
	const void *name = (const char *)one + k->name_at;

	return *(const char *const *)name;
}
