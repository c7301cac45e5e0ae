/* What indices in an array say of shapes, and shapes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/loops.h"

/* f([const] T *x, float *y, unsigned n, int m) with this body, behind other text. */
static void read_behind(struct prototype *out, const char *text,
			const char *body, enum dtype type, bool is_const)
{
	static const char *const names[] = {"x", "y", "n", "m"};
	cleanup_free char *source =
		xasprintf("%s\nvoid f(%sint *x, float *y, unsigned n, int m)\n"
			  "{\n%s\n}\n",
			  text, is_const ? "const " : "", body);

	*out = (struct prototype){.language = LANGUAGE_C, .name = xstrdup("f")};
	for (; out->n < ARRAY_SIZE(names); out->n++) {
		struct parameter *a = &out->parameter[out->n];

		a->name = xstrdup(names[out->n]);
		a->known = true;
		a->is_pointer = out->n < 2;
		a->is_const = out->n == 0 && is_const;
		a->dtype = out->n == 0	 ? type
			   : out->n == 1 ? DTYPE_F32
			   : out->n == 2 ? DTYPE_U32
					 : DTYPE_I32;
	}
	loops_read(out, source);
}

static void read_source(struct prototype *out, const char *body,
			enum dtype type, bool is_const)
{
	read_behind(out, "", body, type, is_const);
}

/* What m is used for, so that its name says nothing of the others. */
#define USES_M "y[0] = m; "

static void knows_what_indices_in_an_array_reach(void **state)
{
	static const struct {
		enum dtype type;
		const char *body, *x, *y, *contents, *high;
		bool ascends;
	} rows[] = {
		{DTYPE_I32, USES_M "for (int i = 0; i < n; i++) y[x[i]] = 1;",
		 "n", "x_max + 1", "x_max", NULL, false},
		{DTYPE_I32,
		 "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) "
		 "y[x[i] * m + j] = 1;",
		 "n", "x_max + 1, m", "x_max", NULL, false},
		{DTYPE_I32,
		 USES_M
		 "for (int i = 0; i < n; i++) for (int j = x[i]; j < x[i + 1]; "
		 "j++) y[j] = 1;",
		 "n + 1", "x_max", "x_max", NULL, true},
		{DTYPE_I64,
		 "for (int i = 0; i < n; i++) { long b = x[i], e = x[i + 1]; "
		 "while (b < e) y[b++] = m; }",
		 "n + 1", "x_max", "x_max", NULL, true},
		/* Where a row begins is where the one before ended. */
		{DTYPE_I32,
		 USES_M
		 "int b = x[0]; for (int i = 0; i < n; i++) { int e = "
		 "x[i + 1]; for (int j = b; j < e; j++) y[j] = 1; b = e; }",
		 "n + 1", "x_max", "x_max", NULL, true},
		{DTYPE_I32,
		 USES_M
		 "int b = x[0]; for (int i = 0; i < n; i++) { int e = "
		 "x[i + 1]; for (int j = b; j < e; j++) y[j] = 1; e = 2 * e; "
		 "b = e; }",
		 "n + 1", "1", NULL, NULL, false},
		/* A row's length is counted down. */
		{DTYPE_I32,
		 USES_M
		 "for (int i = 0; i < n; i++) for (int k = x[i + 1] - x[i]; k "
		 "> 0; k--) y[x[i] + k] = 1;",
		 "n + 1", "2 * x_max + 1", "x_max", NULL, true},
		{DTYPE_U8, "for (int i = 0; i < n; i++) y[x[i]] += m;", "n",
		 "256", NULL, NULL, false},
		{DTYPE_U8, "for (int i = 0; i < n; i++) y[x[i] & 15] += m;",
		 "n", "16", NULL, NULL, false},
		{DTYPE_I8, "for (int i = 0; i < n; i++) y[x[i]] += m;", "n",
		 NULL, NULL, NULL, false},
		{DTYPE_I32, "for (int i = 0; i < n; i++) y[i] = x[i] + m;", "n",
		 "n", NULL, NULL, false},
		/* What has a size of its own is not made for the indices. */
		{DTYPE_I32,
		 "for (int i = 0; i < m; i++) y[i] = 0; for (int i = 0; i < n; "
		 "i++) y[x[i]] += 1;",
		 "n", "m", NULL, "m - 1", false},
		{DTYPE_I32,
		 "for (int i = 0; i < n; i++) y[x[i]] += 1; for (int i = 0; i "
		 "< "
		 "m; i++) y[i] *= 2;",
		 "n", "m", NULL, "m - 1", false},
		{DTYPE_I32,
		 "for (int i = 0; i < n * m; i++) y[i] = 0; for (int i = 0; i "
		 "< n; i++) for (int j = 0; j < m; j++) y[x[i] * m + j] = 1;",
		 "n", "n * m", NULL, "n - 1", false},
		{DTYPE_I32,
		 "for (int i = 0; i < m; i++) y[i] = 0; for (int i = 0; i < n; "
		 "i++) for (int j = x[i]; j < x[i + 1]; j++) y[j] = 1;",
		 "n + 1", "m", NULL, "m", true},
		{DTYPE_I32,
		 "for (int i = 0; i < m; i++) y[i] = 0; for (int i = 0; i < n; "
		 "i++) y[x[i] + 2] += 1;",
		 "n", "m", NULL, "m - 3", false},
		/* Of 1 and 1 there would be no element that fits. */
		{DTYPE_I32,
		 "for (int i = 0; i < n * m; i++) y[i] = 0; for (int i = 0; i "
		 "< n; i++) y[x[i] + 2] += 1;",
		 "n", "n * m", NULL, NULL, false},
		/* Nor where a parameter that does nothing else says the size. */
		{DTYPE_I32, "for (int i = 0; i < n; i++) y[x[i]] = 1;", "n",
		 "m", NULL, "m - 1", false},
		{DTYPE_I32,
		 "(void)m; for (int i = 0; i < n; i++) if (x[i] < m) y[x[i]] = "
		 "1;",
		 "n", "m", NULL, "m - 1", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		const struct parameter *x = &p.parameter[0];
		const char *y;

		read_source(&p, rows[i].body, rows[i].type, true);
		y = p.parameter[1].shape;
		if (!str_eq(x->shape, rows[i].x) || !y != !rows[i].y ||
		    (y && !str_eq(y, rows[i].y)) ||
		    !x->contents != !rows[i].contents ||
		    !x->high != !rows[i].high ||
		    (x->high && !str_eq(x->high, rows[i].high)) ||
		    x->indexes != (rows[i].high != NULL) ||
		    x->ascends != rows[i].ascends || p.flops)
			fail_msg("%s: %s, to %s, %s %s", rows[i].body,
				 y ? y : "?", x->high ? x->high : "?",
				 p.flops ? p.flops : "",
				 x->ascends ? "ascends" : "");
	}
}

/* What is not `const` is as good where nothing writes it. */
static void takes_what_nothing_writes_for_indices(void **state)
{
	static const struct {
		const char *body, *y;
	} rows[] = {
		{"for (int i = 0; i < n; i++) y[x[i]] = m;", "x_max + 1"},
		{"for (int i = 0; i < n; i++) { x[i] = m; y[x[i]] = 1; }",
		 NULL},
		{"for (int i = 0; i < n; i++) y[x[i]] = m; other(x);", NULL},
		{"for (int i = 0; i < n; i++) y[x[i]] = m; x[0]++;", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		const char *y;

		read_source(&p, rows[i].body, DTYPE_I32, false);
		y = p.parameter[1].shape;
		if (!y != !rows[i].y || (y && !str_eq(y, rows[i].y)))
			fail_msg("%s: %s", rows[i].body, y ? y : "?");
	}
}

/* Such integers have all values: the low byte alone would put small ones in order. */
static void knows_what_is_put_in_order(void **state)
{
	static const struct {
		const char *body;
		bool ordered, summed, limited;
	} rows[] = {
		{"for (int i = 1; i < n; i++) if (x[i] < x[i - 1]) y[i] = m;",
		 true, false, false},
		{"int most = 0; for (int i = 0; i < n; i++) if (x[i] > most) "
		 "most = x[i]; y[0] = most;",
		 true, false, false},
		{"int best = x[0]; for (int i = 0; i < n; i++) best = "
		 "std::max(best, x[i]); y[0] = best;",
		 true, false, false},
		{"for (int i = 0; i < n; i++) { int k = x[i]; int j = i; while "
		 "(j > 0 && x[j - 1] >= k) { x[j] = x[j - 1]; j--; } x[j] = k; "
		 "}",
		 true, false, false},
		{"for (int i = 1; i < n; i++) { int k = x[i], j; for (j = i; j "
		 "> 0 && x[j - 1] > k; j--) x[j] = x[j - 1]; x[j] = k; }",
		 true, false, false},
		{"int i = 0; for (int k = 0; k < m; k++) { while (i < n && "
		 "x[i] < x[0]) i++; y[i] = x[i]; }",
		 true, false, false},
		{"for (int i = 1; i < n; i++) y[i] = x[i] <= x[i - 1] ? x[i] + "
		 "1 : m;",
		 true, true, false},
		{"for (int i = 0; i < n; i++) if (x[i] < m) y[i] = 1;", false,
		 false, false},
		{"for (int i = 0; i < n; i++) if (x[i] < 100) y[i] = m;", false,
		 false, false},
		{"for (int i = 0; i < n; i++) y[i] = x[i] == x[0] ? m : 0;",
		 false, false, false},
		/* An index, or what may be one elsewhere. */
		{"for (int i = 1; i < n; i++) if (x[i] < x[i - 1]) y[x[i]] = "
		 "m;",
		 true, false, true},
		{"for (int i = 1; i < n; i++) if (x[i] < x[i - 1]) "
		 "other(x[i]);",
		 true, false, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		const struct parameter *x = &p.parameter[0];

		read_source(&p, rows[i].body, DTYPE_I32, false);
		if (x->elements_ordered != rows[i].ordered ||
		    (rows[i].ordered &&
		     (x->elements_summed != rows[i].summed ||
		      x->elements_limited != rows[i].limited)))
			fail_msg("%s: %d, %d, %d", rows[i].body,
				 x->elements_ordered, x->elements_summed,
				 x->elements_limited);
	}
}

/* What compares is a function, a lambda or an object; who puts in order, the library. */
static void knows_what_is_put_in_order_by_others(void **state)
{
	static const char by_address[] =
		"int by(const void *p, const void *q) { int a = *(const int "
		"*)p, b = *(const int *)q; return a < b ? -1 : a > b; }";
	static const char by_value[] =
		"struct by { bool operator()(int a, int b) const { return a < "
		"b; } };";
	static const char equal[] = "bool by(int a, int b) { return a == b; }";
	static const struct {
		const char *text, *body, *shape;
		bool ordered, limited;
	} rows[] = {
		{"", "std::sort(x, x + n);", "n", true, false},
		{"", "std::sort(x + 1, x + n - 1);", "n - 1", true, false},
		{"", "std::stable_sort(x, x + n, std::greater<>());", "n", true,
		 false},
		{"", "std::ranges::nth_element(x, x + m, x + n);", "n", true,
		 false},
		{"", "std::sort(std::execution::par, x, x + n);", "n", true,
		 false},
		{"", "y[0] = *std::max_element(x, x + n);", "n", true, false},
		{"", "y[0] = std::lower_bound(x, x + n, m) - x;", "n", true,
		 false},
		{by_address, "qsort(x, n, sizeof *x, by);", "n", true, false},
		{by_address, "qsort(x, n, sizeof(struct pair), &by);", "n",
		 true, false},
		{"", "qsort(x, n, sizeof *x, other);", "n", false, false},
		{by_value, "std::sort(x, x + n, by());", "n", true, false},
		{by_value, "std::sort(x, x + n, by{});", "n", true, false},
		{equal, "std::sort(x, x + n, by);", "n", false, false},
		{"", "std::sort(x, x + n, [](int a, int b) { return a < b; });",
		 "n", true, false},
		{"",
		 "auto by = [=](int a, int b) { return x[a] < x[b]; }; for "
		 "(int i = 1; i < n; i++) if (by(i, i - 1)) y[i] = 1;",
		 "n", true, false},
		{"template <class T> void g(int *a, int k, T by) { for (int i "
		 "= 1; i < k; i++) if (by(a[i], a[i - 1])) a[i] = 0; }",
		 "g(x, n, [](int a, int b) { return a < b; });", "n", true,
		 false},
		{"", "std::sort(x, x + n, other);", "n", true, true},
		/* What is put in order is a copy. */
		{"",
		 "memcpy(y, x, n * sizeof *x); qsort(y, n, sizeof *y, [](const "
		 "void *p, const void *q) { return *(const float *)p < *(const "
		 "float *)q; });",
		 "n", true, false},
		{"",
		 "for (int i = 0; i < n; i++) y[i] = x[i]; std::sort(y, y + "
		 "n);",
		 "n", true, false},
		/* It calls itself, with parts. */
		{"void q(int *a, int low, int high) { int at = low; for (int i "
		 "= low; i < high; i++) if (a[i] < a[high]) { int t = a[at]; "
		 "a[at++] = a[i]; a[i] = t; } q(a, low, at - 1); q(a, at, "
		 "high); }",
		 "q(x, 0, n - 1);", "n", true, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		const struct parameter *x = &p.parameter[0];

		read_behind(&p, rows[i].text, rows[i].body, DTYPE_I32, false);
		if (x->elements_ordered != rows[i].ordered ||
		    (rows[i].ordered &&
		     x->elements_limited != rows[i].limited) ||
		    !x->shape || !str_eq(x->shape, rows[i].shape))
			fail_msg("%s: %d, %d, %s", rows[i].body,
				 x->elements_ordered, x->elements_limited,
				 x->shape ? x->shape : "?");
	}
}

/* A function gets the place itself, and may write it. */
static void knows_what_a_reference_does(void **state)
{
	static const char set[] = "void set(float &at, int v) { at = v; }",
			  add[] = "void add(float &at, int v) { at += v; }",
			  swap[] = "template <class T> void swap(T &a, T &b) { "
				   "T t = a; a = b; b = t; }";
	static const struct {
		const char *text, *body;
		enum direction y;
	} rows[] = {
		{set, "for (int i = 0; i < n; i++) set(y[i], x[i]);",
		 DIRECTION_OUT},
		{add, "for (int i = 0; i < n; i++) add(y[i], x[i]);",
		 DIRECTION_INOUT},
		{swap, "for (int i = 1; i < n; i++) swap(y[i], y[i - 1]);",
		 DIRECTION_INOUT},
		{"", "for (int i = 1; i < n; i++) std::swap(y[i], y[i - 1]);",
		 DIRECTION_INOUT},
		{"", "std::sort(y, y + n);", DIRECTION_INOUT},
		{"", "std::partial_sort_copy(x, x + n, y, y + n);",
		 DIRECTION_OUT},
		{"",
		 "auto row = [&](int i) { y[i] = x[i]; }; for (int i = 0; i < "
		 "n; i++) row(i);",
		 DIRECTION_OUT},
		{"",
		 "int k = 0; auto put = [&](int v) { y[k++] = v; }; for (int i "
		 "= 0; i < n; i++) if (x[i] > 2) put(x[i]);",
		 DIRECTION_INOUT},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		const struct parameter *y = &p.parameter[1];

		read_behind(&p, rows[i].text, rows[i].body, DTYPE_I32, true);
		if (!y->has_direction || y->direction != rows[i].y)
			fail_msg("%s: %d, %d", rows[i].body, y->has_direction,
				 y->direction);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_what_is_put_in_order),
		cmocka_unit_test(knows_what_is_put_in_order_by_others),
		cmocka_unit_test(knows_what_a_reference_does),
		cmocka_unit_test(knows_what_indices_in_an_array_reach),
		cmocka_unit_test(takes_what_nothing_writes_for_indices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
