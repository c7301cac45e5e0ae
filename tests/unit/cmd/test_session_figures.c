#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "cmd/session/figures.h"

static void expect(const char *text, const char *label, double value)
{
	cleanup_printed_figures struct printed_figures f = {0};
	const struct figure *found;

	figures_read(&f, text, strlen(text));
	found = figures_find(&f, label);
	if (!found)
		fail_msg("no '%s' in '%s'", label, text);
	assert_true(found->value == value);
}

static void knows_a_number_by_the_text_of_its_line(void **state)
{
	(void)state;
	expect("time 1.25 ms", "time * ms", 1.25);
	expect("  gemm2 1e-3s of 10\n", "gemm2 *s of #", 1e-3);
	expect("a 1\na 2\na 3\n", "a * (2)", 2);
	expect("a=5,b=6", "a=#,b=*", 6);
	expect("1.5.2 is a version", "*.2 is a version", 1.5);
	expect("\033[1mrate 7\r\n", "^[[#mrate *", 7);
	expect("no end 3", "no end *", 3);
}

static void takes_no_word_for_a_number(void **state)
{
	static const char *const none[] = {"",	 "\n\n", "nan inf", "x86 a_1",
					   "e9", "\0\0", "1e999"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		cleanup_printed_figures struct printed_figures f = {0};

		figures_read(&f, none[i], strlen(none[i]));
		assert_int_equal(f.n, 0);
	}
}

static void bounds_what_it_reads(void **state)
{
	cleanup_printed_figures struct printed_figures f = {0};
	char *text = xcalloc(100001, 1);

	(void)state;
	for (size_t i = 0; i < 100000; i += 2)
		memcpy(text + i, i % 500 == 498 ? "1\n" : "1 ", 2);
	figures_read(&f, text, 100000);
	assert_in_range(f.n, 1, FIGURES_MAX);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_a_number_by_the_text_of_its_line),
		cmocka_unit_test(takes_no_word_for_a_number),
		cmocka_unit_test(bounds_what_it_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
