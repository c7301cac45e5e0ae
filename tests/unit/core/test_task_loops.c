/* What the loops of a function say of its arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/loops.h"

/* f(const uint8_t *x, float *y, unsigned n, int m), without a body. */
static struct prototype make(void)
{
	struct prototype p = {.language = LANGUAGE_C, .name = xstrdup("f")};
	static const char *const names[] = {"x", "y", "n", "m"};

	for (p.n = 0; p.n < ARRAY_SIZE(names); p.n++) {
		struct parameter *a = &p.parameter[p.n];

		a->name = xstrdup(names[p.n]);
		a->known = true;
		a->is_pointer = p.n < 2;
		a->is_const = p.n == 0;
		a->dtype = p.n == 0   ? DTYPE_U8
			   : p.n == 1 ? DTYPE_F32
			   : p.n == 2 ? DTYPE_U32
				      : DTYPE_I32;
	}
	return p;
}

/* x is of `type`, as the body has it, too. */
static void read_typed(struct prototype *out, const char *body, enum dtype type)
{
	cleanup_free char *source = xasprintf(
		"static float g(const uint8_t *p, int k) { float s = 0;\n"
		"for (int i = 0; i < k; i++) s += p[i]; return s; }\n"
		"static int h(int v, int a, int b) { return v < a ? a : v > b "
		"? b : v; }\n"
		"namespace std { const int &min(const int &a, const int &b) { "
		"if (b < a) return b; return a; } int clamp(int v, int a, int "
		"b) { return min(max(v, a), b); } }\n"
		"static int two(int v) { if (v > 3) return 0; return v; }\n"
		"void f(const uint8_t *x, float *y, unsigned n, int m)\n"
		"{\n%s\n}\n",
		body);

	*out = make();
	out->parameter[0].dtype = type;
	loops_read(out, source);
}

static void read_body(struct prototype *out, const char *body)
{
	read_typed(out, body, DTYPE_U8);
}

static void finds_how_far_an_index_comes(void **state)
{
	static const struct {
		const char *body, *x;
	} rows[] = {
		/* Casts of C++. */
		{"const int k = int(n); for (int i = 0; i < k; i++) y[i] = "
		 "x[i];",
		 "n"},
		{"auto k = static_cast<unsigned long>(n); for (int i = 0; i < "
		 "k; i++) y[i] = x[i];",
		 "n"},
		{"auto k = std::size_t{n}; for (int i = 0; i < k; i++) y[i] = "
		 "x[i];",
		 "n"},
		{"for (int i = 0; i < static_cast<std::ptrdiff_t>(n) && i < m; "
		 "i++) y[i] = x[static_cast<int>(i)];",
		 "n"},
		{"const auto *p = const_cast<uint8_t *>(x); for (int i = 0; i "
		 "< int(n / 4); i++) y[i] = p[4 * i + 3];",
		 "n"},
		{"for (int i = 0; i < n; i++) y[i] = x[i];", "n"},
		{"for (int i = 0; i <= n; ++i) y[i] = x[i];", "n + 1"},
		{"for (int i = 0; n > i; i += 1) y[i] = x[i];", "n"},
		{"for (int i = 0; i != n; i++) y[i] = x[2 * i + 1];", "2 * n"},
		{"for (int i = n - 1; i >= 0; i--) y[i] = x[i];", "n"},
		{"for (int i = n; i-- > 0;) y[i] = x[i];", "n"},
		{"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) "
		 "y[0] += x[i * m + j];",
		 "n, m"},
		{"for (int i = 0; i < n; i += 4) y[i] = x[i] + x[i + 3];", "n"},
		{"int i; for (i = 0; i + 8 <= n; i += 8) y[i] = x[i + 7]; "
		 "for (; i < n; i++) y[i] = x[i];",
		 "n"},
		{"for (int i = 0; i < n / 32; i++) y[i] = x[32 * i + 31];",
		 "n"},
		{"for (int b = 0; b < n; b += 8) for (int i = b; i < (b + 8 < "
		 "n ? b + 8 : n); i++) y[i] = x[i];",
		 "n"},
		{"while (n--) *y++ = *x++;", "n"},
		{"while (n >= 4) { y[0] = x[3]; x += 4; n -= 4; }", "n"},
		/* What stands after the bound is not read beyond it. */
		{"int j = 1; while (j < n && x[j] == x[0]) j++; y[0] = j;",
		 "n"},
		{"int j = 0; while (x[j] == 0 && j < n) j++; y[0] = j;",
		 "n + 1"},
		{"int j; for (j = 0; j < n && x[j]; j++) ; y[0] = j;", "n"},
		{"int j = n - 1; for (; j >= 0 && x[j]; j--) ; y[0] = j;", "n"},
		{"const uint8_t *p = x + m; for (int i = 0; i < n; i++) y[i] = "
		 "p[i];",
		 "n + m"},
		{"const uint8_t *e = x + n; while (x < e) *y += *x++;", "n"},
		{"for (int i = 0; i < n; i++) y[i] = g(x + i * m, m);", "n, m"},
		{"for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) y[i] "
		 "+= x[i + k];",
		 "2 + n"},
		{"for (int i = 0; i < n; i++) for (int k = 0; k < 5; k++) y[i] "
		 "+= x[2 * i + k];",
		 "2 * n + 3"},
		{"int at = 0; for (int i = 0; i < n; i++) for (int j = 0; j < "
		 "m; j++) y[0] += x[at++];",
		 "n * m"},
		{"for (int i = 0; i < n; i++) { int j = i - m < 0 ? 0 : i - m "
		 ">= n ? n - 1 : i - m; y[i] = x[j]; }",
		 "n - m"},
		{"for (int i = 0; i < n; i++) { int j = i + m < 0 ? 0 : i + m "
		 ">= n ? n - 1 : i + m; y[i] = x[j]; }",
		 "n"},
		{"for (int i = 0; i < n; i++) y[i] = x[h(i + m, 0, n - 1)];",
		 "n"},
		{"for (int i = 0; i < n; i++) y[i] = x[two(i)];", NULL},
		{"for (int i = 0; i < n; i++) y[i] = x[std::max(0, i - m)];",
		 "n - m"},
		{"for (int i = 0; i < n; i++) y[i] = x[std::min<int>(i + m, n "
		 "- 1)];",
		 "n"},
		{"for (int i = 0; i < n; i++) y[i] = x[std::clamp(i + m, 0, n "
		 "- 1)];",
		 "n"},
		{"for (int b = 0; b < n; b += 8) { const int e = std::min(b + "
		 "8, int(n)); for (int i = b; i < e; i++) y[i] = x[i]; }",
		 "n"},
		{"if (n < 3) return; for (int i = 0; i < n; i++) y[i] = x[i];",
		 "n"},
		/* Rows at a stride of their own. */
		{"for (int i = 0; i < n; i++) { y[i] = *x; x += m; }", "n"},
		{"for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) y[i] "
		 "+= x[i * m + j + 1] + x[i * m + m + j];",
		 "n + 1, 9"},
		{"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i] "
		 "+= x[i * m + j + 1] + x[i * m + m + j];",
		 "n + 1, m"},
		{"memcpy(y, x, sizeof *x * (n + 1));", "n + 1"},
		{"for (int i = 0; i < n; i++) y[i] = x[y[i] > 0];", NULL},
		{"int k = 0; for (int i = 0; i < n; i += 1 + y[i]) y[0] += "
		 "x[k++];",
		 NULL},
		{"for (int i = 0; i < n; i++) y[i] = ((int)x[i] - m) * "
		 "(float)y[i];",
		 "n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_body(&p, rows[i].body);
		if (!rows[i].x != !p.parameter[0].shape ||
		    (rows[i].x && !str_eq(p.parameter[0].shape, rows[i].x)))
			fail_msg("%s: %s", rows[i].body, p.parameter[0].shape);
	}
}

/* What a turn sets is not what it was before the loop, nor what one way of an `if`
 * made of it. */
static void follows_names_from_turn_to_turn(void **state)
{
	static const struct {
		const char *body, *x, *y;
	} rows[] = {
		{"int i = 0, k = 0; while (i < n) { int j = i; while (j < n && "
		 "j - i < 255 && x[j] == x[i]) j++; i = j; }",
		 "n", NULL},
		{"for (int i = 0; i < n;) { int j = i; while (j < n && x[j]) "
		 "j++; i = j + 1; }",
		 "n", NULL},
		{"int l = 0, h = n; while (l < h) { int c = l + (h - l) / 2; "
		 "if (x[c] < 9) l = c + 1; else h = c; }",
		 NULL, NULL},
		{"int i = m; while (2 * i + 1 < n) { int c = 2 * i + 1; if "
		 "(x[i] > x[c]) break; i = c; }",
		 NULL, NULL},
		{"int k = m; for (int i = 0; i < n; i++) { y[i] = x[k]; k++; "
		 "if (k == 9) k = 0; }",
		 NULL, "n"},
		{"int k; for (int i = 0; i < n; i++) { k = 2 * i; y[i] = "
		 "x[k]; }",
		 "n", "n"},
		{"int k = n; if (m) k = 0; for (int i = 0; i < n; i++) y[i] = "
		 "x[k + i];",
		 "2 * n", "n"},
		{"int k = n; if (m) k = 1; for (int i = 0; i < k; i++) y[i] = "
		 "x[i];",
		 "n", "n"},
		{"int k = 0; if (m) { k = n; return; } for (int i = 0; i < n; "
		 "i++) y[i] = x[k + i];",
		 "n", "n"},
		{"int k; if (m) k = 3; else k = 1; for (int i = 0; i < n; i++) "
		 "y[i] = x[i + n - k];",
		 "2 * n - 1", "n"},
		{"int k = 0; switch (m) { case 0: k = 1; break; case 1: k = n; "
		 "break; } for (int i = 0; i < n; i++) y[i] = x[k + i];",
		 NULL, "n"},
		/* But it is no more than what the `if` is about. */
		{"int k = n; if (k > 64) k = 64; for (int i = 0; i < k; i++) "
		 "y[i] = x[i];",
		 "64", "64"},
		{"for (int i = 0; i < n; i++) { int j = i - m; if (j < 0) j = "
		 "0; y[i] = x[j]; }",
		 "n - m", "n"},
		/* Each name of a condition has its end. */
		{"int i = 0, j = 0, k = 0; while (i < n && j < m) { if (x[i] < "
		 "3) i++; else j++; y[k++] = 1; }",
		 "n", "n + m"},
		{"int i = 0, j = 0; while (i < n && j < m) { if (x[i] < y[j]) "
		 "i++; else j++; }",
		 "n", "m"},
		{"int i = 0; while (i < n) { if (x[i] == 92 && i + 1 < n) { i "
		 "+= 2; continue; } i++; }",
		 "n", NULL},
		/* A turn goes one way. */
		{"int k = 0; for (int i = 0; i < n; i++) if (x[i]) y[k++] = 1; "
		 "else y[k++] = 2;",
		 "n", "n"},
		{"int k = 0; for (int i = 0; i < n; i++) if (x[i]) { y[k++] = "
		 "1; } else { y[k++] = 2; y[k++] = 3; }",
		 "n", "2 * n"},
		{"for (int i = 0; i < n; i++) { *y = *x; x++; y++; }", "n",
		 "n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		const char *x, *y;

		read_body(&p, rows[i].body);
		x = p.parameter[0].shape;
		y = p.parameter[1].shape;
		if (!rows[i].x != !x || (x && !str_eq(x, rows[i].x)) ||
		    !rows[i].y != !y || (y && !str_eq(y, rows[i].y)))
			fail_msg("%s: %s, %s", rows[i].body, x, y);
	}
}

/* Of a name that a turn changes a hundred thousand times. */
static void is_soon_done_with_a_long_body(void **state)
{
	static const char *const loops[] = {
		"int k = 0; for (int i = 0; i < n; i++)",
		"int i = 0, k = 1; while (k)",
	};

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(loops); l++) {
		cleanup_buf struct buf body = BUF_INIT((size_t)1 << 20);
		cleanup_prototype struct prototype p = {0};
		clock_t begin = clock();

		buf_addf(&body, "%s { ", loops[l]);
		for (int i = 0; i < 100000; i++)
			buf_adds(&body, "k++; ");
		buf_adds(&body, "y[i] = k; }");
		assert_false(body.truncated);
		read_body(&p, body.data);
		assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
	}
}

/* What a `void *` becomes, a hundred thousand times in one statement. */
static void is_soon_done_with_a_long_statement(void **state)
{
	cleanup_buf struct buf source = BUF_INIT((size_t)1 << 20);
	cleanup_prototype struct prototype p = make();
	clock_t begin = clock();

	(void)state;
	buf_adds(&source, "void f(const void *x, float *y, unsigned n, int m)\n"
			  "{ const char *q = x; ");
	for (int i = 0; i < 100000; i++)
		buf_adds(&source, "q = x, ");
	buf_adds(&source, "y[0] = q[n]; }");
	assert_false(source.truncated);
	p.parameter[0].known = false;
	p.parameter[0].type = xstrdup("void");
	loops_read(&p, source.data);
	assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
}

static void is_unsure_where_an_address_leaves_the_count(void **state)
{
	static const struct {
		const char *body;
		bool x, y;
	} rows[] = {
		{"while (n >= 3) { *y++ = x[0]; *y++ = x[1]; *y++ = x[2]; "
		 "*y++ = 0; x += 3; n -= 3; }",
		 false, true},
		{"float *o = y; while (n >= 3) { o[3] = x[2]; x += 3; o += 4; "
		 "n -= 3; }",
		 false, true},
		{"while (n--) { *y++ = x[0] + x[1]; x += 2; }", true, false},
		{"while (n >= 4) { *y++ = x[3]; x += 4; n -= 4; }", false,
		 true},
		{"while (n--) *y++ = *x++;", false, false},
		{"while (n >= 4) { y[3] = x[3]; x += 4; y += 4; n -= 4; } "
		 "while (n--) *y++ = *x++;",
		 false, false},
		{"for (int i = 0; i < m; i++) { y[i] = x[0]; x += 4; }", false,
		 false},
		{"const uint8_t *p = x; for (int i = 0; i < m; i++) { y[i] = "
		 "p[0]; p = x + i * n; y[i] += p[0]; }",
		 true, false},
		{"const float *p = y; if (m) p = y + n; for (int i = 0; i < n; "
		 "i++) y[i] = p[i] + x[i];",
		 false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_body(&p, rows[i].body);
		if (p.parameter[0].shape_unsure != rows[i].x ||
		    p.parameter[1].shape_unsure != rows[i].y)
			fail_msg("%s: %d %d", rows[i].body,
				 p.parameter[0].shape_unsure,
				 p.parameter[1].shape_unsure);
	}
}

static void takes_arrays_that_change_places_for_both(void **state)
{
	static const struct {
		const char *body;
		bool swapped;
	} rows[] = {
		{"float *a = y, *b = y; for (int s = 0; s < m; s++) { for (int "
		 "i = 0; i < n; i++) b[i] = a[i]; float *t = a; a = b; b = t; "
		 "}",
		 false},
		{"float *b = x; while (m--) { for (int i = 0; i < n; i++) b[i] "
		 "= y[i]; float *t = y; y = b; b = t; }",
		 true},
		{"float *row; for (int i = 0; i < n; i++) { row = x + i; y[i] "
		 "= *row; }",
		 false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_typed(&p, rows[i].body, DTYPE_F32);
		if (p.parameter[1].is_swapped != rows[i].swapped)
			fail_msg("%s", rows[i].body);
		if (rows[i].swapped)
			assert_int_equal(p.parameter[1].direction,
					 DIRECTION_INOUT);
	}
}

static void says_where_what_is_written_depends_on_contents(void **state)
{
	static const struct {
		const char *body;
		bool partial;
	} rows[] = {
		{"int k = 0; for (int i = 0; i < n; i++) if (x[i] > 0) y[k++] "
		 "= x[i];",
		 true},
		{"for (int i = 0; i < n; i++) { if (!x[i]) continue; y[i] = 1; "
		 "}",
		 true},
		{"for (int i = 0; i < n; i++) { float v = x[i]; if (v > 2) "
		 "y[i] = v; }",
		 true},
		{"for (int i = 0; i < n; i++) { if (x[i] > 0) y[i] = 1; else "
		 "y[i] = 2; }",
		 false},
		{"for (int i = 0; i < n; i++) { if (x[i] > 0) { y[i] = 1; "
		 "continue; } y[i] = 2; }",
		 false},
		{"for (int i = 0; i < n; i++) y[i] = 0; for (int i = 0; i < n; "
		 "i++) if (x[i]) y[i] = 1;",
		 false},
		{"if (!x) return; for (int i = 0; i < n; i++) y[i] = x[i];",
		 false},
		{"if (x[0] == 255) return; for (int i = 0; i < n; i++) y[i] = "
		 "x[i];",
		 false},
		{"for (int i = 0; i < m; i++) if (i < n) y[i] = x[i];", false},
		{"for (int i = 0; i < n; i++) y[x[i]] = 1;", true},
		{"int k = 0; for (int i = 0; i < n; i++) { if (!x[i]) "
		 "continue; y[k++] = 1; } y[k++] = 2;",
		 true},
		{"for (int i = 0; i < n; i++) { float *at = y + x[i]; *at = 1; "
		 "}",
		 true},
		{"int k = 0, i = 0; while (i < n) { int j = i + 1; while (j < "
		 "n "
		 "&& x[j] == x[i]) j++; y[k++] = j - i; i = j; }",
		 true},
		{"for (int s = 1; s < n; s *= 2) for (int i = 0; i < n; i++) "
		 "y[i] = x[i] + s;",
		 false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_body(&p, rows[i].body);
		if (p.parameter[1].is_partial != rows[i].partial)
			fail_msg("%s", rows[i].body);
	}
}

static void keeps_to_what_an_if_lets_through(void **state)
{
	static const struct {
		const char *body, *x;
		bool guarded;
	} rows[] = {
		{"for (int i = 0; i < m; i++) if (i < n) y[i] = x[i];", "n",
		 false},
		{"for (int i = 0; i < m; i++) if (n > i && i > 0) y[i] = "
		 "x[i - 1];",
		 "n - 1", false},
		{"for (int i = 0; i < n; i++) for (int t = -m; t <= m; t++) if "
		 "(i + t >= 0 && i + t < n) y[i] += x[i + t];",
		 "n", false},
		{"for (int i = 0; i < n; i++) for (int t = -m; t <= m; t++) if "
		 "(i + t >= 0 && i + t < n) y[i] += x[t + m];",
		 "2 * m + 1", false},
		{"for (int i = 0; i < n; i++) { int j = i - m; if (j >= 0) "
		 "y[i] = x[j]; }",
		 "n - m", false},
		/* And to what it leaves out. */
		{"for (int i = 0; i < m; i++) { if (i >= n) continue; y[i] = "
		 "x[i]; }",
		 "n", false},
		{"for (int i = 0; i < m; i++) { if (i >= n) { y[i] = 0; "
		 "continue; } y[i] = x[i]; }",
		 "n", false},
		{"for (int i = 0; i < m; i++) { if (i < 1 || (i >= n - 1)) { "
		 "y[i] = 0; continue; } y[i] = x[i + 1]; }",
		 "n", false},
		{"for (int i = 0; i < m; i++) { if (!(i < n)) break; y[i] = "
		 "x[i]; }",
		 "n", false},
		{"for (int i = 0; i < n; i++) { if (i == n - 1) continue; y[i] "
		 "= x[i + 1]; }",
		 "n", false},
		{"for (int i = 0; i < n; i++) if (i != n - 1) y[i] = x[i + 1];",
		 "n", false},
		{"for (int i = 0; i < n; i++) if (i < 1) y[i] = 0; else y[i] = "
		 "x[i - 1];",
		 "n - 1", false},
		{"for (int i = 0; i < m; i++) y[i] = i < n ? x[i] : 0;", "n",
		 false},
		{"for (int i = 0; i < m; i++) y[i] = i >= n ? 0 : x[i];", "n",
		 false},
		{"for (int i = 0; i < n; i++) if (i + 3 >= n || x[i + 3]) y[i] "
		 "= 1;",
		 "n", false},
		{"for (int i = 0; i < n; i++) y[i] = i + 3 < n && x[i + 3];",
		 "n", false},
		{"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if "
		 "(i == n - 1 || j == m - 1) continue; y[i * m + j] = x[(i + "
		 "1) "
		 "* m + j + 1]; }",
		 "n, m", false},
		/* But not where that is left out in one case only. */
		{"for (int i = 0; i < m; i++) switch (k) { case 0: if (i >= n) "
		 "break; y[i] = 0; break; default: y[i] = 2 * x[i]; }",
		 "m", false},
		{"for (int i = 0; i < m; i++) { if (k) goto all; if (i >= n) "
		 "continue; all: y[i] = x[i]; }",
		 "m", false},
		/* What is no corner of the rows belongs to them. */
		{"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if "
		 "(i == n - 1 || j == m - 1) continue; y[i * m + j] = x[(i + "
		 "1) "
		 "* m + j] + x[i * m + j + 1]; }",
		 "n, m", false},
		/* Only until the end of the block. */
		{"for (int i = 0; i < m; i++) { if (m) { if (i >= n) continue; "
		 "} y[i] = x[i]; }",
		 "m", false},
		/* What it cannot solve it says. */
		{"for (int i = 0; i < n; i++) { if (i == m) continue; y[i] = "
		 "x[i + 1]; }",
		 "n + 1", true},
		{"for (int i = 0; i < n; i++) { if (i == m) { y[i] = 0; "
		 "continue; } y[i] = x[i + 1]; }",
		 "n + 1", true},
		{"for (int i = 0; i < n; i++) { if (i > m && i < n) continue; "
		 "y[i] = x[i + 1]; }",
		 "n + 1", true},
		/* ... but not where others go as far. */
		{"for (int i = 0; i < n; i++) { if (i == 3) y[i] = x[i]; y[i] "
		 "= x[i]; }",
		 "n", false},
		{"for (int i = 0; i < n; i++) { if (y[i] > 0) y[i] = x[i]; }",
		 "n", false},
		/* What is looked at ahead in a loop that may end before. */
		{"for (int i = 0; i < n; i++) { int ok = x[i] > 0; for "
		 "(int k = 1; ok && k <= 3; k++) ok = x[i + k] > 0; y[i] = ok; "
		 "}",
		 "n", false},
		{"for (int i = 0; i < n; i++) { int ok = 1; for (int k = 0; ok "
		 "&& k < 4; k++) ok = x[i + k] > 0; y[i] = ok; }",
		 "3 + n", true},
		{"for (int i = 0; i < n; i++) { int ok = 1, k = 1; while "
		 "(k < 4 && ok) ok = x[i + k++] > 0; y[i] = ok && x[i]; }",
		 "n", false},
		{"for (int i = 0; i < n; i++) for (int k = 0; k < 4; k++) y[i] "
		 "+= x[i + k] * x[i];",
		 "3 + n", false},
		/* Of two ends of a loop either may come first. */
		{"int k = far(); for (int i = 0; i < k && i < n; i++) y[i] = "
		 "x[i];",
		 "n", true},
		{"int k = far(); for (int i = 0; i < n && i <= k; i++) y[i] = "
		 "x[i];",
		 "n", true},
		{"int k = far(), i = 0; while (i < n && i < k) y[0] += x[i++];",
		 "n", true},
		{"int k = far(); for (int i = 0; i < n && k > 0; i++) y[i] = "
		 "x[i];",
		 "n", false},
		{"for (int i = 0; i < n && x[i] < 9; i++) y[i] = 1;", "n",
		 false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_body(&p, rows[i].body);
		if (!p.parameter[0].shape ||
		    !str_eq(p.parameter[0].shape, rows[i].x) ||
		    p.parameter[0].is_guarded != rows[i].guarded)
			fail_msg("%s: %s", rows[i].body, p.parameter[0].shape);
	}
}

static void finds_what_a_size_has_to_be_a_multiple_of(void **state)
{
	static const struct {
		const char *body;
		int64_t multiple, least;
	} rows[] = {
		{"for (int i = 0; i < n; i++) y[i] = x[i];", 1, 1},
		{"for (int i = 0; i < n; i += 4) y[i] = x[i + 3];", 4, 1},
		{"for (int i = 0; i < 2 * n; i += 4) y[i] = x[i + 3];", 2, 1},
		/* Another loop takes what is left. */
		{"int i = 0; for (; i + 8 <= n; i += 8) y[i] = x[i + 7]; "
		 "for (; i < n; i++) y[i] = x[i];",
		 1, 1},
		{"for (int i = 0; i + 8 <= n; i += 8) y[i] = x[i + 7];", 8, 1},
		{"for (int i = 0; i < n / 32; i++) y[i] = x[32 * i];", 32, 1},
		{"for (int i = 0; i < (n + 31) / 32; i++) y[i] = x[i];", 1, 1},
		{"for (int i = 0; i < n / 4; i++) { y[i] = x[0]; x += 4; }", 4,
		 1},
		{"for (int i = 0; i < n / 2; i++) y[i] = x[i + n / 2];", 2, 1},
		/* Where a window begins, and which half, are no demands. */
		{"int h = n / 2; for (int i = 0; i < m; i++) if (i >= h && i + "
		 "h < m) y[i] = x[i + h] + x[i - h];",
		 1, 1},
		{"for (int i = 0; i < n / 2; i++) y[i] = x[n - 1 - i];", 1, 1},
		{"for (int i = 0; i < n / 4; i++) y[i] = x[4 * i]; "
		 "for (int i = 0; i < n % 4; i++) y[i] = x[i];",
		 1, 1},
		{"while (n >= 4) { y[0] = x[3]; x += 4; n -= 4; }", 4, 1},
		{"while (n >= 4) { y[0] = x[3]; x += 4; n -= 4; } "
		 "while (n--) *y++ = *x++;",
		 1, 1},
		/* So does a copy, or a function that is not seen. */
		{"while (n >= 4) { y[0] = x[3]; x += 4; n -= 4; } "
		 "memcpy(y, x, n * sizeof *x);",
		 1, 1},
		{"while (n >= 4) { y[0] = x[3]; x += 4; n -= 4; } "
		 "copy_n(x, n, y);",
		 1, 1},
		{"memcpy(y, x, n * sizeof *x); "
		 "while (n >= 4) { y[0] = x[3]; x += 4; n -= 4; }",
		 4, 1},
		{"while (n >= 4) { y[0] = x[3]; x += 4; n -= 4; } assert(n);",
		 4, 1},
		/* An `if` takes what is left, unless it only leaves. */
		{"while (n >= 3) { y[0] = x[2]; x += 3; n -= 3; } "
		 "if (n) y[0] = n == 2 ? x[1] : x[0];",
		 1, 1},
		{"while (n >= 3) { y[0] = x[2]; x += 3; n -= 3; } "
		 "if (n) return;",
		 3, 1},
		{"while (n >= 3) { if (n == 3) y[0] = x[2]; x += 3; n -= 3; }",
		 3, 1},
		{"while (n >= 3) { y[0] = x[2]; x += 3; n -= 3; } "
		 "switch (n) { case 2: y[1] = x[1]; case 1: y[0] = x[0]; }",
		 1, 1},
		{"while (n >= 4) { y[0] = x[3]; x += 4; n -= 4; } "
		 "for (int i = 0; i < n; i++) y[i] = x[i];",
		 1, 1},
		{"int i = 0; for (; i + 4 <= n; i += 4) y[i] = x[i + 3]; "
		 "if (i < n) y[i] = x[i];",
		 1, 1},
		{"int i = 0; for (; i + 4 <= n; i += 4) y[i] = x[i + 3]; "
		 "int left = n - i; if (left > 0) y[i] = x[i];",
		 1, 1},
		{"int i = 0; for (; i + 4 <= n; i += 4) y[i] = x[i + 3]; "
		 "if (n & 3) y[i] = x[i];",
		 1, 1},
		{"for (int b = 0; b < n; b += 8) for (int i = b; i < (b + 8 < "
		 "n ? b + 8 : n); i++) y[i] = x[i];",
		 1, 1},
		/* It says so itself. */
		{"if (n % 16) return; y[n - 1] = x[n - 1];", 16, 1},
		{"if (n & 7) { return; } y[0] = x[0];", 8, 1},
		{"if (n % 16 == 0) ; else __assert_fail(\"n\");", 16, 1},
		{"if (n % 16 == 0) return;", 1, 1},
		{"if ((n & 7) != 0) return;", 8, 1},
		{"if (!(n % 16)) return;", 1, 1},
		{"if (n % 16 != 3) return;", 1, 1},
		/* What it leaves to another function is work, too. */
		{"if ((n & 7) == 0) return fast(x, y, n);", 1, 1},
		{"if (n % 8) return slow(x, y, n);", 1, 1},
		{"if (n % 4 || n % 6) return;", 12, 1},
		{"int rest = n % 16; if (rest) y[0] = 1;", 1, 1},
		/* Where it would go below zero, and where an index is fixed. */
		{"for (unsigned i = 0; i < n - 3; i++) y[i] = x[i];", 1, 3},
		{"y[0] = x[4]; for (int i = 0; i < n; i++) y[i] = x[i];", 1, 5},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_body(&p, rows[i].body);
		if (p.parameter[2].multiple != rows[i].multiple ||
		    p.parameter[2].least != rows[i].least)
			fail_msg("%s: %d, %d", rows[i].body,
				 (int)p.parameter[2].multiple,
				 (int)p.parameter[2].least);
	}
}

static void knows_elements_that_have_to_be_small(void **state)
{
	static const struct {
		const char *body;
		enum dtype type;
		bool small;
	} rows[] = {
		{"for (int i = 0; i < n; i++) y[i] = x[i];", DTYPE_I16, false},
		{"for (int i = 0; i < n; i++) y[x[i]] = 1;", DTYPE_I16, true},
		{"for (int i = 0; i < n; i++) y[x[i]] = 1;", DTYPE_I8, true},
		{"for (int i = 0; i < n; i++) y[x[i]] = 1;", DTYPE_U8, false},
		{"for (int i = 0; i < n; i++) y[(unsigned char)x[i]] = 1;",
		 DTYPE_I8, false},
		{"int t[256]; for (int i = 0; i < n; i++) t[x[i]]++;", DTYPE_U8,
		 false},
		{"int t[1 << 8]; for (int i = 0; i < n; i++) t[x[i]]++;",
		 DTYPE_U8, false},
		{"int t[16]; for (int i = 0; i < n; i++) t[x[i]]++;", DTYPE_U8,
		 true},
		{"int t[16]; for (int i = 0; i < n; i++) t[x[i] & 15]++;",
		 DTYPE_U8, false},
		{"int t[16]; for (int i = 0; i < n; i++) if (x[i] < 16) { int "
		 "c "
		 "= x[i]; if (c < 16) t[c]++; }",
		 DTYPE_U8, false},
		{"int t[256]; for (int i = 0; i < n; i++) { int c = x[i] + 1; "
		 "t[c]++; }",
		 DTYPE_U8, true},
		{"for (int i = 0; i < n; i++) y[i] = 1 << x[i];", DTYPE_U8,
		 true},
		{"for (int i = 0; i < n; i++) y[i] = x[i] << 3;", DTYPE_I16,
		 false},
		{"for (int i = 0; i < n; i++) for (int j = 0; j < x[i]; j++) "
		 "y[j] = 1;",
		 DTYPE_I16, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_typed(&p, rows[i].body, rows[i].type);
		if (!p.parameter[0].elements_seen ||
		    p.parameter[0].elements_small != rows[i].small)
			fail_msg("%s", rows[i].body);
	}
}

/* An array of the kernel's with a name for its size, before and in the function. */
static void knows_the_size_of_an_array_by_a_name(void **state)
{
	static const struct {
		const char *before, *array;
		const char *name; /* of the function, as a compiler has it */
		bool small;
	} rows[] = {
		{"enum { L = 256 };", "int t[L];", "f", false},
		{"enum { L = 255 };", "int t[L];", "f", true},
		{"static const int L = 256;", "int t[L];", "f", false},
		{"static const int L = 16;", "int t[L];", "f", true},
		{"static int L = 256;", "int t[L];", "f", true},
		{"constexpr int B = 8; constexpr std::size_t L = 1 << B;",
		 "int t[L];", "f", false},
		{"const int L = 256; const int K = 16;", "int t[K * L / K];",
		 "f", false},
		{"const int L = 256;", "int t[L - 1];", "f", true},
		{"namespace a { constexpr int L = 256; }", "int t[a::L];", "f",
		 false},
		{"namespace a { const int L = 256; } namespace b { const int "
		 "L = 16; }",
		 "int t[a::L];", "f", true},
		{"const int L = 256;", "int L = m; int t[L];", "f", true},
		{"", "const int L = 256; int t[L];", "f", false},
		{"", "std::array<int, 256> t{};", "f", false},
		{"", "std::array<int, 16> t{};", "f", true},
		{"constexpr int L = 256;", "std::array<int, L> t;", "f", false},
		{"template <typename T, int L>", "int t[L];",
		 "a::f<unsigned char, 256>", false},
		{"template <typename T, int L>", "int t[L];",
		 "a::f<unsigned char, 16>", true},
		{"template <int L, typename T = a<int, 8>>", "int t[L + 1];",
		 "a::f<255, a<int, 8> >", false},
		{"template <class T, class U, int L = 4>", "int t[L];",
		 "a::f<a<int, 8>, int, 256>", false},
		{"template <int L>", "int t[L];", "f", true},
		{"template <int L> int g() { return L; }", "int t[L];",
		 "a::f<256>", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = make();
		cleanup_free char *source = xasprintf(
			"%s\nvoid f(const uint8_t *x, float *y, unsigned n, "
			"int m)\n{ %s for (unsigned i = 0; i < n; i++) "
			"t[x[i]]++; y[0] = t[0]; }\n",
			rows[i].before, rows[i].array);

		free(p.name);
		p.name = xstrdup(rows[i].name);
		loops_read(&p, source);
		if (!p.parameter[0].elements_seen ||
		    p.parameter[0].elements_small != rows[i].small)
			fail_msg("%s %s %s", rows[i].before, rows[i].array,
				 rows[i].name);
	}
}

static void tells_what_goes_in_from_what_comes_out(void **state)
{
	static const struct {
		const char *body;
		enum direction y;
	} rows[] = {
		{"for (int i = 0; i < n; i++) y[i] = x[i];", DIRECTION_OUT},
		{"for (int i = 0; i < n; i++) y[i] += x[i];", DIRECTION_INOUT},
		{"for (int i = 0; i < n; i++) y[i] = 2 * y[i];",
		 DIRECTION_INOUT},
		/* What is done to a reference. */
		{"for (int i = 0; i < n; i++) { float &r = y[i]; r = x[i]; }",
		 DIRECTION_OUT},
		{"for (int i = 0; i < n; i++) { auto &r = y[i]; r = r * 2; }",
		 DIRECTION_INOUT},
		{"for (int i = 0; i < n; i++) { const float &r = y[i]; m += r; "
		 "}",
		 DIRECTION_IN},
		{"for (int i = 0; i < n; i++) m += y[i];", DIRECTION_IN},
		/* A border is not written: it stays as it was. */
		{"for (int i = 1; i < n; i++) y[i] = x[i];", DIRECTION_INOUT},
		{"y[0] = 0; for (int i = 0; i < n; i++) y[0] += x[i];",
		 DIRECTION_OUT},
		{"if (y[0] == 0) y[0] = 1;", DIRECTION_INOUT},
		{"y[n] = x[n] == y[n];", DIRECTION_INOUT},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_body(&p, rows[i].body);
		if (!p.parameter[1].has_direction ||
		    p.parameter[1].direction != rows[i].y)
			fail_msg("%s", rows[i].body);
	}
}

static void is_unsure_of_what_may_be_read_after_it_is_written(void **state)
{
	static const struct {
		const char *body;
		bool unsure;
	} rows[] = {
		{"for (int i = 0; i < n; i++) y[i] += x[i];", false},
		{"for (int i = 0; i < n; i++) if (x[i]) y[i] += 1;", false},
		{"for (int i = 0; i < n; i++) y[i] = m ? m * y[i] : x[i];",
		 false},
		{"for (int i = 0; i < n; i++) m += y[i] > 0 && x[i]; for (int "
		 "i "
		 "= 0; i < n; i++) y[i] = m;",
		 false},
		{"for (int i = 1; i < n; i++) { float v = y[i]; int j = i; for "
		 "(; j > 0 && y[j - 1] > v; j--) y[j] = y[j - 1]; y[j] = v; }",
		 false},
		{"for (int i = 0; i < n; i++) if (i > 0) y[i] = y[i - 1] + "
		 "x[i]; else y[i] = x[i];",
		 true},
		{"for (int i = 0; i < n; i++) { float s = x[i]; for (int k = "
		 "0; "
		 "k < i; k++) s -= x[i * n + k] * y[k]; y[i] = s; }",
		 true},
		{"int k = 0; for (int i = 0; i < n; i++) { int at = k; while "
		 "(at > 0 && y[at - 1] < x[i]) at--; if (k < m) k++; for (int "
		 "j "
		 "= k - 1; j > at; j--) y[j] = y[j - 1]; y[at] = x[i]; }",
		 true},
		/* The best k: a count down that something else may end before. */
		{"int k = 0; for (int i = 0; i < n; i++) { if (k == m && "
		 "x[i] <= y[m - 1]) continue; int j = k < m ? k++ : m - 1; "
		 "while (j > 0 && x[i] > y[j - 1]) { y[j] = y[j - 1]; j--; } "
		 "y[j] = x[i]; }",
		 true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_body(&p, rows[i].body);
		if (p.parameter[1].direction != DIRECTION_INOUT ||
		    p.parameter[1].is_reread != rows[i].unsure)
			fail_msg("%s", rows[i].body);
	}
}

static void leaves_open_what_goes_to_a_function_it_does_not_see(void **state)
{
	cleanup_prototype struct prototype p = {0};

	(void)state;
	read_body(&p, "elsewhere(x, y, n);");
	assert_null(p.parameter[1].shape);
	assert_false(p.parameter[1].has_direction);
}

/* x is a `void *`; dtype NULL: it stays one. */
static void takes_an_address_of_nothing_for_the_bytes_it_is_made(void **state)
{
	static const struct {
		const char *body, *dtype, *shape;
	} rows[] = {
		{"const uint8_t *p = x; unsigned c = ~0u; while (n--) c ^= "
		 "*p++; y[0] = c;",
		 "u8", "n"},
		{"const unsigned char *q = y, *const p = x; for (int i = 0; i "
		 "< "
		 "n; i++) y[i] = p[i];",
		 "u8", "n"},
		{"for (int i = 0; i < n; i++) y[i] = ((const signed char "
		 "*)x)[i];",
		 "i8", "n"},
		{"auto p = static_cast<const std::uint8_t *>(x); for (int i = "
		 "0; i <= m; i++) y[i] = p[i];",
		 "u8", "m + 1"},
		{"const uint32_t *p = x; for (int i = 0; i < n; i++) y[i] = "
		 "p[i];",
		 NULL, NULL},
		{"const uint8_t *p = x; const struct head *h = x; for (int i = "
		 "0; i < n; i++) y[i] = p[i] + h->at;",
		 NULL, NULL},
		{"const uint8_t *p = y; y = x; for (int i = 0; i < n; i++) "
		 "y[i] = p[i];",
		 NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_free char *source = xasprintf(
			"void f(const void *x, float *y, unsigned n, int m)\n"
			"{\n%s\n}\n",
			rows[i].body);
		cleanup_prototype struct prototype p = make();
		struct parameter *x = &p.parameter[0];

		x->known = false;
		x->type = xstrdup("void");
		loops_read(&p, source);
		if (x->known != (rows[i].dtype != NULL) ||
		    (x->known &&
		     !str_eq(dtype_name(x->dtype), rows[i].dtype)) ||
		    strcmp(x->shape ? x->shape : "",
			   rows[i].shape ? rows[i].shape : "") != 0)
			fail_msg("%s: %s", rows[i].body,
				 x->shape ? x->shape : "no shape");
	}
}

/* x is of floats, y of integers. */
static void knows_floats_that_are_compared_to_choose_an_integer(void **state)
{
	static const struct {
		const char *body;
		bool decides;
	} rows[] = {
		{"float best = 1e9f; int at = 0; for (int i = 0; i < n; i++) { "
		 "float d = 0; for (int k = 0; k < m; k++) d += x[i * m + k] * "
		 "x[k]; if (d < best) { best = d; at = i; } } y[0] = at;",
		 true},
		/* By a name for a row, through a call, the other way round. */
		{"double best = -1, s; for (int i = 0; i < n; i++) { const "
		 "float *p = x + i * m; s = norm(p, m); if (best <= s) best = "
		 "s, y[0] = i; }",
		 true},
		/* An element as it is; what is found is not kept. */
		{"float best = x[0]; for (int i = 0; i < n; i++) { float d = "
		 "x[i * 2 + 1]; if (d > best) { best = d; y[0] = i; } }",
		 false},
		{"float best = 0; for (int i = 0; i < n; i++) { float d = x[i] "
		 "* x[i]; if (d > best) { best = d; } } y[0] = best > 1;",
		 false},
		{"int best = 0; for (int i = 0; i < n; i++) { int d = i * 7; "
		 "if (d > best) { best = d; y[0] = x[i]; } }",
		 false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_free char *source = xasprintf(
			"void f(const float *x, int *y, unsigned n, int m)\n"
			"{\n%s\n}\n",
			rows[i].body);
		cleanup_prototype struct prototype p = make(), q = make();

		p.parameter[0].dtype = q.parameter[0].dtype = DTYPE_F32;
		p.parameter[1].dtype = DTYPE_I32;
		loops_read(&p, source);
		if (p.parameter[0].decides != rows[i].decides)
			fail_msg("%s", rows[i].body);
		/* No integer comes out. */
		loops_read(&q, source);
		assert_false(q.parameter[0].decides);
		for (size_t len = 0; len < strlen(source); len++) {
			cleanup_free char *cut = xstrndup(source, len);
			cleanup_free char *rest = xasprintf("%s}}", cut);
			cleanup_prototype struct prototype c = make();

			c.parameter[1].dtype = DTYPE_I32;
			loops_read(&c, rest);
		}
	}
}

static void survives_a_source_that_ends_anywhere(void **state)
{
	static const char source[] =
		"void f(const float a[restrict static 4][m], float *y, int n, "
		"int m) { do { for (;;) if (n) { y[(n << 2) / 3] += a[1][2] ? "
		"sizeof(*y) : (float)-*y++; } else while (--n) g(&y[n], "
		"(int *)y); } while (n); switch (m) { case 1: y = a; default: "
		"goto x; } x: return (y)[0]; }";

	(void)state;
	for (size_t len = 0; len < sizeof source; len++) {
		cleanup_free char *cut = xstrndup(source, len);
		cleanup_free char *rest = xasprintf("void f%s", source + len);
		cleanup_prototype struct prototype p = make(), q = make();

		loops_read(&p, cut);
		loops_read(&q, rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_how_far_an_index_comes),
		cmocka_unit_test(follows_names_from_turn_to_turn),
		cmocka_unit_test(is_soon_done_with_a_long_body),
		cmocka_unit_test(is_soon_done_with_a_long_statement),
		cmocka_unit_test(is_unsure_where_an_address_leaves_the_count),
		cmocka_unit_test(
			says_where_what_is_written_depends_on_contents),
		cmocka_unit_test(takes_arrays_that_change_places_for_both),
		cmocka_unit_test(keeps_to_what_an_if_lets_through),
		cmocka_unit_test(finds_what_a_size_has_to_be_a_multiple_of),
		cmocka_unit_test(knows_elements_that_have_to_be_small),
		cmocka_unit_test(knows_the_size_of_an_array_by_a_name),
		cmocka_unit_test(tells_what_goes_in_from_what_comes_out),
		cmocka_unit_test(
			is_unsure_of_what_may_be_read_after_it_is_written),
		cmocka_unit_test(
			leaves_open_what_goes_to_a_function_it_does_not_see),
		cmocka_unit_test(
			takes_an_address_of_nothing_for_the_bytes_it_is_made),
		cmocka_unit_test(
			knows_floats_that_are_compared_to_choose_an_integer),
		cmocka_unit_test(survives_a_source_that_ends_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
