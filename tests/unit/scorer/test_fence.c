#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "scorer/wire/fence.h"

static const char text[] =
	"name: t\nlanguage: cuda\nsources: [k.cu]\nentry: f\narguments:\n"
	"  - {name: a, dtype: f32, shape: [n]}\n"
	"  - {name: b, dtype: f32, shape: [n, n], align: 256}\n"
	"  - {name: n, dtype: i32, value: n}\n"
	"  - {name: c, dtype: bf16, shape: [n], direction: out, align: 4}\n"
	"  - {name: d, dtype: f32, shape: [n], direction: inout}\n"
	"  - {name: w, workspace: 0}\n"
	"  - {name: v, workspace: n}\n"
	"cases: [{n: 7}, {n: 2001}]\nflops: n\n"
	"reference: {source: r.cu, entry: r, plain: p}\n";

static void make(struct layout *l, const struct task *t, size_t which)
{
	assert_null(layout_make(l, t, &t->cases[which], false));
}

static void every_tensor_ends_where_a_page_does(void **state)
{
	cleanup_task struct task *t = NULL;

	(void)state;
	assert_null(task_parse(&t, "avogit.yaml", text, strlen(text)));
	for (size_t which = 0; which < 2; which++) {
		cleanup_free struct layout *l = xcalloc(1, sizeof *l);

		make(l, t, which);
		assert_null(fence_layout(l, t));
		for (size_t i = 0; i < l->n; i++) {
			const struct tensor_layout *x = &l->arg[i].tensor;
			size_t align = t->argument[i].alignment;

			if (!l->arg[i].is_tensor)
				continue;
			assert_int_equal(x->begin % FENCE_PAGE, 0);
			assert_int_equal(x->end % FENCE_PAGE, 0);
			assert_int_equal(x->offset % align, 0);
			assert_true(x->offset >= x->begin);
			assert_true(x->offset + x->bytes <= x->end);
			assert_true(x->end - x->offset - x->bytes < align);
			assert_true(l->region_bytes[x->region] >= x->end);
		}
	}
}

static void a_page_of_nothing_lies_before_each(void **state)
{
	cleanup_task struct task *t = NULL;
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);
	size_t end[REGION_COUNT] = {0};

	(void)state;
	assert_null(task_parse(&t, "avogit.yaml", text, strlen(text)));
	make(l, t, 1);
	assert_null(fence_layout(l, t));
	for (size_t i = 0; i < l->n; i++) {
		const struct tensor_layout *x = &l->arg[i].tensor;

		if (!l->arg[i].is_tensor)
			continue;
		assert_true(x->begin >= end[x->region] + FENCE_PAGE);
		end[x->region] = x->end;
	}
}

static void more_than_a_region_holds_is_refused(void **state)
{
	cleanup_task struct task *t = NULL;
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);
	cleanup_error struct error *err = NULL;

	(void)state;
	assert_null(task_parse(&t, "avogit.yaml", text, strlen(text)));
	make(l, t, 0);
	l->arg[0].tensor.bytes = (size_t)4 << 30;
	err = fence_layout(l, t);
	assert_true(error_is(err, ERROR_TOO_BIG));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_tensor_ends_where_a_page_does),
		cmocka_unit_test(a_page_of_nothing_lies_before_each),
		cmocka_unit_test(more_than_a_region_holds_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
