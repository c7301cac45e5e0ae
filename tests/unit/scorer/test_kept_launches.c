#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "scorer/contest/kept_launches.h"

#define LAUNCHES 40
#define TIMES	 4000

/* A contest of one case: launch i took pace[i] and was unlike[i]. */
static void play(struct kept_launches *k, struct secret_random *secret,
		 unsigned check, const double *pace, const double *unlike,
		 size_t n)
{
	struct task t = {.n_cases = 1, .check = check};
	struct input_set s = INPUT_SET_INIT;

	kept_launches_init(k, &t);
	for (size_t i = 0; i < n; i++) {
		size_t entry[8];
		size_t m = kept_launches_choose(entry, k, 0, pace[i], unlike[i],
						secret);

		for (size_t p = 0; p < m; p++)
			kept_launches_put(k, 0, entry[p], &s, 0,
					  &(struct unlike){0});
	}
}

static void the_fastest_and_the_most_unlike_stay(void **state)
{
	const double pace[] = {3, 1, 2, 5}, unlike[] = {0, 0.1, 0.5, 0.2};
	struct secret_random secret;
	struct kept_launches k;

	(void)state;
	secret_random_repeat(&secret, 1);
	play(&k, &secret, 1, pace, unlike, 4);
	assert_int_equal(k.of[0].launch[KEPT_FASTEST].number, 2);
	assert_int_equal(k.of[0].launch[KEPT_UNLIKE].number, 3);
	kept_launches_release(&k);
}

static void outputs_that_are_alike_have_no_entry(void **state)
{
	const double pace[] = {3, 1}, unlike[] = {0, 0};
	struct secret_random secret;
	struct kept_launches k;

	(void)state;
	secret_random_repeat(&secret, 1);
	play(&k, &secret, 1, pace, unlike, 2);
	assert_int_equal(k.of[0].launch[KEPT_UNLIKE].number, 0);
	kept_launches_release(&k);
}

static void every_launch_is_as_likely_to_be_drawn(void **state)
{
	double nothing[LAUNCHES] = {0};
	size_t times[LAUNCHES + 1] = {0};
	struct secret_random secret;

	(void)state;
	secret_random_repeat(&secret, 7);
	for (size_t i = 0; i < TIMES; i++) {
		struct kept_launches k;

		play(&k, &secret, 2, nothing, nothing, LAUNCHES);
		times[k.of[0].launch[KEPT_DRAWN].number]++;
		times[k.of[0].launch[KEPT_DRAWN + 1].number]++;
		kept_launches_release(&k);
	}
	assert_int_equal(times[0], 0);
	for (size_t i = 1; i <= LAUNCHES; i++) {
		double expected = 2.0 * TIMES / LAUNCHES;

		assert_true(fabs((double)times[i] - expected) <
			    6 * sqrt(expected));
	}
}

static size_t count_whole(const struct kept_launches *k)
{
	size_t n = 0;

	for (size_t p = 0; p < k->entries; p++)
		n += k->of[0].launch[p].whole;
	return n;
}

static void as_many_as_asked_are_checked_whole(void **state)
{
	double nothing[LAUNCHES] = {0};
	struct secret_random secret;

	(void)state;
	secret_random_repeat(&secret, 3);
	for (unsigned check = 1; check < 5; check++) {
		struct kept_launches k;

		play(&k, &secret, check, nothing, nothing, LAUNCHES);
		kept_launches_draw_whole(&k, check, false, &secret);
		assert_int_equal(count_whole(&k), check);
		assert_false(k.of[0].launch[KEPT_UNLIKE].whole);
		kept_launches_draw_whole(&k, check, true, &secret);
		assert_int_equal(count_whole(&k), k.entries);
		kept_launches_release(&k);
	}
}

static void a_launch_in_two_entries_is_checked_once(void **state)
{
	const double pace[] = {1}, unlike[] = {0.5};
	struct secret_random secret;
	struct kept_launches k;

	(void)state;
	secret_random_repeat(&secret, 1);
	play(&k, &secret, 1, pace, unlike, 1);
	k.of[0].launch[KEPT_FASTEST].checked = true;
	assert_false(kept_launches_was_checked(&k, 0, KEPT_DRAWN));
	k.of[0].launch[KEPT_FASTEST].whole = true;
	assert_true(kept_launches_was_checked(&k, 0, KEPT_DRAWN));
	assert_true(kept_launches_was_checked(&k, 0, KEPT_UNLIKE));
	assert_false(kept_launches_was_checked(&k, 0, KEPT_FASTEST));
	kept_launches_release(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fastest_and_the_most_unlike_stay),
		cmocka_unit_test(outputs_that_are_alike_have_no_entry),
		cmocka_unit_test(every_launch_is_as_likely_to_be_drawn),
		cmocka_unit_test(as_many_as_asked_are_checked_whole),
		cmocka_unit_test(a_launch_in_two_entries_is_checked_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
