/* Which rows of an output are held against the reference. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scorer/contest/check.h"

#define ROWS  301
#define DRAWS 2000

/* An output of so many rows, wide enough that a row is a tile. */
static void make_layout(struct layout *l, int64_t rows)
{
	*l = (struct layout){.n = 1, .rows = rows};
	l->arg[0].is_tensor = true;
	l->arg[0].tensor = (struct tensor_layout){.region = REGION_OUTPUT,
						  .elements = rows * 100000};
}

struct looked {
	struct task task;
	struct scoring sc;
	struct layout layout;
	int times[ROWS];
	int64_t rows; /* of the last selection */
};

static void begin(struct looked *k, uint64_t seed)
{
	*k = (struct looked){.task = {.reference_rows = true}};
	k->sc.task = &k->task;
	secret_random_repeat(&k->sc.secret, seed);
	make_layout(&k->layout, ROWS);
}

static void look(struct looked *k, int64_t rows)
{
	struct selection what = {0};
	int64_t end = 0;

	check_select(&what, &k->sc, &k->layout, rows);
	assert_in_range(what.n_segments, 1, PROTOCOL_SEGMENTS);
	k->rows = 0;
	for (uint32_t i = 0; i < what.n_segments; i++) {
		struct segment s = what.segment[i];

		assert_true(s.begin >= end && s.end > s.begin);
		for (int64_t r = s.begin; r < s.end; r++)
			k->times[r]++;
		k->rows += s.end - s.begin;
		end = s.end;
	}
	assert_true(end <= ROWS);
}

static void the_last_row_is_always_among_many(void **state)
{
	const int64_t budget[] = {2, 5, 15, 16, 64, 150, 300};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(budget); i++) {
		struct looked k;

		begin(&k, 1 + i);
		for (int n = 1; n < 200; n++) {
			look(&k, budget[i]);
			assert_int_equal(k.times[ROWS - 1], n);
			assert_true(k.rows <= budget[i]);
		}
	}
}

static void of_single_rows_it_is_one_of_four(void **state)
{
	struct looked k;

	(void)state;
	begin(&k, 7);
	for (int n = 0; n < DRAWS; n++)
		look(&k, 1);
	assert_in_range(k.times[ROWS - 1], DRAWS / 5, DRAWS / 3);
}

static void every_row_may_be_looked_at(void **state)
{
	const int64_t budget[] = {1, 2, 5, 16, 64};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(budget); i++) {
		struct looked k;

		begin(&k, 20 + i);
		for (int n = 0; n < 10 * DRAWS / (int)budget[i]; n++)
			look(&k, budget[i]);
		for (size_t r = 0; r < ROWS; r++)
			assert_true(k.times[r] > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_row_is_always_among_many),
		cmocka_unit_test(of_single_rows_it_is_one_of_four),
		cmocka_unit_test(every_row_may_be_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
