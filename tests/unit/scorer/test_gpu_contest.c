/* Whose outputs an arm of a contest on a GPU writes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scorer/contest/gpu_contest_internal.h"

#define ARMS   3
#define BLOCKS 300

struct dealer {
	struct scoring sc;
	struct contest contest;
	struct gpu_contest gpu;
};

static void begin(struct dealer *d, uint64_t seed)
{
	*d = (struct dealer){.gpu = {.n = ARMS}};
	secret_random_repeat(&d->sc.secret, seed);
	d->contest.sc = &d->sc;
	d->gpu.contest = &d->contest;
}

static void deal(size_t slot[GPU_SLOTS], struct dealer *d, size_t half,
		 size_t arms)
{
	const struct half b = {.half = half, .n = arms};

	gpu_contest_deal_slots(slot, &d->gpu, &b);
}

static void two_exchange_theirs_in_the_second_half(void **state)
{
	struct dealer d;

	(void)state;
	begin(&d, 1);
	for (int i = 0; i < BLOCKS; i++) {
		size_t first[GPU_SLOTS], second[GPU_SLOTS];

		deal(first, &d, 0, ARMS);
		deal(second, &d, 1, ARMS);
		assert_int_equal(second[0], first[1]);
		assert_int_equal(second[1], first[0]);
		assert_int_equal(second[2], first[2]);
		/* A half that is repeated is the same half. */
		deal(second, &d, 1, ARMS);
		assert_int_equal(second[0], first[1]);
	}
}

static void blocks_are_dealt_anew_and_nobody_shares(void **state)
{
	size_t times[ARMS][ARMS] = {{0}};
	struct dealer d;

	(void)state;
	begin(&d, 2);
	for (int i = 0; i < BLOCKS; i++) {
		size_t slot[GPU_SLOTS];

		deal(slot, &d, 0, ARMS);
		assert_true(slot[0] != slot[1] && slot[1] != slot[2] &&
			    slot[0] != slot[2]);
		for (size_t k = 0; k < ARMS; k++)
			times[k][slot[k]]++;
	}
	for (size_t k = 0; k < ARMS; k++)
		for (size_t s = 0; s < ARMS; s++)
			assert_in_range(times[k][s], BLOCKS / 5, BLOCKS / 2);
}

static void one_that_is_alone_keeps_its_own(void **state)
{
	size_t first[GPU_SLOTS], second[GPU_SLOTS];
	struct dealer d;

	(void)state;
	begin(&d, 3);
	deal(first, &d, 0, 1);
	deal(second, &d, 1, 1);
	assert_int_equal(first[0], second[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_exchange_theirs_in_the_second_half),
		cmocka_unit_test(blocks_are_dealt_anew_and_nobody_shares),
		cmocka_unit_test(one_that_is_alone_keeps_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
