#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/journal.h"
#include "core/measurement.h"
#include "core/random.h"

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
	p->told = TOLD_FASTER;
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
	assert_int_equal(back->comparisons[0].told, TOLD_FASTER);
	assert_string_equal(back->comparisons[0].name, m->comparisons[0].name);
	assert_string_equal(measurement_get(back, "machine"),
			    measurement_get(m, "machine"));
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

static void a_note_of_too_many_lines_loses_none_of_ours(void **state)
{
	cleanup_measurement struct measurement *m = sample(), *back = NULL;
	cleanup_buf struct buf note = BUF_INIT((size_t)4 << 20);

	(void)state;
	for (size_t i = 0; i < 200000; i++)
		buf_addf(&note, "%06zu\n", i);
	measurement_note_add(&note, m);
	assert_true(note.truncated);
	assert_non_null(strstr(note.data, m->id));
	buf_clear(&note);
	buf_adds(&note, "short\n");
	measurement_note_add(&note, m);
	assert_false(note.truncated);
	back = measurement_note_latest(note.data, NULL);
	assert_string_equal(back->id, m->id);
}

#define ID "20250101T000000Z-0123abcd"

/* `words` of line `rank`, read and written again. */
static char *rewritten(const char *rank, const char *words)
{
	cleanup_free char *text = xasprintf(ID " %s %s\n", rank, words);
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
		{"900", "a=\"x\ty\033[1m\"", " a=xy[1m\n", "\033"},
		{"900", "a=x\r", " a=x\n", "\r"},
		{"900", "a=x b\"c=y d=z", " a=x\n", "z"},
		{"900", "\001=x", ID " 000 ", " 900"},
		{"500", "low=1e300", " low=10000000000000000525", " low=1e"},
		{"500", "high=-1e300", "59400540160.0000 ", " high=-1e"},
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

/* ---- the journal ------------------------------------------------------- */

static void entries_of_every_kind_come_back(void **state)
{
	(void)state;
	for (int k = 0; k < ENTRY_KIND_COUNT; k++) {
		cleanup_entry struct entry e, back;
		cleanup_json struct json *j = NULL, *parsed = NULL,
					 *second = NULL;
		cleanup_free char *text = NULL, *again = NULL, *subject = NULL;

		entry_init(&e, (enum entry_kind)k, "run-1");
		entry_init(&back, ENTRY_STOP, "");
		memset(e.candidate, 'a', COMMIT_ID_LEN);
		memset(e.parent, 'b', COMMIT_ID_LEN);
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
		assert_true(starts_with(subject,
					entry_kind_name((enum entry_kind)k)));
	}
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
	assert_string_equal(e.candidate, "");
	json_set_string(j, "kind", "dance");
	err = journal_from_json(&e, j);
	assert_non_null(strstr(error_message(err), "dance"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_note_reads_back_as_it_was_written),
		cmocka_unit_test(what_kernels_take_comes_back_in_every_form),
		cmocka_unit_test(a_share_of_the_card_is_told_where_it_is_known),
		cmocka_unit_test(a_note_keeps_what_others_wrote_and_its_order),
		cmocka_unit_test(a_nul_in_a_note_hides_nothing_behind_it),
		cmocka_unit_test(a_note_of_too_many_lines_loses_none_of_ours),
		cmocka_unit_test(what_a_note_cannot_say_is_not_read_out_of_it),
		cmocka_unit_test(a_line_without_a_sound_id_is_no_measurement),
		cmocka_unit_test(the_newest_comparable_measurement_is_found),
		cmocka_unit_test(a_note_edited_by_hand_does_no_harm),
		cmocka_unit_test(json_brings_everything_back_exactly),
		cmocka_unit_test(rates_read_well),
		cmocka_unit_test(entries_of_every_kind_come_back),
		cmocka_unit_test(an_id_that_is_none_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
