/* Each row of the tables, in each form where it says that it is stored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/run/journal.h"
#include "core/score/measurement_fields.h"

#define ID "20250101T000000Z-0123abcd"

/* ---- every field set ----------------------------------------------------- */

static void *member(void *record, const struct field *f)
{
	return (char *)record + f->at;
}

/* Another value for each row: three digits that a note does not round. They
 * grow, so that an interval ends after it begins. */
static void set_field(void *record, const struct field *f, size_t i)
{
	double v = 1.25 + 0.25 * (double)i;
	double **list;

	switch (f->kind) {
	case FIELD_NUMBER:
		*(double *)member(record, f) = v;
		break;
	case FIELD_NUMBERS:
		list = member(record, f);
		*list = xmemdup(&v, sizeof v);
		*(size_t *)(void *)((char *)record + f->n_at) = 1;
		break;
	case FIELD_COUNT:
		*(size_t *)member(record, f) = 10 + i;
		break;
	case FIELD_INTEGER:
		*(int64_t *)member(record, f) = (int64_t)(10 + i);
		break;
	case FIELD_TIME:
		/* As the id says it. */
		*(int64_t *)member(record, f) = INT64_C(1735689600000000);
		break;
	case FIELD_FLAG:
		*(bool *)member(record, f) = true;
		break;
	case FIELD_TEXT:
		free(*(char **)member(record, f));
		*(char **)member(record, f) =
			xasprintf("%s \"%zu\"", f->json, i);
		break;
	case FIELD_CHARS:
		if (f->size > MEASUREMENT_ID_LEN)
			memcpy(member(record, f), ID, sizeof ID);
		else
			snprintf(member(record, f), f->size, "chars-%zu", i);
		break;
	case FIELD_LINES:
		strvec_pushl(member(record, f), "one", "and two", NULL);
		break;
	case FIELD_WORD:
		if (!f->set_word(record, "isolated") ||
		    !f->set_word(record, "faster"))
			assert_true(f->set_word(record, "impossible") ||
				    f->set_word(record, "baseline"));
		break;
	case FIELD_DIGITS:
	case FIELD_HEX:
	case FIELD_DERIVED:
		break;
	}
}

static void set_fields(void *record, const struct fields *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].json)
			set_field(record, &t->v[i], i);
}

static struct measurement *whole(void)
{
	struct measurement *m = measurement_new();

	set_fields(m, &headline_fields);
	for (size_t i = 0; i < RECORD_COUNT; i++)
		set_fields(record_kinds[i].add(m, "name"),
			   &record_kinds[i].fields);
	measurement_set(m, "compiler", "cc 1");
	return m;
}

/* ---- and back ------------------------------------------------------------ */

/* The record as the journal has it; for a note, what it has too. */
static char *text_of(const struct fields *t, const void *record, bool in_note)
{
	struct field row[64];
	struct fields some = {.v = row, .n = 0};
	cleanup_json struct json *j = json_object();

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].json &&
		    (!in_note || t->v[i].note || str_eq(t->v[i].json, "id") ||
		     str_eq(t->v[i].json, "rate_is_bytes") ||
		     str_eq(t->v[i].json, "spill_loads")))
			row[some.n++] = t->v[i];
	fields_to_json(j, &some, record);
	return json_print(j);
}

static void same_fields(const void *a, const void *b, const struct fields *t,
			bool in_note)
{
	cleanup_free char *x = text_of(t, a, in_note);
	cleanup_free char *y = text_of(t, b, in_note);

	assert_string_equal(x, y);
}

static void same(const struct measurement *a, const struct measurement *b,
		 bool in_note)
{
	assert_non_null(b);
	assert_int_equal(b->time_us, a->time_us);
	same_fields(a, b, &headline_fields, in_note);
	for (size_t i = 0; i < RECORD_COUNT; i++) {
		const struct record_kind *k = &record_kinds[i];

		assert_int_equal(record_count(k, a), 1);
		assert_int_equal(record_count(k, b), 1);
		same_fields(record_at(k, a, 0), record_at(k, b, 0), &k->fields,
			    in_note);
	}
	assert_string_equal(measurement_get(b, "compiler"), "cc 1");
}

/* Each key of the table is there, so that no row was left out when writing. */
static void has_keys(const char *text, const struct fields *t, bool in_note)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->v[i];
		cleanup_free char *key =
			in_note ? xasprintf(" %s=", f->note ? f->note : "")
				: xasprintf("\"%s\":", f->json ? f->json : "");
		/* A rate is in flop, in bytes or in a unit of the task. */
		bool there = (in_note ? f->note : f->json) &&
			     !(in_note && (str_eq(f->note, "flop_per_s") ||
					   str_eq(f->note, "per_s")));

		if (there && !strstr(text, key))
			fail_msg("no %s in %s", key, text);
	}
}

static void every_field_comes_back_from_the_journal(void **state)
{
	cleanup_measurement struct measurement *m = whole(), *back = NULL;
	cleanup_json struct json *j = measurement_to_json(m), *parsed = NULL;
	cleanup_free char *text = json_print(j);

	(void)state;
	has_keys(text, &headline_fields, false);
	for (size_t i = 0; i < RECORD_COUNT; i++)
		has_keys(text, &record_kinds[i].fields, false);
	assert_null(json_parse(&parsed, text, strlen(text)));
	assert_null(measurement_from_json(&back, parsed));
	same(m, back, false);
}

static void every_field_of_a_note_comes_back_from_it(void **state)
{
	cleanup_measurement struct measurement *m = whole(), *back = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);
	const struct record_kind *k = record_kinds;

	(void)state;
	m->verdict = VERDICT_PASS;
	measurement_set(m, "machine", "this one");
	measurement_note_add(&note, m);
	has_keys(note.data, &headline_fields, true);
	for (size_t i = 0; i < RECORD_COUNT; i++, k++)
		has_keys(note.data, &k->fields, true);
	back = measurement_note_latest(note.data, NULL);
	same(m, back, true);
}

/* ---- for people ---------------------------------------------------------- */

static char *titles(const struct measurement *m, enum record r)
{
	const struct field *column[COLUMNS_MAX];
	size_t n = columns_of(column, m, r);
	struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s,", column[i]->title);
	return buf_take(&out);
}

static char *cells(const struct measurement *m, enum record r)
{
	const struct field *column[COLUMNS_MAX];
	size_t n = columns_of(column, m, r);
	struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < n; i++) {
		column_cell(&out, column[i], m, r, 0);
		buf_addc(&out, ',');
	}
	return buf_take(&out);
}

static char *phrases(const struct measurement *m, enum record r)
{
	struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	columns_add_phrases(&out, m, r, 0);
	return buf_take(&out);
}

static void is_text(char *owned, const char *want)
{
	assert_string_equal(owned, want);
	free(owned);
}

static void a_row_with_a_column_is_shown(void **state)
{
	(void)state;
	for (size_t r = 0; r < RECORD_COUNT; r++) {
		cleanup_measurement struct measurement *m = whole();
		const struct fields *t = &record_kinds[r].fields;
		const struct field *column[COLUMNS_MAX];
		size_t n = 0;

		for (size_t i = 0; i < t->n; i++)
			n += t->v[i].column > 0;
		assert_int_equal(columns_of(column, m, (enum record)r), n);
		for (size_t i = 0; i < n; i++)
			assert_non_null(column[i]->title);
	}
}

static void figures_are_shown_in_their_units(void **state)
{
	cleanup_measurement struct measurement *m = measurement_new();
	struct case_result *c = measurement_add_case(m, "n=8");
	struct kernel_resources *k = measurement_add_kernel(m, "k");

	(void)state;
	*c = (struct case_result){.name = c->name,
				  .seconds = 1.5e-6,
				  .rate = 2e9,
				  .error = 0.25,
				  .overhead = 2e-3,
				  .fixed = 3e-8,
				  .fixed_error = 1.5e-8,
				  .spread = 0.0125,
				  .ceiling = 0.055};
	k->registers = 40;
	k->spill_stores = 16;
	k->spill_loads = 24;
	is_text(titles(m, RECORD_CASE),
		"time,fixed part,taken off,rate,of card,error/limit,");
	is_text(cells(m, RECORD_CASE),
		"1.5 us,2 ms,30 ns +- 1 %,2.00 GFLOPS,5.5 %,0.25,");
	is_text(phrases(m, RECORD_CASE),
		"1.5 us, 2.00 GFLOPS, 5.5 % of the most that the card can do, "
		"error 0.25 of what is allowed");
	is_text(cells(m, RECORD_KERNEL), "40,16/24,0,0,0,0,");
}

static void a_figure_that_is_not_there_is_a_dash_or_no_column(void **state)
{
	cleanup_measurement struct measurement *m = measurement_new();

	(void)state;
	measurement_add_case(m, "n=8");
	is_text(titles(m, RECORD_CASE), "time,rate,error/limit,");
	is_text(cells(m, RECORD_CASE), "-,-,0,");
	is_text(phrases(m, RECORD_CASE), "error 0 of what is allowed");
	measurement_add_case(m, "n=9")->ceiling = 0.5;
	is_text(cells(m, RECORD_CASE), "-,-,-,0,");
}

/* ---- bounds -------------------------------------------------------------- */

static bool is_bounded(const struct field *f)
{
	return f->json && (f->kind == FIELD_NUMBER || f->kind == FIELD_NUMBERS);
}

/* Of a kind of record; NULL: of the headline. */
static struct measurement *from_journal(const struct record_kind *k,
					const struct field *f, const char *v)
{
	const char *open = f->kind == FIELD_NUMBERS ? "[1," : "";
	const char *close = f->kind == FIELD_NUMBERS ? "]" : "";
	cleanup_free char *text =
		xasprintf("{\"id\":\"" ID "\",\"verdict\":\"pass\"%s%s%s,"
			  "\"%s\":%s%s%s%s}",
			  k ? ",\"" : "", k ? k->json : "",
			  k ? "\":[{\"rival\":\"start\",\"name\":\"a\"" : "",
			  f->json, open, v, close, k ? "}]" : "");
	cleanup_json struct json *j = NULL;
	struct measurement *m = NULL;

	assert_null(json_parse(&j, text, strlen(text)));
	assert_null(measurement_from_json(&m, j));
	return m;
}

static struct measurement *from_note(const struct record_kind *k,
				     const struct field *f, const char *v)
{
	cleanup_free char *text =
		xasprintf(ID " 000 verdict=pass\n" ID " %03u %s=%s\n",
			  k ? k->rank : RANK_HEADLINE, f->note, v);

	return measurement_note_latest(text, NULL);
}

static void is_refused(struct measurement *m, const struct field *f,
		       const char *value)
{
	cleanup_measurement struct measurement *own = m;
	cleanup_free char *said = xasprintf("%s=", f->json);

	if (m->verdict != VERDICT_UNUSABLE || !strstr(m->why, said) ||
	    m->n_cases || m->n_comparisons)
		fail_msg("%s=%s: %s, %s", f->json, value,
			 verdict_name(m->verdict), m->why ? m->why : "");
}

static void refuses(const struct record_kind *k, const struct field *f,
		    const char *in_journal, const char *in_note)
{
	is_refused(from_journal(k, f, in_journal), f, in_journal);
	if (f->note)
		is_refused(from_note(k, f, in_note), f, in_note);
}

/* Below, above, and what is not a number. */
static void holds_bounds(const struct record_kind *k, const struct field *f)
{
	cleanup_free char *above = xasprintf("%g", 2 * f->most);

	refuses(k, f, "-0.5", "-0.5");
	if (isfinite(f->most)) {
		refuses(k, f, above, above);
		refuses(k, f, "1e999", "inf");
	}
	if (f->note && !f->may_be_nan)
		is_refused(from_note(k, f, "nan"), f, "nan");
}

static void a_number_out_of_its_bounds_is_refused(void **state)
{
	size_t rows = 0;

	(void)state;
	for (size_t i = 0; i < headline_fields.n; i++)
		if (is_bounded(&headline_fields.v[i]) && ++rows)
			holds_bounds(NULL, &headline_fields.v[i]);
	for (size_t r = 0; r < RECORD_COUNT; r++) {
		const struct fields *t = &record_kinds[r].fields;

		for (size_t i = 0; i < t->n; i++)
			if (is_bounded(&t->v[i]) && ++rows)
				holds_bounds(&record_kinds[r], &t->v[i]);
	}
	assert_in_range(rows, 18, 100);
}

/* None would be refused wherever it is found, an infinite one nowhere: that is
 * for what few blocks leave open. */
static void is_sound(const struct field *f)
{
	bool open = f->json &&
		    (str_eq(f->json, "high") || str_eq(f->json, "worst_case"));

	if (is_bounded(f) && !(f->most > 0 && isfinite(f->most) != open))
		fail_msg("%s may be up to %g", f->json, f->most);
}

static void each_number_has_bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < headline_fields.n; i++)
		is_sound(&headline_fields.v[i]);
	for (size_t r = 0; r < RECORD_COUNT; r++)
		for (size_t i = 0; i < record_kinds[r].fields.n; i++)
			is_sound(&record_kinds[r].fields.v[i]);
}

static void a_rival_that_is_not_known_is_no_comparison(void **state)
{
	cleanup_measurement struct measurement *noted = measurement_note_latest(
		ID " 000 verdict=pass\n" ID " 500 against=sibling of=a "
		   "ratio=2\n" ID " 501 against=start of=b ratio=3\n",
		NULL);

	(void)state;
	assert_int_equal(noted->verdict, VERDICT_PASS);
	assert_int_equal(noted->n_comparisons, 1);
	assert_string_equal(noted->comparisons[0].name, "b");
}

/* ---- what earlier versions wrote ----------------------------------------- */

/* Byte for byte as the version before the tables wrote them. */
static const char old_journal[] =
	"{\"format\":1,\"id\":\"20261121T030553Z-3ff42bbb\","
	"\"time_us\":1795230353000000,\"task\":\"6e76ef7568583c3b\","
	"\"sources\":\"252b2b739603410c\",\"machine\":\"8f25b8d182fc5a1d\","
	"\"scorer\":\"2\",\"verdict\":\"pass\",\"trust\":\"replayed\","
	"\"score\":46552600000.5,\"rate_is_bytes\":false,\"noise\":0.0041,"
	"\"seconds_build\":0.5,\"seconds_judge\":1.25,\"seconds_timed\":3,"
	"\"seconds_starting\":0.0625,\"seconds_total\":5,\"cases\":["
	"{\"name\":\"m=512 n=512\",\"weight\":2,\"seconds\":0.00576629,"
	"\"rate\":46552600000.5,\"error\":0.0893,\"overhead\":1e-06,"
	"\"ceiling\":0.831,\"launches\":8}],\"comparisons\":["
	"{\"rival\":\"baseline\",\"name\":\"openblas\",\"ratio\":1.0338,"
	"\"low\":1.0092,\"high\":1.0589,\"told\":\"undecided\","
	"\"blocks\":128,\"confirmed\":false,\"worst_case\":1.01,"
	"\"case_ratios\":[1.01,null]}],\"kernels\":["
	"{\"name\":\"_Z5tiles\",\"registers\":168,\"spill_stores\":16,"
	"\"spill_loads\":24,\"stack\":32,\"shared\":49152,\"barriers\":2,"
	"\"constant\":560,\"warnings\":[\"a remark\"]}],"
	"\"environment\":{\"machine\":\"A CPU\"}}";

#define OLD_ID "20261121T030553Z-3ff42bbb"
static const char old_note[] = OLD_ID
	" 000 verdict=pass score=\"46.6 GFLOPS\" vs=baseline "
	"ratio=1.0338 low=1.0092 high=1.0589 told=undecided machine=\"A CPU\" "
	"trust=replayed noise=0.0041 flop_per_s=4.65526e+10 format=1 "
	"task=6e76ef7568583c3b sources=252b2b739603410c "
	"kind=8f25b8d182fc5a1d scorer=2\n" OLD_ID
	" 001 case=\"m=512 n=512\" score=\"46.6 GFLOPS\" "
	"seconds=0.00576629 rate=4.65526e+10 overhead=1e-06 ceiling=0.831 "
	"error=0.0893 launches=8 weight=2\n" OLD_ID
	" 500 against=baseline of=openblas ratio=1.0338 low=1.0092 "
	"high=1.0589 told=undecided blocks=128 confirmed=no "
	"worst=1.0100\n" OLD_ID
	" 700 kernel=_Z5tiles registers=168 spills=16/24 stack=32 "
	"shared=49152 barriers=2 constant=560 warning=\"a remark\"\n" OLD_ID
	" 900 machine=\"A CPU\"\n";

static void an_old_journal_reads_and_writes_as_before(void **state)
{
	cleanup_measurement struct measurement *m = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_json struct json *j = NULL, *again = NULL;
	cleanup_free char *text = NULL;

	(void)state;
	assert_null(json_parse(&j, old_journal, strlen(old_journal)));
	assert_null(measurement_from_json(&m, j));
	again = measurement_to_json(m);
	text = json_print(again);
	assert_string_equal(text, old_journal);
	measurement_note_add(&note, m);
	assert_string_equal(note.data, old_note);
	assert_true(m->cases[0].ceiling == 0.831);
	assert_int_equal(m->comparisons[0].rival, RIVAL_BASELINE);
	assert_true(isnan(m->comparisons[0].case_ratio[1]));
}

static void an_old_note_reads_and_writes_as_before(void **state)
{
	cleanup_measurement struct measurement *m =
		measurement_note_latest(old_note, NULL);
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	measurement_note_add(&note, m);
	assert_string_equal(note.data, old_note);
	assert_string_equal(m->identity.machine, "8f25b8d182fc5a1d");
	assert_true(m->comparisons[0].worst_case == 1.01);
	assert_int_equal(m->resources.kernel[0].spill_loads, 24);
}

/* An identity of a stranger may be longer than ours, and the bytes that fit end
 * within a character. */
static void a_text_is_cut_between_characters(void **state)
{
	cleanup_measurement struct measurement *m = measurement_note_latest(
		"20261121T083648Z-10193e6a 000 verdict=pass "
		"task=0123456789abcd\xef\xbf\xbd\n",
		NULL);
	cleanup_measurement struct measurement *back = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	assert_string_equal(m->identity.task, "0123456789abcd");
	measurement_note_add(&note, m);
	back = measurement_note_latest(note.data, NULL);
	assert_true(identity_equal(&m->identity, &back->identity));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_cut_between_characters),
		cmocka_unit_test(every_field_comes_back_from_the_journal),
		cmocka_unit_test(every_field_of_a_note_comes_back_from_it),
		cmocka_unit_test(a_row_with_a_column_is_shown),
		cmocka_unit_test(figures_are_shown_in_their_units),
		cmocka_unit_test(
			a_figure_that_is_not_there_is_a_dash_or_no_column),
		cmocka_unit_test(a_number_out_of_its_bounds_is_refused),
		cmocka_unit_test(each_number_has_bounds),
		cmocka_unit_test(a_rival_that_is_not_known_is_no_comparison),
		cmocka_unit_test(an_old_journal_reads_and_writes_as_before),
		cmocka_unit_test(an_old_note_reads_and_writes_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
