/* Which values a number is meant to have, by what the source compares it with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/loops.h"

/* int f(const float *x, float *y, unsigned n, int m) with this body. */
static void read_body(struct prototype *out, const char *body)
{
	static const char *const names[] = {"x", "y", "n", "m"};
	cleanup_free char *source = xasprintf(
		"enum { GRAY = 1, RGB = 3 };\n"
		"static int g(int a, int k) { switch (k) { case GRAY: return "
		"a; case RGB: return 2 * a; } return 0; }\n"
		"int f(const float *x, float *y, unsigned n, int m)\n"
		"{\n%s\n}\n",
		body);

	*out = (struct prototype){.language = LANGUAGE_C,
				  .name = xstrdup("f"),
				  .has_result = true,
				  .result_dtype = DTYPE_I32};
	for (; out->n < ARRAY_SIZE(names); out->n++) {
		struct parameter *a = &out->parameter[out->n];

		a->name = xstrdup(names[out->n]);
		a->type = xstrdup(out->n < 2 ? "float" : "int");
		a->known = true;
		a->is_pointer = out->n < 2;
		a->is_const = out->n == 0;
		a->dtype = out->n < 2 ? DTYPE_F32 : DTYPE_I32;
	}
	loops_read(out, source);
}

static char *values_of(const struct parameter *a)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < a->n_values; i++)
		buf_addf(&text, "%s%jd", i ? " " : "", (intmax_t)a->value[i]);
	buf_adds(&text, a->any_value ? " any" : "");
	return buf_take(&text);
}

#define LOOP "for (unsigned i = 0; i < n; i++) y[i] = x[i];"

static void finds_what_a_number_is_compared_with(void **state UNUSED)
{
	static const struct {
		const char *body, *values;
	} rows[] = {
		{"switch (m) { case 1: " LOOP " break; case 4: case 2: y[0] = "
		 "0; break; }",
		 "1 2 4"},
		{"switch (m) { case 1 ... 3: " LOOP " }", "1 2 3"},
		{"switch (m) { case RGB: " LOOP " break; case 'a': y[0] = 0; }",
		 ""}, /* too far from each other */
		{"switch (m) { case RGB: " LOOP " break; case GRAY: y[0] = 0; "
		 "break; default: return -1; }",
		 "1 3"},
		{"switch (m) { case 0: " LOOP
		 " break; case 1: y[0] = 0; break; "
		 "default: y[1] = 1; }",
		 "0 1 any"},
		{"if (m == 3) { " LOOP " } else if (m == 4) y[0] = 1;", "3 4"},
		{"if (m == 3) { " LOOP
		 " } else if (4 == m) y[0] = 1; else y[1] "
		 "= 2;",
		 "3 4 any"},
		{"if (m == 3) { " LOOP " } else if (m == 4) y[0] = 1; else "
		 "return 1;",
		 "3 4"},
		{"if (m != 1 && m != 2 && m != 8) return 1; " LOOP, "1 2 8"},
		{"const int b = m; if (b == 1) { " LOOP " } if (b == 2) y[0] = "
		 "0;",
		 "1 2"},
		{LOOP " y[0] = g(1, m);", "1 3"},
		{LOOP " y[0] = g(m, 1);", ""},
		{LOOP " switch (m & 3) { case 1: y[0] = 0; case 2: y[1] = 0; }",
		 ""},
		/* One is a short cut. */
		{"if (m == 1) return 0; for (int i = 0; i < m; i++) y[i] = "
		 "x[i];",
		 ""},
		/* A size with cases of its own. */
		{"if (m == 1) return 0; if (m == 2) return 1; for (int i = 0; "
		 "i "
		 "< m; i++) y[i] = x[i];",
		 ""},
		{"switch (m) { case 1: y[0] = 1; break; case 2: y[1] = 1; "
		 "break; default: for (int i = 0; i < m; i++) y[i] = x[i]; }",
		 ""},
		{"if (m == 0) return 0; if (m == 1) return 1; other(x, m);",
		 ""},
		{"while (m >= 4) { y[m] = 0; m -= 4; } switch (m) { case 3: "
		 "y[2] = 0; case 2: y[1] = 0; case 1: y[0] = 0; }",
		 ""},
		{"if (m == 2) return 0; if (m == 3) return 1; while (m--) y[m] "
		 "= 0;",
		 ""},
		{"switch (m) { case -1: " LOOP " break; case 2: y[0] = 0; }",
		 ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		cleanup_free char *found = NULL;

		read_body(&p, rows[i].body);
		found = values_of(&p.parameter[3]);
		if (!str_eq(found, rows[i].values))
			fail_msg("%s: %s", rows[i].body, found);
	}
}

static void knows_a_result_that_says_whether_sizes_are_right(
	void **state UNUSED)
{
	static const struct {
		const char *body;
		bool is_status;
	} rows[] = {
		{"if (m != 1) return -1; " LOOP " return 0;", true},
		{LOOP " return x[0] < 0 ? 1 : 0;", false},
		{LOOP " return x[0] < 0;", false},
		{LOOP " if (x[0] < 0) return 1; return 0;", false},
		{"for (int i = 0; i < n; i++) { if (x[i] < 0) return 1; y[i] = "
		 "1; } return 0;",
		 false},
		{"int c = 0; for (int i = 0; i < n; i++) c += x[i] < 0; return "
		 "c;",
		 false},
		{LOOP " return n;", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_body(&p, rows[i].body);
		if (p.is_status != rows[i].is_status)
			fail_msg("%s", rows[i].body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_a_number_is_compared_with),
		cmocka_unit_test(
			knows_a_result_that_says_whether_sizes_are_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
