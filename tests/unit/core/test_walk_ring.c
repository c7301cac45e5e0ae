/* Where a ring goes on, in the state of a function in C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/loops.h"

static void add_member(struct prototype *p, const char *name, enum dtype type,
		       bool is_pointer)
{
	struct parameter *a = &p->parameter[prototype_all(p)];

	p->n_members++;
	a->member = xstrdup(name);
	a->path = xstrdup(name);
	a->name = xasprintf("s_%s", name);
	a->type = xstrdup(dtype_name(type));
	a->owner = 1;
	a->known = true;
	a->dtype = type;
	a->is_pointer = is_pointer;
}

/* void f(struct fir {float *ring; size_t n, pos;} *s, const float *x, int *at) {body} */
static void read_fir(struct prototype *out, const char *body)
{
	cleanup_free char *source = xasprintf(
		"void f(struct fir *s, const float *x, int *at) { %s }", body);

	*out = (struct prototype){
		.language = LANGUAGE_C, .name = xstrdup("f"), .n = 3};
	out->parameter[0] = (struct parameter){.name = xstrdup("s"),
					       .type = xstrdup("struct fir"),
					       .has_members = true,
					       .by_shim = true,
					       .is_pointer = true};
	out->parameter[1] = (struct parameter){.name = xstrdup("x"),
					       .type = xstrdup("float"),
					       .known = true,
					       .dtype = DTYPE_F32,
					       .is_const = true,
					       .is_pointer = true};
	out->parameter[2] = (struct parameter){.name = xstrdup("at"),
					       .type = xstrdup("int"),
					       .known = true,
					       .dtype = DTYPE_I32,
					       .is_pointer = true};
	add_member(out, "ring", DTYPE_F32, true);
	add_member(out, "n", DTYPE_U64, false);
	add_member(out, "pos", DTYPE_U64, false);
	loops_read(out, source);
}

#define OTHER "4" /* of a number that is not known as where a ring goes on */

/* The last place where the ring may go on. */
static char *last_of(const struct prototype *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		if (str_eq(a->name, "s_pos"))
			return xstrdup(a->high ? a->high : "");
	}
	return xstrdup("");
}

static void a_ring_ends_where_its_number_is_held_against(void **state UNUSED)
{
	static const struct {
		const char *body, *last;
	} rows[] = {
		{"s->ring[s->pos] = *x; if (++s->pos == s->n) s->pos = 0;",
		 "s_n - 1"},
		{"s->ring[s->pos] = *x; s->pos = (s->pos + 1) % s->n;",
		 "s_n - 1"},
		{"size_t k = s->n; s->ring[s->pos++] = *x; if (s->pos >= k) "
		 "s->pos = 0;",
		 "s_n - 1"},
		{"s->ring[s->pos] = *x; s->pos = (s->pos + 1) & 63;", "63"},
		{"s->ring[s->pos] = *x; s->pos = (s->pos + 1) & (64 - 1);",
		 "63"},
		{"const size_t mask = 63; s->ring[s->pos] = *x; s->pos = "
		 "(s->pos + 1) & mask;",
		 "63"},
		{"s->ring[s->pos] = *x; s->pos = (s->pos + 1) & (s->n - 1);",
		 "1023"},
		/* What could be `const` is walked through twice. */
		{"s->ring[s->pos] = x[at[0]]; if (++s->pos == s->n) s->pos = "
		 "0;",
		 "s_n - 1"},
		{"s->ring[0] = *x; if (++s->pos == s->n) s->pos = 0;", OTHER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		cleanup_free char *last = NULL;

		read_fir(&p, rows[i].body);
		last = last_of(&p);
		if (!str_eq(last, rows[i].last))
			fail_msg("%s: \"%s\"", rows[i].body, last);
	}
}

/* A name that is given nothing is looked for in the whole text. */
static void use_names(struct buf *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "if (s->pos == k%zu) s->pos = 0;\n", i);
	buf_adds(out, "s->ring[s->pos] = *x; s->pos = (s->pos + 1) % s->n;");
}

static void a_text_of_many_names_costs_no_more_than_so_many_looks(
	void **state UNUSED)
{
	cleanup_prototype struct prototype few = {0}, many = {0};
	cleanup_buf struct buf body = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *last = NULL, *none = NULL;

	use_names(&body, 100);
	read_fir(&few, body.data);
	last = last_of(&few);
	assert_string_equal(last, "s_n - 1");
	buf_clear(&body);
	use_names(&body, 5000);
	assert_false(body.truncated);
	read_fir(&many, body.data);
	none = last_of(&many);
	assert_string_equal(none, OTHER);
}

/* The function is over where the text is, and what is read goes on behind it. */
static void a_text_may_end_behind_the_function(void **state UNUSED)
{
	static const char *const rows[] = {
		"s->pos % } . //",    "s->pos % } -> //", "s->pos & } . //",
		"s->pos & ( } -> //", "s->pos ++ } //",	  "++ s->pos } = //",
		"s->ring[s->pos } //"};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_fir(&p, rows[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_ends_where_its_number_is_held_against),
		cmocka_unit_test(
			a_text_of_many_names_costs_no_more_than_so_many_looks),
		cmocka_unit_test(a_text_may_end_behind_the_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
