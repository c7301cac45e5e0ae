#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/score/measurement.h"

static void has_the_prefix_that_fits_or_its_own(void **state)
{
	static const struct {
		double rate;
		const char *unit, *quantity, *text;
	} table[] = {
		{8.53e10, "FLOPS", "flops", "85.3 GFLOPS"},
		{2.12e11, "GB/s", "bytes", "212 GB/s"},
		{2.12e6, "GB/s", "bytes", "0.00212 GB/s"},
		{2.5e13, "GB/s", "bytes", "25000 GB/s"},
		{59.94, "frames/s", "frames", "59.9 frames/s"},
		{59940, "frames/s", "frames", "59.9 kframes/s"},
		{2.4e9, "Mcells/s", "cells", "2400 Mcells/s"},
		{1234, "Tiles/s", "tiles", "1.23 kTiles/s"},
		{1.5e6, "MP/s", "pixels", "1.50 MP/s"},
		{5, "G", "things", "5.00 G"},
		{0, "GB/s", "bytes", "0.00 GB/s"},
		{9e20, "OPS", "OPS", "900000 POPS"},
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		unit_format(text, sizeof text, table[i].rate, table[i].unit,
			    unit_size(table[i].unit, table[i].quantity));
		assert_string_equal(text, table[i].text);
	}
}

static void is_a_short_word_without_what_a_terminal_obeys(void **state)
{
	static const char *const good[] = {"B/s",   "GB/s",	     "frames/s",
					   "m^3/s", "Gcell-steps/s", "a%"};
	static const char *const bad[] = {"",
					  "/s",
					  "1/s",
					  "a b",
					  "\033[31m",
					  "GB/s\n",
					  "seventeenletters/",
					  "G\xc3\xa9/s",
					  "\"",
					  "a=b"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(unit_is_plain(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(unit_is_plain(bad[i]));
}

/* The unit comes with the measurement, through a note and when it is brief. */
static void goes_through_a_note(void **state)
{
	cleanup_measurement struct measurement *m = measurement_new();
	cleanup_measurement struct measurement *back = NULL, *brief = NULL;
	cleanup_buf struct buf note = BUF_INIT(BUF_LIMIT_TEXT);
	char text[64];

	(void)state;
	m->verdict = VERDICT_PASS;
	m->score = 2.4e9;
	measurement_set(m, UNIT_KEY, "Gcells/s");
	measurement_set(m, UNIT_SIZE_KEY, "1e+09");
	measurement_note_add(&note, m);
	assert_non_null(strstr(note.data, " score=\"2.40 Gcells/s\""));
	assert_null(strstr(note.data, "flop"));
	back = measurement_note_latest(note.data, NULL);
	assert_true(back->score == 2.4e9);
	brief = measurement_brief(back);
	measurement_format(text, sizeof text, brief, brief->score);
	assert_string_equal(text, "2.40 Gcells/s");
}

static void a_unit_that_others_forged_is_not_shown(void **state)
{
	cleanup_measurement struct measurement *m = measurement_new();
	static const char *const sizes[] = {"-1", "nan",   "inf",
					    "0",  "1e400", "x"};
	char text[64];

	(void)state;
	measurement_set(m, UNIT_KEY, "\033]0;title\a");
	measurement_format(text, sizeof text, m, 1e9);
	assert_string_equal(text, "1.00 GFLOPS");
	measurement_set(m, UNIT_KEY, "GB/s");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		measurement_set(m, UNIT_SIZE_KEY, sizes[i]);
		measurement_format(text, sizeof text, m, 12);
		assert_string_equal(text, "12.0 GB/s");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_prefix_that_fits_or_its_own),
		cmocka_unit_test(is_a_short_word_without_what_a_terminal_obeys),
		cmocka_unit_test(goes_through_a_note),
		cmocka_unit_test(a_unit_that_others_forged_is_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
