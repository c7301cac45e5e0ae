/* What the loops of a function say of the members of structures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/loops.h"
#include "core/task/template_parts.h"

static void add_object_member(struct prototype *p, const char *name,
			      enum dtype type, bool is_pointer, bool is_const)
{
	struct parameter *a = &p->parameter[prototype_all(p)];

	p->n_members++;
	a->member = xstrdup(name);
	a->name = xasprintf("o_%s", name);
	a->owner = 1;
	a->known = true;
	a->dtype = type;
	a->is_pointer = is_pointer;
	a->is_const = is_const;
}

/* A function of o, which points to struct s {const float *in; float *out, *alt;
 * const int *row; int n; float g;}, a float *y and an int m. */
static void read_object(struct prototype *out, const char *name, bool is_method,
			const char *source)
{
	static const char *const names[] = {"o", "y", "m"};

	*out = (struct prototype){.language = LANGUAGE_CXX,
				  .name = xstrdup(name),
				  .is_method = is_method};
	for (out->n = 0; out->n < ARRAY_SIZE(names); out->n++)
		out->parameter[out->n] = (struct parameter){
			.name = xstrdup(names[out->n]),
			.known = out->n > 0,
			.dtype = out->n == 1 ? DTYPE_F32 : DTYPE_I32,
			.has_members = out->n == 0,
			.is_pointer = out->n < 2};
	out->parameter[0].type = xstrdup("struct s");
	add_object_member(out, "in", DTYPE_F32, true, true);
	add_object_member(out, "out", DTYPE_F32, true, false);
	add_object_member(out, "alt", DTYPE_F32, true, false);
	add_object_member(out, "row", DTYPE_I32, true, true);
	add_object_member(out, "n", DTYPE_I32, false, false);
	add_object_member(out, "g", DTYPE_F32, false, false);
	loops_read(out, source);
}

/* "n: in", "n?: out?": a question mark where a task gets a GUESS. */
static char *said(const struct prototype *p, const char *name)
{
	static const char *const directions[] = {"in", "out", "inout"};

	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		if (!str_eq(a->name, name))
			continue;
		return xasprintf(
			"%s%s: %s%s", a->shape ? a->shape : "",
			!a->shape || a->shape_unsure ? "?" : "",
			a->has_direction ? directions[a->direction] : "",
			!a->has_direction || a->is_partial || a->is_swapped
				? "?"
				: "");
	}
	return xstrdup("none");
}

struct object_row {
	const char *body, *name, *said;
};

static void compare_object(const struct object_row *row, size_t n,
			   bool is_method, const char *head)
{
	for (size_t i = 0; i < n; i++) {
		cleanup_free char *source =
			xasprintf("%s {\n%s\n}\n", head, row[i].body);
		cleanup_prototype struct prototype p = {0};
		cleanup_free char *got = NULL;

		read_object(&p, is_method ? "s::f" : "f", is_method, source);
		got = said(&p, row[i].name);
		if (!str_eq(got, row[i].said))
			fail_msg("%s: %s is \"%s\"", row[i].body, row[i].name,
				 got);
	}
}

static void takes_declared_dimensions_from_a_member(void **state)
{
	static const struct object_row rows[] = {
		{"for (int i = 0; i < o->n; i++) y[i][0] = o->in[i];", "y",
		 "o_n, 3: inout"},
	};

	(void)state;
	compare_object(rows, ARRAY_SIZE(rows), false,
		       "void f(struct s *o, float y[o->n][3], int m)");
}

static void knows_contents_of_members_and_shapes_by_them(void **state)
{
	cleanup_prototype struct prototype p = {0}, q = {0};

	(void)state;
	read_object(&p, "f", false,
		    "void f(struct s *o, float *y, int m) {\n"
		    "for (int i = 0; i < o->n; i++)\n"
		    "for (int k = o->row[i]; k < o->row[i + 1]; k++)\n"
		    "y[i] += o->in[k]; }\n");
	assert_string_equal(p.parameter[3].shape, "o_row_max");
	assert_string_equal(p.parameter[6].contents, "o_row_max");
	assert_true(p.parameter[6].ascends);
	read_object(
		&q, "f", false,
		"void f(struct s *o, float *y, int m) {\n"
		"for (int i = 0; i < m; i++) o->out[o->row[i]] = y[i]; }\n");
	assert_string_equal(q.parameter[4].shape, "o_row_max + 1");
	assert_string_equal(q.parameter[6].contents, "o_row_max");
}

static void takes_the_method_of_the_class_that_is_asked_for(void **state)
{
#define ALL  "(float *y, int m) { for (int i = 0; i < m; i++) y[i] = 1; }\n"
#define HALF "(float *y, int m) { for (int i = 0; i < m / 2; i++) y[i] = 1; }\n"
	static const struct {
		const char *name, *source, *said;
	} rows[] = {
		{"a::f", "void b::f" ALL "void a::f" HALF, "(m / 2): out"},
		{"n::a<int>::f", "void n::b<T>::f" ALL "void n::a<T>::f" HALF,
		 "(m / 2): out"},
		{"a::f<int>",
		 "class b { void f" ALL "}; class a : c { void f" HALF "};",
		 "(m / 2): out"},
		{"n::a::f",
		 "namespace n { class a { void f(float *, int); };\n"
		 "class b { void f" ALL "}; void a::f" HALF "}",
		 "(m / 2): out"},
		/* It may be inherited; of two it is not known which. */
		{"a::f", "void b::f" HALF, "(m / 2): out"},
		{"a::f", "void b::f" ALL "void c::f" HALF, "?: ?"},
		{"a::f", "void f" ALL "struct { void f" HALF "};", "?: ?"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		cleanup_free char *got = NULL;

		read_object(&p, rows[i].name, true, rows[i].source);
		got = said(&p, "y");
		if (!str_eq(got, rows[i].said))
			fail_msg("%s: \"%s\"", rows[i].source, got);
	}
}

static void leaves_open_the_arrays_of_an_object_that_is_handed_on(void **state)
{
	static const struct object_row rows[] = {
		{"prepare(o); for (int i = 0; i < m; i++) o->out[i] = "
		 "o->in[i];",
		 "o_out", "m?: ?"},
		{"prepare(o); for (int i = 0; i < m; i++) o->out[i] = "
		 "o->in[i];",
		 "o_in", "m?: in"},
		{"o->prepare(); for (int i = 0; i < m; i++) o->out[i] = 1;",
		 "o_out", "m?: ?"},
		{"(*o).prepare(m); for (int i = 0; i < m; i++) o->out[i] = 1;",
		 "o_out", "m?: ?"},
		{"for (int i = 0; i < m; i++) o->out[i] = o->in[i]; done(m);",
		 "o_out", "m: out"},
	};

	(void)state;
	compare_object(rows, ARRAY_SIZE(rows), false,
		       "void f(struct s *o, float *y, int m)");
}

static void follows_methods_of_an_object(void **state)
{
	static const struct object_row rows[] = {
		{"for (int i = 0; i < o->n; i++) o->at(i)[0] = 1;", "o_out",
		 "o_n: out"},
		{"for (int i = 0; i < o->n; i++) { float *r = o->at(i); for "
		 "(int k = 0; k < 4; k++) r[k] = o->in[i]; }",
		 "o_out", "o_n, 4: out"},
		{"for (int i = 0; i < o->n; i++) o->at(i)[0] = o->in[i];",
		 "o_in", "o_n: in"},
		{"for (int i = 0; i < m; i++) o->away(i)[0] = o->in[i];",
		 "o_in", "m?: in"},
		{"o->next(); for (int i = 0; i < o->n; i++) o->out[i] = 1;",
		 "o_out", "o_n?: out"},
	};

	(void)state;
	compare_object(rows, ARRAY_SIZE(rows), false,
		       "struct t { float *at(int i) { return 0; } };\n"
		       "struct s { float *at(int i) { return out + 4 * i; }\n"
		       "void next() { n = n + 1; } };\n"
		       "void f(struct s *o, float *y, int m)");
}

static void is_unsure_of_members_that_change(void **state)
{
	static const struct object_row rows[] = {
		{"while (m--) *o->out++ = *o->in++;", "o_in", "1?: in"},
		{"while (m--) *o->out++ = *o->in++;", "o_out", "1?: out"},
		{"while (m--) { *o->out = m; ++o->out; }", "o_out", "1?: out"},
		{"while (m--) { *o->out = m; o->out += 2; }", "o_out",
		 "1?: out"},
		{"*o->out = m; o->out = make(m);", "o_out", "1?: out"},
		{"for (int k = 0; k < m; k++) { for (int i = 0; i < o->n; i++) "
		 "o->out[i] = o->alt[i]; float *t = o->alt; o->alt = o->out; "
		 "o->out = t; }",
		 "o_alt", "o_n?: inout?"},
		{"for (int k = 0; k < m; k++) { for (int i = 0; i < o->n; i++) "
		 "o->out[i] = o->alt[i]; float *t = o->alt; o->alt = o->out; "
		 "o->out = t; }",
		 "o_out", "o_n?: inout?"},
		/* A copy of the pointer may move. */
		{"float *t = o->out; while (m--) *t++ = 1;", "o_out", "m: out"},
		{"for (int i = 0; i < m; i++) y[o->n++] = 1;", "y",
		 "o_n + 1?: inout"},
		{"for (int i = 0; i < o->n; i++) y[i] = 1; o->n = 0;", "y",
		 "o_n?: out"},
		{"for (int i = 0; i < o->n; i++) y[i] = 1; o->g = 0;", "y",
		 "o_n: out"},
	};

	(void)state;
	compare_object(rows, ARRAY_SIZE(rows), false,
		       "void f(struct s *o, float *y, int m)");
}

static void takes_no_array_of_structures_for_one(void **state)
{
	static const struct object_row rows[] = {
		{"for (; m--; o++) o->out[0] = 1;", "o_out", "none"},
		{"for (struct s *e = o + m; o < e; ++o) o->out[0] = 1;",
		 "o_out", "none"},
		{"while (o) { o->out[0] = 1; o = o->next; }", "o_out", "none"},
		{"struct s *p = o; while (m--) { p->out[0] = 1; p++; }",
		 "o_out", "none"},
		{"o++; o->out[0] = 1;", "o_out", "none"},
		{"struct s *p = o; p->out[0] = 1;", "o_out", "1: out"},
		/* No task has o_n and o_row_max then. */
		{"for (int i = 0; i < o->n; i++) y[i] = 1; o++; y[0] = o->g;",
		 "y", "?: out"},
		{"for (int i = 0; i < m; i++) y[o->row[i]] = 1; o++; y[0] = "
		 "o->g;",
		 "y", "?: out"},
		{"for (int i = 0; i < m; i++) ++y[2 * i];", "y", "m: inout"},
	};

	(void)state;
	compare_object(rows, ARRAY_SIZE(rows), false,
		       "void f(struct s *o, float *y, int m)");
}

static void says_where_what_is_written_depends_on_members(void **state)
{
	static const struct object_row methods[] = {
		{"for (int i = 0; i < m; i++) if (in[i]) out[i] = 1;", "o_out",
		 "m: inout?"},
		{"for (int i = 0; i < m; i++) if (this->in[i]) y[i] = 1;", "y",
		 "m: inout?"},
		{"if (g > 0) y[0] = 1;", "y", "1: inout?"},
		{"if (n > 0) y[0] = 1;", "y", "1: out"},
		{"if (out) out[0] = 1;", "o_out", "1: out"},
	};
	static const struct object_row rows[] = {
		{"for (int i = 0; i < m; i++) switch (o->row[i]) { case 1: "
		 "y[i] = 1; break; }",
		 "y", "m: inout?"},
		{"for (int i = 0; i < m; i++) switch (m) { case 1: y[i] = 1; }",
		 "y", "m: out"},
		{"for (int i = 0; i < m; i++) if (test(o->in, i)) y[i] = 1;",
		 "y", "m: inout?"},
		{"const int *r = o->row; for (int i = 0; i < m; i++) if "
		 "(test(r, i)) y[i] = 1;",
		 "y", "m: inout?"},
		{"const int *r = o->row; for (int i = 0; i < m; i++) if "
		 "(*(r + i)) y[i] = 1;",
		 "y", "m: inout?"},
		{"const int *r = o->row; for (int i = 0; i < m; i++) if "
		 "(*(const int *)(i + r)) y[i] = 1;",
		 "y", "m: inout?"},
		{"const int *r = o->row; if (*++r) y[0] = 1;", "y",
		 "1: inout?"},
		{"const int *r = o->row; if (__builtin_expect(!!(r), 1)) y[0] "
		 "= 1;",
		 "y", "1: out"},
		{"const int *r = o->row; if ((r) && r != y) y[0] = 1;", "y",
		 "1: out"},
		{"if (o && o->n > 3 && o->row) y[0] = 1;", "y", "1: out"},
		{"if (test(o)) y[0] = 1;", "y", "1: inout?"},
		{"if (o->test(m)) y[0] = 1;", "y", "1: inout?"},
		{"if (*o->row) y[0] = 1;", "y", "1: inout?"},
	};

	(void)state;
	compare_object(methods, ARRAY_SIZE(methods), true,
		       "void s::f(float *y, int m)");
	compare_object(rows, ARRAY_SIZE(rows), false,
		       "void f(struct s *o, float *y, int m)");
}

/* ---- the state of a function in C ------------------------------------------------ */

/* struct s {unsigned n; int k; unsigned char buf[8]; float g; struct {float a, b;}
 * band[8];} *o, float *y, int m */
static void read_state(struct prototype *out, const char *source)
{
	static const char *const names[] = {"n", "k", "buf", "g", "band"};
	static const enum dtype types[] = {DTYPE_U32, DTYPE_I32, DTYPE_U8,
					   DTYPE_F32, DTYPE_F32};

	*out = (struct prototype){
		.language = LANGUAGE_C, .name = xstrdup("f"), .n = 3};
	out->parameter[0] = (struct parameter){.name = xstrdup("o"),
					       .type = xstrdup("struct s"),
					       .has_members = true,
					       .by_shim = true,
					       .is_pointer = true};
	out->parameter[1] = (struct parameter){.name = xstrdup("y"),
					       .type = xstrdup("float"),
					       .known = true,
					       .dtype = DTYPE_F32,
					       .is_pointer = true};
	out->parameter[2] = (struct parameter){.name = xstrdup("m"),
					       .type = xstrdup("int"),
					       .known = true,
					       .dtype = DTYPE_I32};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct parameter *a = &out->parameter[prototype_all(out)];

		add_object_member(out, names[i], types[i], i % 2 == 0 && i,
				  false);
		a->path = xstrdup(names[i]);
		a->type = xstrdup(dtype_name(types[i]));
		if (!a->is_pointer)
			continue;
		a->members = i == 4 ? 2 : 0;
		a->held = HELD_ARRAY;
		a->held_dim[0] = 8;
		a->n_held = 1;
	}
	loops_read(out, source);
}

/* "0..2 inout", "none" where the function does not use it */
static char *said_of_state(const struct prototype *p, const char *name)
{
	static const char *const directions[] = {"in", "out", "inout"};

	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		if (str_eq(a->name, name))
			return xasprintf("%s..%s %s", a->low ? a->low : "",
					 a->high ? a->high : "",
					 a->is_pointer
						 ? directions[a->direction]
						 : "size");
	}
	return xstrdup("none");
}

static void takes_the_values_of_a_state_from_the_source(void **state)
{
	static const struct object_row rows[] = {
		{"y[0] = o->g;", "o_n", "none"},
		{"if (++o->n == 3) o->n = 0;", "o_n", "0..2 inout"},
		{"o->n++; if (o->n < 5) y[0] = 1; else o->n = 0;", "o_n",
		 "0..4 inout"},
		{"unsigned h = o->n; if (++h >= 4) h = 0; o->n = h;", "o_n",
		 "0..3 inout"},
		{"o->buf[o->n++] = m; if (o->n == 3) o->n = 0;", "o_n",
		 "0..2 inout"},
		{"o->buf[o->n] = m; o->n = (o->n + 1) % 8;", "o_n",
		 "0..7 inout"},
		{"if (o->n > sizeof(o->buf)) y[0] = 1;", "o_n", "0..18 in"},
		{"switch (o->n) { case 0: y[0] = 1; break; case 2: y[0] = 2; }",
		 "o_n", "0..2 in"},
		{"switch (o->n) { case 1: y[0] = 1; break; default: break; }",
		 "o_n", "0..2 in"},
		{"enum { A, B = 5, C }; if (o->n == C) y[0] = 1;", "o_n",
		 "0..6 in"},
		{"enum { A = 1 << 0, B = 1 << 3, C }; if (o->n == C) y[0] = 1;",
		 "o_n", "0..9 in"},
		{"enum { A = -3 + m, B = 7 }; if (o->n == B) y[0] = 1;", "o_n",
		 "0..4 in"},
		{"enum { A = 1 | 2 }; if (o->n == A) y[0] = 1;", "o_n",
		 "0..4 in"},
		{"enum { A = (1 << 3) }; if (o->n == A) y[0] = 1;", "o_n",
		 "0..8 in"},
		{"if (o->n == 64 - 1) y[0] = 1;", "o_n", "0..63 in"},
		{"if (o->n > 2 * 10.5) y[0] = 1;", "o_n", "0..4 in"},
		{"if (o->k < -8 - 2 * (3)) y[0] = 1;", "o_k", "-14..0 in"},
		{"if (o->n == 64 - m) y[0] = 1;", "o_n", "0..4 in"},
		{"if (o->n == 64 -", "o_n", NULL},
		{"enum { A = 1 <<", "o_n", NULL},
		{"enum { A = 1 << }; if (o->n == A + ", "o_n", NULL},
		{"if (o->k > ((1 << 4) - 1)) o->k = 15;", "o_k", "0..15 inout"},
		{"if (o->k < -8) o->k = -8;", "o_k", "-8..0 inout"},
		{"o->n ^= m;", "o_n", "0..4294967295 inout"},
		{"y[0] = m / o->n;", "o_n", "1..1000 in"},
		{"o->n += m;", "o_n", "0..4294967295 inout"},
		{"for (int i = 0; i < m; i++) y[i] = o->n;", "o_n",
		 "0..1000 in"},
		{"o->g = 1; y[0] = o->g;", "o_g", ".. out"},
		{"y[0] = o->g++;", "o_g", ".. inout"},
		{"*o = (struct s){0}; y[0] = o->g;", "o_g", ".. inout"},
		{"step(o); y[0] = o->g;", "o_g", ".. inout"},
		{"step(&o->k); y[0] = 1;", "o_k", "-1000..1000 inout"},
		/* The furthest that it is an offset of is in the array. */
		{"y[0] = o->buf[o->n + 1];", "o_n", "0..6 in"},
		{"y[0] = o->buf[o->n + 7];", "o_n", "0..0 in"},
		{"y[0] = o->buf[m + o->n + 2];", "o_n", "0..5 in"},
		{"for (int i = 0; i < o->n; i++) y[i] = o->buf[i];", "o_n",
		 "0..8 in"},
		{"for (int i = 0; i < o->n; i++) o->buf[i] = o->buf[i + 1];",
		 "o_n", "0..7 in"},
		{"for (int i = 0; i <= o->n; i++) { y[i] = o->buf[i]; }", "o_n",
		 "0..7 in"},
		{"for (int i = 0; i + 4 <= o->n; i += 4) y[i] = o->buf[i] + "
		 "o->buf[i + 3];",
		 "o_n", "0..8 in"},
		{"for (int i = 0; i <= o->n - 4; i++) y[i] = o->buf[i + 3];",
		 "o_n", "0..8 in"},
		{"for (int i = 0; i < 7; i++) o->buf[i] = o->buf[i + 1];"
		 "for (int i = 0; i < o->n; i++) y[i] = o->buf[i];",
		 "o_n", "0..8 in"},
		{"int i = 0; do y[i] = o->buf[i + 1]; while (++i < o->n);",
		 "o_n", "0..1000 in"},
		/* Against 0: that says nothing of how much. */
		{"if (o->n > 0) y[0] = 8 - o->n; o->buf[o->n] = m;", "o_n",
		 "0..7 in"},
		{"if (o->n >= 1) o->buf[o->n] = m; o->n += m;", "o_n",
		 "0..7 inout"},
		{"if (o->n == 0) y[0] = 1; o->buf[o->n] = m; o->n += m;", "o_n",
		 "0..7 inout"},
		{"if (o->n > 0) { o->n -= m; y[0] = 1; }", "o_n", "0..4 inout"},
		{"if (o->n != 0) y[0] = 1;", "o_n", "0..1 in"},
		{"if (o->k == 0) { o->k = 3; y[0] = 1; }", "o_k", "0..3 inout"},
		{"if (o->n == sizeof o->band) y[0] = 1;", "o_n", "0..64 in"},
		{"if (o->n == sizeof o->band[0]) y[0] = 1;", "o_n", "0..4 in"},
		/* Numbers that one more is too much for. */
		{"if (o->n + m <= 9223372036854775807) y[0] = 1;", "o_n", NULL},
		{"y[0] = o->n & 9223372036854775807;", "o_n", NULL},
		{"switch (o->n) { case 9223372036854775807: default: y[0] = 1; "
		 "}",
		 "o_n", NULL},
		{"enum { A = 9223372036854775807, B }; if (o->n == B) y[0] = "
		 "1;",
		 "o_n", NULL},
		{"enum { A = -9223372036854775808 }; if (o->k == -A) y[0] = 1;",
		 "o_k", NULL},
		/* What no bracket closes, and what begins at the end. */
		{"if (o->n == (3) y[0] = o->buf[o->n", "o_n", NULL},
		{"enum { A, B = ; switch (o->n) { case", "o_n", NULL},
		{"o->n = o->n == sizeof", "o_n", NULL},
		{"o->", "o_n", NULL},
	};

	bool right = true;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		cleanup_free char *source =
			xasprintf("void f(struct s *o, float *y, int m) { %s }",
				  rows[i].body);
		cleanup_free char *got = NULL;

		read_state(&p, source);
		got = said_of_state(&p, rows[i].name);
		if (rows[i].said && !str_eq(got, rows[i].said))
			print_message("%s: %s\n", rows[i].body, got);
		right = right && (!rows[i].said || str_eq(got, rows[i].said));
	}
	assert_true(right);
}

/* Where a shim of `s` puts a structure of so many bytes, by its other name. */
static char *said_of_place(uint64_t bytes, const char *called)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_prototype struct prototype p = {
		.language = LANGUAGE_C, .name = xstrdup("s"), .n_states = 1};

	p.state[0] = (struct kernel_state){.name = xstrdup("o"),
					   .type = xstrdup("struct s"),
					   .bytes = bytes};
	template_add_state_call(&out, &p, called);
	return buf_take(&out);
}

static void keeps_a_large_state_off_the_stack(void **state UNUSED)
{
	cleanup_free char *small = said_of_place(4096, "s");
	cleanup_free char *large = said_of_place((uint64_t)16 << 20, "s");

	assert_non_null(strstr(small, "\tstruct s shim_o = {0};\n"));
	assert_non_null(strstr(large, "\tstatic struct s shim_o;"));
	/* All of it is zeros before each call. */
	assert_non_null(strstr(large, "memset(&shim_o, 0, sizeof shim_o);"));
}

/* #define s s_plain */
static void renames_a_structure_with_its_function(void **state UNUSED)
{
	cleanup_free char *plain = said_of_place(4096, "s_plain");

	assert_non_null(strstr(plain, "\tstruct s_plain shim_o = {0};\n"));
	assert_non_null(strstr(plain, "\ts_plain("));
}

/* struct s {unsigned n; int k;} *o, which is known as an array, and an int m. */
static void read_maybe_one(struct prototype *out, const char *source)
{
	*out = (struct prototype){
		.language = LANGUAGE_C, .name = xstrdup("f"), .n = 2};
	out->parameter[0] = (struct parameter){.name = xstrdup("o"),
					       .type = xstrdup("struct s"),
					       .known = true,
					       .dtype = DTYPE_I32,
					       .members = 2,
					       .may_be_one = true,
					       .is_pointer = true};
	out->parameter[1] = (struct parameter){.name = xstrdup("m"),
					       .type = xstrdup("int"),
					       .known = true,
					       .dtype = DTYPE_I32};
	for (size_t i = 0; i < 2; i++) {
		struct parameter *a = &out->parameter[prototype_all(out)];

		add_object_member(out, i ? "k" : "n", DTYPE_I32, false, false);
		a->path = xstrdup(i ? "k" : "n");
		a->type = xstrdup("int");
	}
	loops_read(out, source);
}

static void takes_a_pointer_for_one_structure_by_its_uses(void **state UNUSED)
{
	static const struct {
		const char *body;
		bool is_one;
	} rows[] = {
		{"o->n += m; o->k = o->n;", true},
		{"(*o).n += m;", true},
		{"if (!o) return; o->n++; m += x->o;", true},
		{"g(1, o); o->n++;", true},
		{"g(h(1, 2), o);", true},
		{"h(o, 1);", false},
		{"unseen(o); o->n++;", false},
		{"loop(o);", false},
		{"o[m].n = 1;", false},
		{"o->n = 1; o++;", false},
		{"struct s *p = o; p->n = 1;", false},
		{"*o = (struct s){0};", false},
		{"(o + m)->n = 1;", false},
		{"m++;", false},
		{"(o", false},
		{"g(1, o", false},
	};
	bool right = true;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		cleanup_free char *source = xasprintf(
			"static void g(int a, struct s *b) { b->n += a; }\n"
			"static void h(struct s *b, int a) { b[a].n = 0; }\n"
			"static void loop(struct s *b) { loop(b); }\n"
			"void f(struct s *o, int m) { %s }",
			rows[i].body);

		read_maybe_one(&p, source);
		if ((p.n_states == 1) != rows[i].is_one || p.n_members ||
		    p.parameter[0].may_be_one)
			print_message("%s\n", rows[i].body);
		right = right && (p.n_states == 1) == rows[i].is_one &&
			!p.n_members && !p.parameter[0].may_be_one;
	}
	assert_true(right);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_declared_dimensions_from_a_member),
		cmocka_unit_test(knows_contents_of_members_and_shapes_by_them),
		cmocka_unit_test(
			takes_the_method_of_the_class_that_is_asked_for),
		cmocka_unit_test(
			leaves_open_the_arrays_of_an_object_that_is_handed_on),
		cmocka_unit_test(follows_methods_of_an_object),
		cmocka_unit_test(is_unsure_of_members_that_change),
		cmocka_unit_test(takes_no_array_of_structures_for_one),
		cmocka_unit_test(says_where_what_is_written_depends_on_members),
		cmocka_unit_test(keeps_a_large_state_off_the_stack),
		cmocka_unit_test(renames_a_structure_with_its_function),
		cmocka_unit_test(takes_a_pointer_for_one_structure_by_its_uses),
		cmocka_unit_test(takes_the_values_of_a_state_from_the_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
