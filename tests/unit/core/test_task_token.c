#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/token.h"

#define MOST 512

static size_t read_all(struct token out[MOST], const char *text)
{
	size_t n = 0;

	while (n < MOST && (out[n] = token_next(&text)).len)
		n++;
	return n;
}

static size_t find(const struct token *t, size_t n, const char *text)
{
	size_t i = 0;

	while (i < n && !token_is(t[i], text))
		i++;
	return i;
}

/* From the first "<" of each to the end; and back. */
static void brackets_of_templates_find_each_other(void **state)
{
	static const char *const whole[] = {
		"f<int>",
		"f<>",
		"f<g<int, 4>, h<2>>",
		"f<(a > b), 3>",
		"f<int{4}, decltype(p->q)>",
		"f<[](int x) { return x < 3; }>",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		struct token t[MOST];
		size_t n = read_all(t, whole[i]), open = find(t, n, "<");

		assert_int_equal(token_other_angle(t, n, open), n - 1);
		assert_int_equal(token_other_angle(t, n, n - 1), open);
	}
}

static void less_than_is_no_bracket_of_a_template(void **state)
{
	static const char *const parts[] = {
		"if (a < b) c > d",	     "a < b; c > d", "x[a < b] > d",
		"enum { A = b < c }; d > e", "a < b",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct token t[MOST];
		size_t n = read_all(t, parts[i]), close = find(t, n, ">");

		assert_int_equal(token_other_angle(t, n, find(t, n, "<")), 0);
		if (close < n)
			assert_int_equal(token_other_angle(t, n, close), 0);
	}
}

static void brackets_far_apart_are_not_looked_for(void **state)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	struct token t[MOST];
	size_t n;

	(void)state;
	buf_adds(&text, "f<0");
	for (size_t i = 0; i < TOKEN_ARGUMENTS; i++)
		buf_adds(&text, " 0");
	buf_adds(&text, ">");
	n = read_all(t, text.data);
	assert_int_equal(token_other_angle(t, n, 1), 0);
	assert_int_equal(token_other_angle(t, n, n - 1), 0);
	assert_int_equal(token_other_angle(t + 6, n - 6, n - 7), 0);
}

static void arguments_come_one_after_another(void **state)
{
	static const struct {
		const char *whole;
		size_t n;
		const char *last; /* its first token */
	} all[] = {
		{"f<>", 0, ""},
		{"f<int>", 1, "int"},
		{"f<unsigned char, 256>", 2, "256"},
		{"f<g<int, 4>, h(1, 2), 7>", 3, "7"},
		{"f<(a > b, c), d>", 2, "d"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct token t[MOST];
		size_t n = read_all(t, all[i].whole), close = n - 1;
		size_t from = 0, to = 1, found = 0;

		while (token_next_argument(t, &from, &to, close))
			found++;
		assert_int_equal(found, all[i].n);
		assert_true(!found || token_is(t[from], all[i].last));
		assert_int_equal(to, close);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(brackets_of_templates_find_each_other),
		cmocka_unit_test(less_than_is_no_bracket_of_a_template),
		cmocka_unit_test(brackets_far_apart_are_not_looked_for),
		cmocka_unit_test(arguments_come_one_after_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
