#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "scorer/runner/judge.h"

#define ROWS	8
#define COLUMNS 40
#define PITCH	48

/* Two outputs of the same type and shape, with gaps between rows. */
struct pair {
	struct layout l;
	unsigned char one[ROWS * PITCH * 8], other[ROWS * PITCH * 8];
	struct likeness_reply found;
};

static void make(struct pair *p, enum dtype dtype)
{
	struct tensor_layout *t = &p->l.arg[0].tensor;

	memset(p, 0, sizeof *p);
	p->l.n = 1;
	p->l.arg[0].is_tensor = true;
	*t = (struct tensor_layout){.region = REGION_OUTPUT,
				    .dtype = dtype,
				    .n_dims = 2,
				    .shape = {ROWS, COLUMNS},
				    .stride = {PITCH, 1},
				    .elements = ROWS * COLUMNS};
	for (size_t i = 0; i < ROWS * PITCH; i++) {
		double v = (double)(i % PITCH) + 1;

		dtype_store(dtype, p->one, i, v);
		/* Between rows there may be anything. */
		if (i % PITCH < COLUMNS)
			dtype_store(dtype, p->other, i, v);
	}
}

static void look(struct pair *p, int64_t tile_rows)
{
	p->found = (struct likeness_reply){0};
	likeness_look(&p->found, &p->l, p->one, p->other, tile_rows);
}

static void equal_outputs_differ_nowhere(void **state)
{
	struct pair p;

	(void)state;
	for (int t = 0; t < DTYPE_COUNT; t++) {
		make(&p, (enum dtype)t);
		look(&p, 1);
		assert_true(p.found.most == 0);
	}
}

static void the_row_that_differs_most_is_told(void **state)
{
	const enum dtype types[] = {DTYPE_F32, DTYPE_F64, DTYPE_BF16};
	struct pair p;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		make(&p, types[i]);
		dtype_store(types[i], p.other, 2 * PITCH, 1.0625);
		dtype_store(types[i], p.other, 5 * PITCH + 39, 20);
		look(&p, 1);
		assert_int_equal(p.found.rows.begin, 5);
		assert_int_equal(p.found.rows.end, 6);
		assert_true(fabs(p.found.most - 0.5) < 0.01);
		look(&p, 4);
		assert_int_equal(p.found.rows.begin, 4);
		assert_int_equal(p.found.rows.end, 8);
	}
}

static void nan_on_one_side_is_more_than_any_number(void **state)
{
	struct pair p;

	(void)state;
	make(&p, DTYPE_F32);
	dtype_store(DTYPE_F32, p.other, 1 * PITCH, -1e30);
	dtype_store(DTYPE_F32, p.other, 3 * PITCH + 7, NAN);
	look(&p, 1);
	assert_int_equal(p.found.rows.begin, 3);
	assert_true(isinf(p.found.most));
	dtype_store(DTYPE_F32, p.one, 3 * PITCH + 7, NAN);
	look(&p, 1);
	assert_int_equal(p.found.rows.begin, 1);
}

static void equal_infinities_are_no_difference(void **state)
{
	struct pair p;

	(void)state;
	make(&p, DTYPE_F32);
	dtype_store(DTYPE_F32, p.one, 6 * PITCH, INFINITY);
	dtype_store(DTYPE_F32, p.other, 6 * PITCH, INFINITY);
	look(&p, 1);
	assert_true(p.found.most == 0);
	dtype_store(DTYPE_F32, p.other, 6 * PITCH, -INFINITY);
	look(&p, 1);
	assert_true(isinf(p.found.most));
}

static void integers_differ_or_do_not(void **state)
{
	struct pair p;

	(void)state;
	make(&p, DTYPE_I32);
	dtype_store(DTYPE_I32, p.other, 7 * PITCH + 3, 5);
	look(&p, 1);
	assert_int_equal(p.found.rows.begin, 7);
	assert_true(isinf(p.found.most));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_outputs_differ_nowhere),
		cmocka_unit_test(the_row_that_differs_most_is_told),
		cmocka_unit_test(nan_on_one_side_is_more_than_any_number),
		cmocka_unit_test(equal_infinities_are_no_difference),
		cmocka_unit_test(integers_differ_or_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
