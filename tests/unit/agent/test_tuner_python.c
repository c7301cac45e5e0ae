#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/tuner/python.h"

/* The values of the list, by single blanks. free() disposes. */
static char *values(const char *text)
{
	cleanup_strvec struct strvec list = STRVEC_INIT;
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	assert_null(python_list(&list, text, 64));
	for (size_t i = 0; i < list.n; i++)
		buf_addf(&b, "%s%s", i ? " " : "", list.v[i]);
	return buf_take(&b);
}

static void reads_lists_of_values(void **state)
{
	static const char *const lists[][2] = {
		{"[1, 2, 4,]", "1 2 4"},
		{"(16,)", "16"},
		{"range(3)", "0 1 2"},
		{"list(range(16, 65, 16))", "16 32 48 64"},
		{"range(3, 0, -1)", "3 2 1"},
		{"[i for i in range(3,9,2)]", "3 5 7"},
		{"[16*i for i in range(1,4)]", "16 32 48"},
		{"[2**i for i in range(4)]", "1 2 4 8"},
		{"[-i + 2*(3 - 1) for i in [1, 2]]", "3 2"},
		{"['fast', \"slow\"]", "fast slow"},
		{"[0.5, 1.25]", "0.5 1.25"},
		{"[True, False]", "1 0"},
		{"[max(2, 3) // 2, 7 % 4]", "1 3"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		cleanup_free char *got = values(lists[i][0]);

		assert_string_equal(got, lists[i][1]);
	}
}

static void refuses_what_it_would_have_to_run(void **state)
{
	static const char *const lists[][2] = {
		{"", "a list or a range is missing"},
		{"[1, 2", "a comma is missing"},
		{"[n, 2]", "has a name that has no value"},
		{"open('/etc/passwd')", "a list or a range is missing"},
		{"[__import__('os').system('id')]", "only min and max"},
		{"[i for i in range(9) if i % 2]", "no 'if'"},
		{"range(1000000000)", "more than 64 values"},
		{"range(0, 9, 0)", "a step of 0"},
		{"[2**64]", "a whole result"},
		{"[9223372036854775807 + 1]", "cannot be computed"},
		{"[7 / 2]", "'//' is for whole numbers"},
		{"[1] + [2]", "more follows"},
		{"[16 + (i in [2, 3]) for i in range(1, 3)]", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		cleanup_strvec struct strvec list = STRVEC_INIT;
		cleanup_error struct error *err =
			python_list(&list, lists[i][0], 64);

		assert_non_null(err);
		assert_non_null(strstr(error_message(err), lists[i][1]));
	}
}

static void nests_only_so_deep(void **state)
{
	char text[1024];
	cleanup_strvec struct strvec list = STRVEC_INIT;
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = NULL;

	(void)state;
	memset(text, '(', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	err = python_condition(&b, text);
	assert_non_null(strstr(error_message(err), "nests too deep"));
	error_free(err);
	err = python_list(&list, text, 64);
	assert_non_null(err);
}

static void writes_conditions_in_avogits_words(void **state)
{
	static const char *const conditions[][2] = {
		{"x * y <= 1024", "(x * y <= 1024)"},
		{"pad==0 or (x % 32 != 0)", "(pad == 0) || ((x % 32 != 0))"},
		{"not x and y", "!(x) && y"},
		{"not x == 1", "!((x == 1))"},
		{"1 <= x < y", "(1 <= x && x < y)"},
		{"x in [1, 2]", "(x == 1 || x == 2)"},
		{"x // 2 - -y > 2**3", "(x / 2 - -y > 8)"},
		{"min(x, y) == order", "(min(x, y) == order)"},
		{"(x or y) and not (x and y)", "(x || y) && !((x && y))"},
		{"(x > 1 or y > 1) == z", "(((x > 1) || (y > 1)) == z)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(conditions); i++) {
		cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

		assert_null(python_condition(&b, conditions[i][0]));
		assert_string_equal(b.data, conditions[i][1]);
	}
}

static void refuses_conditions_of_fractions(void **state)
{
	static const char *const conditions[] = {
		"x / y > 1", "x ** y > 1", "x > 1.5",  "x is y", "lambda: 1",
		"f(x) > 1",  "x[0] > 1",   "'a' == b", "x in []"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(conditions); i++) {
		cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_error struct error *err =
			python_condition(&b, conditions[i]);

		assert_non_null(err);
	}
}

/* Python's `x or y` is x or y, not whether one is true. */
static void refuses_the_number_that_or_gives(void **state)
{
	static const char *const conditions[] = {
		"(x or y) == 4",   "2 * (x and y) > 1",
		"x == (y or 1)",   "min(x or y, 2)",
		"(x or y) in [4]", "x in [(x or 4)]",
		"-(x or y) < 0",   "(max(x > 1, y) or z > 1) == 1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(conditions); i++) {
		cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_error struct error *err =
			python_condition(&b, conditions[i]);

		assert_non_null(err);
		assert_non_null(strstr(error_message(err),
				       "only the truth is understood"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_lists_of_values),
		cmocka_unit_test(refuses_what_it_would_have_to_run),
		cmocka_unit_test(nests_only_so_deep),
		cmocka_unit_test(writes_conditions_in_avogits_words),
		cmocka_unit_test(refuses_conditions_of_fractions),
		cmocka_unit_test(refuses_the_number_that_or_gives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
