#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/base/clock.h"
#include "core/run/journal.h"
#include "core/score/measurement.h"
#include "core/base/random.h"

static struct measurement *sample(void)
{
	struct measurement *m = measurement_new();
	struct case_result *c;
	struct comparison *p;
	struct kernel_resources *k;

	snprintf(m->identity.task, sizeof m->identity.task, "1111111111111111");
	snprintf(m->identity.sources, sizeof m->identity.sources,
		 "2222222222222222");
	snprintf(m->identity.machine, sizeof m->identity.machine,
		 "3333333333333333");
	snprintf(m->identity.scorer, sizeof m->identity.scorer, "1");
	m->trust = TRUST_ISOLATED;
	m->score = 8.5e10;
	m->noise = 0.01;
	c = measurement_add_case(m, "m=512 n=512");
	c->seconds = 0.003125;
	c->rate = 8.5e10;
	c->error = 0.41;
	c->ceiling = 0.831;
	c->launches = 96;
	p = measurement_add_comparison(
		m, RIVAL_INCUMBENT, "0123456789012345678901234567890123456789");
	p->ratio = 1.034;
	p->ratio95 = (struct interval){1.02, 1.05};
	p->decision = DECISION_FASTER;
	p->blocks = 24;
	p->confirmed = true;
	p->worst_case = 0.99;
	k = resources_of(&m->resources, "_Z5tilesILi64EEvPKfPf");
	*k = (struct kernel_resources){
		.name = k->name,
		.registers = 168,
		.spill_stores = 16,
		.spill_loads = 24,
		.stack = 32,
		.shared = 49152,
		.barriers = 2,
		.constant = 560,
	};
	strvec_pushl(&k->warnings,
		     "(C7511) Potential Performance Loss: a \"b\"",
		     "Registers are spilled", NULL);
	resources_of(&m->resources, "init")->registers = 8;
	measurement_set(m, "machine", "A \"quoted\" CPU\\1, 2 cpus");
	measurement_set(m, "sandbox", "bubblewrap");
	return m;
}

static void same_resources(const struct resources *got,
			   const struct resources *want)
{
	assert_int_equal(got->n, want->n);
	for (size_t i = 0; i < want->n; i++) {
		const struct kernel_resources *a = &got->kernel[i];
		const struct kernel_resources *b = &want->kernel[i];

		assert_string_equal(a->name, b->name);
		assert_int_equal(a->registers, b->registers);
		assert_int_equal(a->spill_stores, b->spill_stores);
		assert_int_equal(a->spill_loads, b->spill_loads);
		assert_int_equal(a->stack, b->stack);
		assert_int_equal(a->shared, b->shared);
		assert_int_equal(a->barriers, b->barriers);
		assert_int_equal(a->constant, b->constant);
		assert_int_equal(a->warnings.n, b->warnings.n);
		for (size_t w = 0; w < b->warnings.n; w++)
			assert_string_equal(a->warnings.v[w], b->warnings.v[w]);
	}
}

static void what_kernels_take_comes_back_in_every_form(void **state)
{
	cleanup_measurement struct measurement *m = sample(), *noted = NULL;
	cleanup_measurement struct measurement *copy = measurement_dup(m);
	cleanup_measurement struct measurement *back = NULL;
	cleanup_json struct json *j = measurement_to_json(m);
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	measurement_note_add(&note, m);
	assert_non_null(strstr(note.data,
			       " 700 kernel=_Z5tilesILi64EEvPKfPf "
			       "registers=168 spills=16/24 stack=32 "
			       "shared=49152 barriers=2 constant=560 "));
	noted = measurement_note_latest(note.data, &m->identity);
	same_resources(&noted->resources, &m->resources);
	assert_int_equal(noted->n_comparisons, 1);
	assert_null(measurement_from_json(&back, j));
	same_resources(&back->resources, &m->resources);
	same_resources(&copy->resources, &m->resources);
}

static void a_note_reads_back_as_it_was_written(void **state)
{
	cleanup_measurement struct measurement *m = sample(), *back = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	measurement_note_add(&note, m);
	back = measurement_note_latest(note.data, &m->identity);
	assert_non_null(back);
	assert_string_equal(back->id, m->id);
	assert_true(identity_equal(&back->identity, &m->identity));
	assert_int_equal(back->verdict, VERDICT_PASS);
	assert_int_equal(back->trust, TRUST_ISOLATED);
	assert_true(back->score == 8.5e10);
	assert_int_equal(back->n_cases, 1);
	assert_string_equal(back->cases[0].name, "m=512 n=512");
	assert_true(back->cases[0].seconds == 0.003125);
	assert_true(back->cases[0].rate == 8.5e10);
	assert_true(back->cases[0].ceiling == 0.831);
	assert_int_equal(back->n_comparisons, 1);
	assert_true(back->comparisons[0].confirmed);
	assert_int_equal(back->comparisons[0].decision, DECISION_FASTER);
	assert_string_equal(back->comparisons[0].name, m->comparisons[0].name);
	assert_string_equal(measurement_get(back, "machine"),
			    measurement_get(m, "machine"));
}

/* The rivals come in the order of the enumeration, which is not that of the
 * headline; one after the other is taken away, the best first. */
static void note_and_journal_have_one_headline_in_one_order(void **state)
{
	static const enum rival order[] = {RIVAL_START, RIVAL_CHAMPION,
					   RIVAL_INCUMBENT, RIVAL_BASELINE};

	(void)state;
	for (size_t gone = 0; gone <= ARRAY_SIZE(order); gone++) {
		cleanup_measurement struct measurement *m = measurement_new();
		cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);
		struct entry e = {.kind = ENTRY_MEASUREMENT, .measurement = m};
		cleanup_free char *subject = NULL, *in_note = NULL,
				  *told = NULL;

		for (int r = 0; r < RIVAL_COUNT; r++)
			for (size_t i = gone; i < ARRAY_SIZE(order); i++) {
				struct comparison *c;

				if ((int)order[i] != r)
					continue;
				c = measurement_add_comparison(m, order[i],
							       "it");
				c->ratio = r + 1.5;
				c->decision = DECISION_FASTER;
			}
		subject = journal_subject(&e);
		measurement_note_add(&note, m);
		if (gone == ARRAY_SIZE(order)) {
			assert_null(measurement_headline(m));
			assert_null(strstr(note.data, " vs="));
			assert_null(strstr(subject, "x the "));
			break;
		}
		assert_int_equal(measurement_headline(m)->rival, order[gone]);
		in_note = xasprintf(" vs=%s ratio=%.4f",
				    rival_name(order[gone]),
				    (int)order[gone] + 1.5);
		told = xasprintf(", %.3fx the %s", (int)order[gone] + 1.5,
				 rival_name(order[gone]));
		assert_non_null(strstr(note.data, in_note));
		assert_non_null(strstr(subject, told));
	}
}

static void a_crown_depends_on_the_first_rival_of_the_run(void **state)
{
	cleanup_measurement struct measurement *m = measurement_new();

	(void)state;
	measurement_add_comparison(m, RIVAL_START, "a");
	measurement_add_comparison(m, RIVAL_BASELINE, "b");
	assert_null(measurement_decisive(m));
	measurement_add_comparison(m, RIVAL_CHAMPION, "c");
	measurement_add_comparison(m, RIVAL_INCUMBENT, "d");
	assert_string_equal(measurement_decisive(m)->name, "c");
}

static void a_share_of_the_card_is_told_where_it_is_known(void **state)
{
	cleanup_measurement struct measurement *m = sample(), *back = NULL;
	cleanup_buf struct buf with = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf without = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_json struct json *j = measurement_to_json(m);
	cleanup_json struct json *bare = NULL;

	(void)state;
	assert_null(measurement_from_json(&back, j));
	assert_true(back->cases[0].ceiling == 0.831);
	measurement_note_add(&with, m);
	assert_non_null(strstr(with.data, " ceiling=0.831 "));
	m->cases[0].ceiling = 0;
	measurement_note_add(&without, m);
	assert_null(strstr(without.data, "ceiling="));
	bare = measurement_to_json(m);
	assert_null(json_get(json_at(json_get(bare, "cases"), 0), "ceiling"));
}

static void a_note_keeps_what_others_wrote_and_its_order(void **state)
{
	cleanup_measurement struct measurement *m = sample();
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *first = NULL;

	(void)state;
	buf_adds(&note, "a line by hand\n\n00000101T000000Z-00000000 000 x=y");
	measurement_note_add(&note, m);
	first = xstrdup(note.data);
	assert_non_null(strstr(note.data, "\na line by hand\n"));
	assert_true(starts_with(note.data, "00000101T000000Z-00000000 000"));
	assert_null(strstr(note.data, "\n\n"));
	measurement_note_add(&note, m);
	assert_string_equal(note.data, first);
}

static void a_nul_in_a_note_hides_nothing_behind_it(void **state)
{
	static const char old[] = "00000101T000000Z-00000000 000 x=\0y\nkept";
	cleanup_measurement struct measurement *m = sample(), *back = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	buf_add(&note, old, sizeof old - 1);
	measurement_note_add(&note, m);
	assert_int_equal(strlen(note.data), note.len);
	assert_non_null(strstr(note.data, "\nkept\n"));
	back = measurement_note_latest(note.data, NULL);
	assert_string_equal(back->id, m->id);
}

static void a_note_of_many_lines_hides_no_measurement(void **state)
{
	cleanup_measurement struct measurement *m = sample(), *back = NULL;
	cleanup_buf struct buf note = BUF_INIT((size_t)4 << 20);
	cleanup_buf struct buf all = BUF_INIT((size_t)64 << 20);

	(void)state;
	measurement_note_add(&note, m);
	for (size_t i = 0; i < 400000; i++)
		buf_addf(&all, "%06zu\n", i);
	buf_adds(&all, note.data);
	back = measurement_note_latest(all.data, NULL);
	assert_non_null(back);
	assert_string_equal(back->id, m->id);
	assert_int_equal(back->n_cases, 1);
}

/* A line of megabytes, and a measurement that is larger than one can be. */
static void long_lines_hide_no_measurement(void **state)
{
	cleanup_measurement struct measurement *m = sample(), *back = NULL;
	cleanup_buf struct buf note = BUF_INIT((size_t)4 << 20);
	cleanup_buf struct buf all = BUF_INIT((size_t)64 << 20);

	(void)state;
	measurement_note_add(&note, m);
	buf_adds(&all, "99990101T000000Z-00000000 900 ");
	for (size_t i = 0; i < 1000000; i++)
		buf_addf(&all, "k%06zu=v ", i);
	buf_adds(&all, "\n99990101T000000Z-00000001 000 verdict=pass\n");
	for (size_t i = 0; i < 100000; i++)
		buf_addf(&all, "99990101T000000Z-00000001 001 case=%zu\n", i);
	buf_adds(&all, note.data);
	back = measurement_note_latest(all.data, NULL);
	assert_non_null(back);
	assert_string_equal(back->id, m->id);
}

/* What is read of them costs no more than their length. */
static void a_measurement_of_many_words_is_read_in_part(void **state)
{
	cleanup_buf struct buf note = BUF_INIT((size_t)4 << 20);
	cleanup_measurement struct measurement *m = NULL;

	(void)state;
	buf_adds(&note, "20250101T000000Z-0123abcd 000 verdict=pass\n"
			"20250101T000000Z-0123abcd 900 ");
	for (size_t i = 0; i < 50000; i++)
		buf_addf(&note, "k%zu=v ", i);
	for (size_t i = 0; i < 10000; i++)
		buf_addf(&note, "\n20250101T000000Z-0123abcd 700 kernel=k%zu",
			 i);
	m = measurement_note_latest(note.data, NULL);
	assert_non_null(m);
	assert_int_equal(m->verdict, VERDICT_PASS);
	assert_int_equal(m->n_environment, MEASUREMENT_MAX_SETTINGS);
	assert_int_equal(m->resources.n, MEASUREMENT_MAX_KERNELS);
}

static void a_full_note_leaves_out_junk_first_then_the_oldest(void **state)
{
	cleanup_measurement struct measurement *old = sample(), *new = sample();
	cleanup_measurement struct measurement *m = sample();
	cleanup_buf struct buf note = BUF_INIT(2600);

	(void)state;
	memcpy(old->id, "20200101T000000Z-aaaaaaaa", sizeof old->id);
	memcpy(m->id, "20190101T000000Z-aaaaaaaa", sizeof m->id);
	measurement_note_add(&note, old);
	measurement_note_add(&note, new);
	assert_in_range(note.len, 1800, 2400);
	buf_adds(&note, "a line by hand\n");
	measurement_note_add(&note, new);
	assert_non_null(strstr(note.data, "a line by hand\n"));
	measurement_note_add(&note, m);
	assert_in_range(note.len, 1, note.limit);
	assert_non_null(strstr(note.data, m->id));
	assert_non_null(strstr(note.data, new->id));
	assert_null(strstr(note.data, old->id));
	assert_null(strstr(note.data, "by hand"));
}

#define ID "20250101T000000Z-0123abcd"

/* `words` of line `rank`, read and written again. */
static char *rewritten(const char *rank, const char *words)
{
	cleanup_free char *text =
		xasprintf(ID " 000 verdict=pass\n" ID " %s %s\n", rank, words);
	cleanup_measurement struct measurement *m =
		measurement_note_latest(text, NULL);
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);

	assert_non_null(m);
	measurement_note_add(&note, m);
	return buf_take(&note);
}

static void what_a_note_cannot_say_is_not_read_out_of_it(void **state)
{
	static const struct {
		const char *rank, *words, *there, *absent;
	} table[] = {
		{"900", "a=\"x\ty\033[1m\"", " a=\"x\ty^[[1m\"\n", "\033"},
		{"900", "a=x\r", " a=x^M\n", "\r"},
		{"900", "a=x\xc2\x9b\xe2\x80\xae\xff", " a=x???\n", "\x9b"},
		{"900", "a=x b\"c=y d=z", " a=x\n", "z"},
		{"900", "\001=x", " ^A=x\n", "\001"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_free char *text =
			rewritten(table[i].rank, table[i].words);

		if (!strstr(text, table[i].there) ||
		    strstr(text, table[i].absent))
			fail_msg("'%s' became '%s'", table[i].words, text);
	}
}

/* ---- figures that cannot be ---------------------------------------------- */

/* A note whose second line says this. */
static struct measurement *noted(const char *rank, const char *words)
{
	cleanup_free char *text =
		xasprintf(ID " 000 verdict=pass\n" ID " %s %s\n", rank, words);

	return measurement_note_latest(text, NULL);
}

static void has_no_figures(const struct measurement *m, const char *said)
{
	cleanup_json struct json *j = measurement_to_json(m);
	cleanup_free char *text = json_print(j);

	if (m->verdict != VERDICT_UNUSABLE || !strstr(m->why, said))
		fail_msg("%s: %s, %s", said, verdict_name(m->verdict),
			 m->why ? m->why : "");
	assert_true(m->score == 0 && m->noise == 0);
	assert_int_equal(m->n_cases + m->n_comparisons, 0);
	assert_null(strstr(text, "e999"));
}

static void a_note_with_figures_that_cannot_be_is_unusable(void **state)
{
	static const struct {
		const char *rank, *words, *said;
	} table[] = {
		{"000", "flop_per_s=nan", "score=nan"},
		{"000", "flop_per_s=inf", "score=inf"},
		{"000", "flop_per_s=-1e9", "score=-1e+09"},
		{"000", "bytes_per_s=1e30", "score=1e+30"},
		{"000", "flop_per_s=1e999999999", "score=inf"},
		{"000", "flop_per_s=many", "score=nan"},
		{"000", "noise=-0.5", "noise=-0.5"},
		{"001", "case=a seconds=nan", "case a says seconds=nan"},
		{"001", "case=a seconds=-1", "seconds=-1"},
		{"001", "case=a rate=1e300", "rate=1e+300"},
		{"001", "case=a error=-inf", "error=-inf"},
		{"001", "case=a weight=-1", "weight=-1"},
		{"001", "case=a ceiling=1e20", "ceiling=1e+20"},
		{"001", "case=a overhead=nan", "overhead=nan"},
		{"500", "of=b ratio=inf", "the comparison with b says ratio="},
		{"500", "of=b ratio=-2 high=3", "ratio=-2"},
		{"500", "of=b ratio=nan high=3 told=faster", "ratio=nan"},
		{"500", "of=b ratio=0.5 high=3 told=faster", "ratio=0.5"},
		{"500", "of=b ratio=2 low=3 high=1 told=faster", "high=1"},
		{"500", "of=b ratio=2 low=1 high=inf told=faster", "high=inf"},
		{"500", "of=b ratio=2 low=1 high=3 told=slower", "ratio=2"},
		{"500", "of=b low=-1 high=3", "low=-1"},
		{"500", "of=b high=nan", "high=nan"},
		{"500", "of=b worst=-1", "worst_case=-1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_measurement struct measurement *m =
			noted(table[i].rank, table[i].words);

		assert_non_null(m);
		has_no_figures(m, table[i].said);
	}
}

/* What our own scoring writes where there were too few blocks. */
static void what_was_not_found_out_is_no_nonsense(void **state)
{
	static const char *const words[] = {
		"of=b ratio=nan low=0.0000 high=inf told=same worst=inf",
		"of=b ratio=-nan low=0.0000 high=inf told=same worst=nan",
		"of=b ratio=0.0000 low=0.0000 high=0.0000 told=slower "
		"worst=0.0000",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		cleanup_measurement struct measurement *m =
			noted("500", words[i]);

		assert_int_equal(m->verdict, VERDICT_PASS);
		assert_int_equal(m->n_comparisons, 1);
	}
}

static void a_failure_keeps_its_reason_without_such_figures(void **state)
{
	cleanup_measurement struct measurement *m = measurement_note_latest(
		ID " 000 verdict=impossible why=quick noise=inf\n", NULL);

	(void)state;
	assert_int_equal(m->verdict, VERDICT_IMPOSSIBLE);
	assert_string_equal(m->why, "quick");
	assert_true(m->noise == 0);
}

/* 0 would be read as a machine without any. */
static void noise_that_is_not_known_is_not_said(void **state)
{
	cleanup_measurement struct measurement *m = sample();
	cleanup_json struct json *known = measurement_to_json(m), *j = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	assert_non_null(json_get(known, "noise"));
	m->noise = 0;
	j = measurement_to_json(m);
	assert_null(json_get(j, "noise"));
	measurement_note_add(&note, m);
	assert_null(strstr(note.data, "noise="));
}

static void the_newest_usable_measurement_comes_before_the_newest(void **state)
{
	cleanup_measurement struct measurement *m = sample(), *back = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	measurement_note_add(&note, m);
	buf_adds(&note, "99990101T000000Z-00000000 000 verdict=pass "
			"flop_per_s=nan\n99990101T000000Z-00000001 900 a=b\n");
	back = measurement_note_latest(note.data, NULL);
	assert_string_equal(back->id, m->id);
}

static struct measurement *from_json(const char *key, const char *value)
{
	cleanup_free char *text = xasprintf(
		"{\"id\":\"" ID "\",\"verdict\":\"pass\",\"score\":1e9,"
		"\"cases\":[{\"name\":\"a\"%s%s}],\"comparisons\":[{"
		"\"rival\":\"start\",\"name\":\"b\"%s%s}]%s%s}",
		*key == 'c' ? "," : "", *key == 'c' ? value : "",
		*key == 'r' ? "," : "", *key == 'r' ? value : "",
		*key == 'h' ? "," : "", *key == 'h' ? value : "");
	cleanup_json struct json *j = NULL;
	struct measurement *m = NULL;

	assert_null(json_parse(&j, text, strlen(text)));
	assert_null(measurement_from_json(&m, j));
	return m;
}

static void a_journal_with_figures_that_cannot_be_is_unusable(void **state)
{
	static const struct {
		const char *where, *member, *said;
	} table[] = {
		{"h", "\"noise\":1e999", "noise=inf"},
		{"h", "\"seconds_build\":-1", "seconds_build=-1"},
		{"h", "\"seconds_judge\":1e11", "seconds_judge="},
		{"h", "\"seconds_timed\":-1e999", "seconds_timed=-inf"},
		{"h", "\"seconds_starting\":-1", "seconds_starting=-1"},
		{"h", "\"seconds_total\":1e300", "seconds_total=1e+300"},
		{"c", "\"seconds\":-3", "seconds=-3"},
		{"c", "\"rate\":1e999", "rate=inf"},
		{"c", "\"error\":1e31", "error=1e+31"},
		{"c", "\"weight\":1e101", "weight=1e+101"},
		{"c", "\"overhead\":1e11", "overhead=1e+11"},
		{"c", "\"ceiling\":-1", "ceiling=-1"},
		{"r", "\"ratio\":1e999", "ratio=inf"},
		{"r",
		 "\"ratio\":3,\"low\":2,\"high\":1e999,"
		 "\"told\":\"faster\"",
		 "high=inf"},
		{"r", "\"worst_case\":-1", "worst_case=-1"},
		{"r", "\"case_ratios\":[1,-2]", "case_ratios=-2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_measurement struct measurement *m =
			from_json(table[i].where, table[i].member);

		has_no_figures(m, table[i].said);
	}
}

static void a_journal_that_counts_too_much_is_bounded(void **state)
{
	cleanup_buf struct buf text = BUF_INIT((size_t)16 << 20);
	cleanup_measurement struct measurement *m = NULL;
	cleanup_json struct json *j = NULL;

	(void)state;
	buf_adds(&text, "{\"id\":\"" ID "\",\"verdict\":\"pass\",\"cases\":[");
	for (size_t i = 0; i < 1000000; i++)
		buf_adds(&text, i ? ",{}" : "{}");
	buf_adds(&text, "],\"kernels\":[");
	for (size_t i = 0; i < 100000; i++)
		buf_addf(&text, "%s{\"name\":\"%zu\",\"registers\":-5}",
			 i ? "," : "", i);
	buf_adds(&text, "],\"environment\":{\"a\":\"b\"");
	for (size_t i = 0; i < 100000; i++)
		buf_addf(&text, ",\"%zu\":\"v\"", i);
	buf_adds(&text, "}}");
	assert_null(json_parse(&j, text.data, text.len));
	assert_null(measurement_from_json(&m, j));
	has_no_figures(m, "over 499 cases");
	assert_int_equal(m->resources.n, MEASUREMENT_MAX_KERNELS);
	assert_int_equal(m->resources.kernel[0].registers, 0);
	assert_int_equal(m->n_environment, MEASUREMENT_MAX_SETTINGS);
}

static void an_id_that_would_write_lines_into_a_note_is_refused(void **state)
{
	static const char text[] =
		"{\"id\":\"20250101T000000Z-0123\\nab\",\"verdict\":\"pass\"}";
	cleanup_json struct json *j = NULL;
	struct measurement *m = NULL;
	cleanup_error struct error *err = NULL;

	(void)state;
	assert_null(json_parse(&j, text, strlen(text)));
	err = measurement_from_json(&m, j);
	assert_true(error_is(err, ERROR_MALFORMED));
}

static void numbers_of_an_entry_are_bounded(void **state)
{
	static const char text[] =
		"{\"kind\":\"measurement\",\"run\":\"r\","
		"\"time_us\":9223372036854775807,"
		"\"number\":9223372036854775807,\"lineage\":-1,"
		"\"new_lineage\":-9223372036854775807,"
		"\"max_attempts\":-2,\"stalled_attempts\":-3,"
		"\"max_seconds\":1e999,\"stalled_seconds\":-1,"
		"\"spent_seconds\":1e999}";
	cleanup_json struct json *j = NULL;
	cleanup_entry struct entry e;
	char time[21];

	(void)state;
	entry_init(&e, ENTRY_STOP, "");
	assert_null(json_parse(&j, text, strlen(text)));
	assert_null(journal_from_json(&e, j));
	assert_in_range(e.number, 0, INT64_C(1) << 40);
	assert_int_equal(e.lineage, 0);
	assert_int_equal(e.new_lineage, 0);
	assert_int_equal(e.max_attempts, 0);
	assert_int_equal(e.stalled_attempts, 0);
	assert_true(e.max_seconds == 0 && e.stalled_seconds == 0 &&
		    e.spent_seconds == 0);
	clock_format(time, e.time_us);
	assert_string_equal(time, "9999-12-31T23:59:59Z");
}

static void a_line_without_a_sound_id_is_no_measurement(void **state)
{
	static const char *const lines[] = {
		"20250101T000000Z-0123abc\033 000 verdict=pass",
		"2025010xT000000Z-0123abcd 000 verdict=pass",
		"20250101T000000Z-0123abcd",
		"20250101T000000Z-0123abcd ",
		"20250101T000000Z-0123abcd 0",
		"",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_null(measurement_note_latest(lines[i], NULL));
}

static void the_newest_comparable_measurement_is_found(void **state)
{
	cleanup_measurement struct measurement *old = sample(), *new = sample();
	cleanup_measurement struct measurement *found = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);
	struct identity other;

	(void)state;
	memcpy(old->id, "20200101T000000Z-aaaaaaaa", sizeof old->id);
	memcpy(new->id, "20250101T000000Z-aaaaaaaa", sizeof new->id);
	new->identity.machine[0] = '9';
	measurement_note_add(&note, new);
	measurement_note_add(&note, old);
	found = measurement_note_latest(note.data, NULL);
	assert_string_equal(found->id, new->id);
	measurement_free(found);
	found = measurement_note_latest(note.data, &old->identity);
	assert_string_equal(found->id, old->id);
	other = old->identity;
	other.task[0] = '9';
	assert_null(measurement_note_latest(note.data, &other));
}

static void a_measurement_from_the_future_is_not_the_newest(void **state)
{
	cleanup_measurement struct measurement *past = sample(),
					       *ahead = sample();
	cleanup_measurement struct measurement *found = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	memcpy(past->id, "20200101T000000Z-aaaaaaaa", sizeof past->id);
	memcpy(ahead->id, "22000101T000000Z-aaaaaaaa", sizeof ahead->id);
	measurement_note_add(&note, ahead);
	found = measurement_note_latest(note.data, NULL);
	assert_string_equal(found->id, ahead->id);
	measurement_free(found);
	measurement_note_add(&note, past);
	found = measurement_note_latest(note.data, NULL);
	assert_string_equal(found->id, past->id);
}

static void a_note_edited_by_hand_does_no_harm(void **state)
{
	cleanup_measurement struct measurement *m = sample();
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);
	struct random r;

	(void)state;
	random_init(&r, 3);
	for (size_t i = 0; i < 3000; i++) {
		cleanup_free char *text = NULL;
		size_t len;

		buf_clear(&note);
		measurement_note_add(&note, m);
		len = note.len;
		text = xstrdup(note.data);
		for (size_t j = 0; j < 4; j++)
			text[random_below(&r, len)] =
				(char)(1 + random_below(&r, 255));
		text[random_below(&r, len)] = '\0';
		measurement_free(measurement_note_latest(text, NULL));
	}
}

static void a_line_in_two_versions_words_is_one_line(void **state)
{
	cleanup_measurement struct measurement *m = sample(), *back = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);
	char *word;

	(void)state;
	m->comparisons[0].decision = DECISION_NONE;
	m->comparisons[0].ratio95 = (struct interval){0.1, 9.9};
	measurement_note_add(&note, m);
	while ((word = strstr(note.data, "told=undecided")))
		memcpy(word, "told=same     ", strlen("told=same     "));
	measurement_note_add(&note, m);
	assert_non_null(strstr(note.data, "told=same "));
	assert_non_null(strstr(note.data, "told=undecided "));
	back = measurement_note_latest(note.data, &m->identity);
	assert_int_equal(back->verdict, VERDICT_PASS);
	assert_int_equal(back->n_cases, 1);
	assert_int_equal(back->n_comparisons, 1);
	assert_int_equal(back->comparisons[0].decision, DECISION_NONE);
	assert_int_equal(back->comparisons[0].blocks, 24);
}

static void json_brings_everything_back_exactly(void **state)
{
	cleanup_measurement struct measurement *m = sample(), *back = NULL;
	cleanup_json struct json *j = NULL, *parsed = NULL;
	cleanup_free char *text = NULL, *again = NULL;
	cleanup_json struct json *second = NULL;

	(void)state;
	measurement_fail(m, VERDICT_WRONG, "c[3] is %g, \xff not text", 0.1);
	m->log = xstrdup("line\nline");
	m->cases[0].seconds = 0.1 + 0.2;
	j = measurement_to_json(m);
	text = json_print(j);
	assert_null(json_parse(&parsed, text, strlen(text)));
	assert_null(measurement_from_json(&back, parsed));
	assert_true(back->cases[0].seconds == 0.1 + 0.2);
	second = measurement_to_json(back);
	again = json_print(second);
	assert_string_equal(text, again);
	assert_int_equal(back->score, 0);
}

static void rates_read_well(void **state)
{
	static const struct {
		double rate;
		bool bytes;
		const char *text;
	} table[] = {
		{8.53e10, false, "85.3 GFLOPS"},
		{1.25e12, false, "1.25 TFLOPS"},
		{2.12e11, true, "212 GB/s"},
		{999, false, "999 FLOPS"},
		{0, false, "0.00 FLOPS"},
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		measurement_format_rate(text, sizeof text, table[i].rate,
					table[i].bytes);
		assert_string_equal(text, table[i].text);
	}
}

static void shares_read_well(void **state)
{
	static const struct {
		double share;
		const char *text;
	} table[] = {
		{0.00412, "0.41 %"},   {0.079, "7.9 %"}, {0.5, "50 %"},
		{0.996, "100 %"},      {1.8, "180 %"},	 {12.34, "1200 %"},
		{1e7, "1000000000 %"},
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		measurement_format_percent(text, sizeof text, table[i].share);
		assert_string_equal(text, table[i].text);
	}
}

/* ---- the journal ------------------------------------------------------- */

static void entries_of_every_kind_come_back(void **state)
{
	(void)state;
	for (int k = 0; k < ENTRY_KIND_COUNT; k++) {
		cleanup_entry struct entry e, back;
		cleanup_json struct json *j = NULL, *parsed = NULL,
					 *second = NULL;
		cleanup_free char *text = NULL, *again = NULL, *subject = NULL;
		const char *kind;

		entry_init(&e, (enum entry_kind)k, "run-1");
		entry_init(&back, ENTRY_STOP, "");
		memset(e.candidate.hex, 'a', COMMIT_ID_LEN);
		memset(e.parent.hex, 'b', COMMIT_ID_LEN);
		e.time_us = INT64_C(1790000000123456);
		e.seed = UINT64_MAX;
		e.number = 12;
		e.subject = xstrdup("TILE 3 -> 4");
		e.reason = xstrdup("attempts");
		e.accepted = true;
		if (k == ENTRY_MEASUREMENT)
			e.measurement = sample();
		j = journal_to_json(&e);
		text = json_print(j);
		assert_null(json_parse(&parsed, text, strlen(text)));
		assert_null(journal_from_json(&back, parsed));
		assert_int_equal(back.kind, k);
		assert_true(back.seed == UINT64_MAX);
		assert_true(back.time_us == e.time_us);
		second = journal_to_json(&back);
		again = json_print(second);
		assert_string_equal(text, again);
		subject = journal_subject(&back);
		assert_true(json_get_string(parsed, "kind", &kind));
		assert_true(starts_with(subject, kind));
	}
}

/* An entry of another clone, with this in the case of its measurement. */
static char *entry_with(const char *members)
{
	return xasprintf(
		"{\"kind\":\"measurement\",\"run\":\"r\",\"measurement\":"
		"{\"id\":\"20990101T000000Z-00000000\",\"verdict\":\"pass\","
		"\"score\":1,\"cases\":[{%s}]}}",
		members);
}

static enum verdict verdict_in(const char *text, size_t len)
{
	cleanup_entry struct entry e;
	cleanup_json struct json *j = NULL;

	entry_init(&e, ENTRY_STOP, "");
	assert_null(json_parse(&j, text, len));
	assert_null(journal_from_json(&e, j));
	return e.measurement->verdict;
}

/* Else the loop takes for measured what it finds unusable. */
static void what_is_skimmed_says_the_same_when_read_whole(void **state)
{
	static const struct {
		const char *members;
		bool usable;
	} cases[] = {
		{"\"seconds\":1.5e-05,\"rate\":93000000000000.5", true},
		{"\"seconds\":-1", false},
		{"\"seconds\":0,\"seconds\":-1", true},
		{"\"s\\u0065conds\":-1", false},
		{"\"seconds\":1e11", false},
		{"\"seconds\":100000000000", false},
		{"\"rate\":1e999", false},
		{"\"ceiling\":1e10", false},
		{"\"overhead\":-0.1", false},
		{"\"weight\":-1", false},
		{"\"error\":1e31", false},
		{"\"seconds\":null", true},
		{"\"seconds\":\"-1\"", true},
		{"\"launches\":-5", true},
		{"\"unknown\":{\"seconds\":-1}", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_free char *text = entry_with(cases[i].members);
		cleanup_buf struct buf skimmed = BUF_INIT(BUF_LIMIT_TEXT);
		enum verdict v = verdict_in(text, strlen(text));

		if ((v == VERDICT_PASS) != cases[i].usable)
			fail_msg("%s: %s", cases[i].members, verdict_name(v));
		if (journal_skim(&skimmed, text, strlen(text)) &&
		    verdict_in(skimmed.data, skimmed.len) != v)
			fail_msg("%s: skimmed it is another", cases[i].members);
	}
}

/* Folding reads what skimming leaves. */
static void a_skimmed_entry_holds_a_brief_measurement(void **state)
{
	cleanup_entry struct entry e, back;
	cleanup_json struct json *j = NULL, *parsed = NULL, *brief = NULL,
				 *read = NULL;
	cleanup_buf struct buf skimmed = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_measurement struct measurement *m = NULL, *n = NULL;
	cleanup_free char *text = NULL, *as_brief = NULL, *as_read = NULL;

	(void)state;
	entry_init(&e, ENTRY_MEASUREMENT, "run-1");
	entry_init(&back, ENTRY_STOP, "");
	memset(e.candidate.hex, 'a', COMMIT_ID_LEN);
	e.measurement = sample();
	measurement_set(e.measurement, "machine", "A Processor");
	measurement_set(e.measurement, "code", "1234");
	measurement_set(e.measurement, "compiler", "cc");
	j = journal_to_json(&e);
	text = json_print(j);
	assert_true(journal_skim(&skimmed, text, strlen(text)));
	assert_null(strstr(skimmed.data, "\"compiler\""));
	assert_null(json_parse(&parsed, skimmed.data, skimmed.len));
	assert_null(journal_from_json(&back, parsed));
	assert_string_equal(back.candidate.hex, e.candidate.hex);
	assert_string_equal(measurement_get(back.measurement, "machine"),
			    "A Processor");
	m = measurement_brief(e.measurement);
	n = measurement_brief(back.measurement);
	brief = measurement_to_json(m);
	read = measurement_to_json(n);
	as_brief = json_print(brief);
	as_read = json_print(read);
	assert_non_null(strstr(as_brief, "\"code\":\"1234\""));
	assert_int_equal(back.measurement->n_cases, 0);
	assert_int_equal(back.measurement->resources.n, 0);
	assert_null(back.measurement->log);
	assert_string_equal(as_brief, as_read);
}

static void an_id_that_is_none_is_dropped(void **state)
{
	static const char text[] =
		"{\"kind\":\"crown\",\"run\":\"r\",\"candidate\":\"../../x\"}";
	cleanup_json struct json *j = NULL;
	cleanup_entry struct entry e;
	cleanup_error struct error *err = NULL;

	(void)state;
	entry_init(&e, ENTRY_STOP, "");
	assert_null(json_parse(&j, text, strlen(text)));
	assert_null(journal_from_json(&e, j));
	assert_string_equal(e.candidate.hex, "");
	json_set_string(j, "kind", "dance");
	err = journal_from_json(&e, j);
	assert_non_null(strstr(error_message(err), "dance"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_note_reads_back_as_it_was_written),
		cmocka_unit_test(what_kernels_take_comes_back_in_every_form),
		cmocka_unit_test(
			note_and_journal_have_one_headline_in_one_order),
		cmocka_unit_test(a_crown_depends_on_the_first_rival_of_the_run),
		cmocka_unit_test(a_share_of_the_card_is_told_where_it_is_known),
		cmocka_unit_test(a_note_keeps_what_others_wrote_and_its_order),
		cmocka_unit_test(a_nul_in_a_note_hides_nothing_behind_it),
		cmocka_unit_test(a_note_of_many_lines_hides_no_measurement),
		cmocka_unit_test(long_lines_hide_no_measurement),
		cmocka_unit_test(a_measurement_of_many_words_is_read_in_part),
		cmocka_unit_test(
			a_full_note_leaves_out_junk_first_then_the_oldest),
		cmocka_unit_test(
			a_note_with_figures_that_cannot_be_is_unusable),
		cmocka_unit_test(what_was_not_found_out_is_no_nonsense),
		cmocka_unit_test(
			a_failure_keeps_its_reason_without_such_figures),
		cmocka_unit_test(noise_that_is_not_known_is_not_said),
		cmocka_unit_test(
			the_newest_usable_measurement_comes_before_the_newest),
		cmocka_unit_test(
			a_journal_with_figures_that_cannot_be_is_unusable),
		cmocka_unit_test(a_journal_that_counts_too_much_is_bounded),
		cmocka_unit_test(
			an_id_that_would_write_lines_into_a_note_is_refused),
		cmocka_unit_test(numbers_of_an_entry_are_bounded),
		cmocka_unit_test(what_a_note_cannot_say_is_not_read_out_of_it),
		cmocka_unit_test(a_line_without_a_sound_id_is_no_measurement),
		cmocka_unit_test(the_newest_comparable_measurement_is_found),
		cmocka_unit_test(
			a_measurement_from_the_future_is_not_the_newest),
		cmocka_unit_test(a_note_edited_by_hand_does_no_harm),
		cmocka_unit_test(a_line_in_two_versions_words_is_one_line),
		cmocka_unit_test(json_brings_everything_back_exactly),
		cmocka_unit_test(rates_read_well),
		cmocka_unit_test(shares_read_well),
		cmocka_unit_test(entries_of_every_kind_come_back),
		cmocka_unit_test(a_skimmed_entry_holds_a_brief_measurement),
		cmocka_unit_test(what_is_skimmed_says_the_same_when_read_whole),
		cmocka_unit_test(an_id_that_is_none_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
