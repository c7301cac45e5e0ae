#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/task/expr.h"
#include "core/base/buf.h"
#include "core/base/strvec.h"

static char *names[] = {(char *)(uintptr_t) "m", (char *)(uintptr_t) "k"};
static int64_t values[] = {7, 3};
static const bool has_values[] = {true, true};
static const struct symbols symbols = {names, values, 2};

static void evaluates_as_c_does(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} table[] = {
		{"1 + 2 * 3", 7},
		{"(1 + 2) * 3", 9},
		{"m * k - 1", 20},
		{"-m + 10", 3},
		{"m / 2 % 2", 1},
		{"10 - 3 - 2", 5},
		{"min(m, k) + max(m, k)", 10},
		{"ceil_div(m, 2)", 4},
		{"align(m, 4)", 8},
		{"m % 7 == 0 && k < 4", 1},
		{"m <= 6 || !(k != 3)", 1},
		{"1 < 2 == 1", 1},
		{"9223372036854775807", INT64_MAX},
		{"m == 7 || k % (m - 7) == 0", 1},
		{"m != 7 && k % (m - 7) == 0", 0},
		{"m == 8 || k", 1},
		{"m == 7 && k - 3", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_expr struct expr *e = NULL;
		int64_t v = 0;

		assert_null(expr_parse(&e, table[i].text));
		assert_null(expr_eval(&v, e, &symbols));
		if (v != table[i].value)
			fail_msg("%s is %jd", table[i].text, (intmax_t)v);
		expr_bind(e, names, ARRAY_SIZE(names));
		assert_true(expr_eval_at(&v, e, values, has_values));
		if (v != table[i].value)
			fail_msg("%s is %jd, bound", table[i].text,
				 (intmax_t)v);
	}
}

static void says_what_is_wrong_with_a_text(void **state)
{
	static const char *const bad[] = {
		"",	  "1 +",       "(1",	 "1 2",
		"min(1)", "pow(2, 3)", "m +* k", "99999999999999999999",
		"1 $ 2",  "min(1, 2",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct expr *e = NULL;
		cleanup_error struct error *err = expr_parse(&e, bad[i]);

		assert_non_null(err);
		assert_null(e);
		assert_non_null(strstr(error_message(err), bad[i]));
	}
}

static void refuses_what_has_no_value(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"1 / (m - 7)", "divides by zero"},
		{"m % 0", "divides by zero"},
		{"9223372036854775807 + m", "overflows"},
		{"9223372036854775807 * 2", "overflows"},
		{"n + 1", "unknown symbol, n"},
		{"m == 7 || n", "unknown symbol, n"},
		{"m == 8 || k % (m - 7) == 0", "divides by zero"},
		{"align(0 - m, 4)", "negative"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_expr struct expr *e = NULL;
		cleanup_error struct error *err = NULL;
		int64_t v = 42;

		assert_null(expr_parse(&e, bad[i].text));
		err = expr_eval(&v, e, &symbols);
		assert_non_null(err);
		assert_non_null(strstr(error_message(err), bad[i].message));
		assert_int_equal(v, 42);
	}
}

static void bounds_how_deep_it_nests(void **state)
{
	cleanup_error struct error *err = NULL;
	struct expr *e = NULL;
	char text[2001];

	(void)state;
	memset(text, '(', 1000);
	text[1000] = '\0';
	err = expr_parse(&e, text);
	assert_non_null(err);
	error_free(err);
	memset(text, '-', 2000);
	text[2000] = '\0';
	err = expr_parse(&e, text);
	assert_non_null(err);
}

static void names_every_symbol_once(void **state)
{
	cleanup_expr struct expr *e = NULL;
	cleanup_strvec struct strvec found = STRVEC_INIT;

	(void)state;
	assert_null(expr_parse(&e, "m * k + min(m, tile)"));
	expr_symbols(&found, e);
	assert_int_equal(found.n, 3);
	assert_true(strvec_has(&found, "tile"));
}

static void becomes_code_that_c_and_python_read(void **state)
{
	static const struct {
		const char *text, *code;
	} table[] = {
		{"1 + 2 * m", "(1L + (2L * s_m))"},
		{"-m + 10", "(negate(s_m) + 10L)"},
		{"m / 2 % 2", "modulo(divide(s_m, 2L), 2L)"},
		{"10 - 3 - 2", "((10L - 3L) - 2L)"},
		{"ceil_div(m, 2) > align(k, 4)",
		 "is_less(align_up(s_k, 4L), ceil_div(s_m, 2L))"},
		{"m >= 6 || !(k != 3)", "is_true(is_at_most(6L, s_m) or "
					"is_not(is_not(is_equal(s_k, 3L))))"},
		{"min(m, k) && k", "is_true(minimum(s_m, s_k) and s_k)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_expr struct expr *e = NULL;
		cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

		assert_null(expr_parse(&e, table[i].text));
		expr_code(&out, e, "s_", "L");
		assert_string_equal(out.data, table[i].code);
		assert_null(expr_only_symbol(e));
	}
}

static void is_true_in_python_where_it_is_here(void **state)
{
	static const char *const table[][2] = {
		{"(m && k) == 1", "(((m != 0) and (k != 0)) == 1)"},
		{"m < k || !m", "((m < k) or (not m))"},
		{"m + k && m", "(((m + k) != 0) and (m != 0))"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_expr struct expr *e = NULL;
		cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

		assert_null(expr_parse(&e, table[i][0]));
		expr_python(&out, e);
		assert_string_equal(out.data, table[i][1]);
	}
}

static void tells_a_lone_symbol(void **state)
{
	cleanup_expr struct expr *e = NULL;

	(void)state;
	assert_null(expr_parse(&e, "(m)"));
	assert_string_equal(expr_only_symbol(e), "m");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evaluates_as_c_does),
		cmocka_unit_test(says_what_is_wrong_with_a_text),
		cmocka_unit_test(refuses_what_has_no_value),
		cmocka_unit_test(bounds_how_deep_it_nests),
		cmocka_unit_test(names_every_symbol_once),
		cmocka_unit_test(becomes_code_that_c_and_python_read),
		cmocka_unit_test(is_true_in_python_where_it_is_here),
		cmocka_unit_test(tells_a_lone_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
