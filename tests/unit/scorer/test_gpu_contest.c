/* Whose outputs an arm of a contest on a GPU writes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

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

/* ---- what is gained by several images at once ----------------------------- */

struct hand_over {
	struct task task;
	struct dealer d;
	struct samples alone, together, seconds;
	int64_t images;
	double fixed;
};

static void begin_hand_over(struct hand_over *h)
{
	*h = (struct hand_over){.task = {.n_cases = 1}, .images = 16};
	begin(&h->d, 4);
	h->d.sc.task = &h->task;
	snprintf(h->d.sc.isolated, sizeof h->d.sc.isolated, "it waits");
	h->d.contest.case_overhead = &h->fixed;
	h->d.contest.seconds = &h->seconds;
	h->d.gpu.alone = &h->alone;
	h->d.gpu.together = &h->together;
	h->d.gpu.images = &h->images;
}

static void end_hand_over(struct hand_over *h)
{
	free(h->alone.value);
	free(h->together.value);
	free(h->seconds.value);
}

/* A half with these times of the candidate and its rival, in either order. */
static struct half half_of(double mine, double his, bool first)
{
	struct half b = {.n = 3};

	b.slot[0] = SLOT_TWIN;
	b.seconds[0] = 1;
	b.slot[first ? 1 : 2] = 0;
	b.seconds[first ? 1 : 2] = mine;
	b.slot[first ? 2 : 1] = 1;
	b.seconds[first ? 2 : 1] = his;
	return b;
}

static double bias_of(struct hand_over *h, double mine_alone, double his_alone,
		      double mine, double his)
{
	cleanup_free char *why = NULL;

	h->fixed = 1e-3;
	h->images = 1;
	for (int i = 0; i < 6; i++) {
		const struct half b = half_of(mine_alone, his_alone, i % 2);

		gpu_hand_over_take(&h->d.gpu, &b);
	}
	h->fixed = 1e-4;
	h->images = 16;
	for (int i = 0; i < 20; i++) {
		const struct half b = half_of(mine, his, i % 2);

		gpu_hand_over_take(&h->d.gpu, &b);
	}
	return gpu_alone_bias(&why, &h->d.gpu);
}

static void work_for_several_images_at_once_is_no_gain(void **state)
{
	struct hand_over h;

	(void)state;
	/* 2 ms alone, as the rival's, and a fifth of it among others. */
	begin_hand_over(&h);
	assert_float_equal(bias_of(&h, 3e-3, 3e-3, 5e-4, 2.1e-3), log(5), 1e-6);
	end_hand_over(&h);
	/* Twice as fast in both ways: what is fixed does not count. */
	begin_hand_over(&h);
	assert_float_equal(bias_of(&h, 2e-3, 3e-3, 1.1e-3, 2.1e-3), 0, 1e-6);
	end_hand_over(&h);
	/* Slower among others than alone: nothing is taken off for that. */
	begin_hand_over(&h);
	assert_float_equal(bias_of(&h, 2e-3, 3e-3, 2.1e-3, 2.1e-3), 0, 1e-6);
	end_hand_over(&h);
}

static void such_a_gain_is_taken_off_what_a_comparison_found(void **state)
{
	cleanup_free char *why = NULL;
	struct hand_over h;

	(void)state;
	begin_hand_over(&h);
	samples_add(&h.seconds, 1e-2);
	bias_of(&h, 3e-3, 3e-3, 5e-4, 2.1e-3);
	assert_float_equal(gpu_contest_bias(&why, &h.d.gpu), log(5), 1e-6);
	assert_non_null(strstr(why, "a launch alone takes 4e+02 % longer"));
	end_hand_over(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_exchange_theirs_in_the_second_half),
		cmocka_unit_test(blocks_are_dealt_anew_and_nobody_shares),
		cmocka_unit_test(one_that_is_alone_keeps_its_own),
		cmocka_unit_test(work_for_several_images_at_once_is_no_gain),
		cmocka_unit_test(
			such_a_gain_is_taken_off_what_a_comparison_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
