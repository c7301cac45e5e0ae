#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "agent/tuner/gaussian.h"
#include "agent/tuner/search.h"
#include "tests/draws.h"

/* A hill over three ordered dimensions and an unordered one. */
static const size_t values[] = {6, 5, 4, 3};
static const bool ordered[] = {true, true, true, false};

static bool any(const void *arg, const size_t *point)
{
	(void)arg;
	(void)point;
	return true;
}

static bool even_only(const void *arg, const size_t *point)
{
	(void)arg;
	return point[0] % 2 == 0;
}

static double hill(const size_t *p)
{
	return -0.1 * fabs((double)p[0] - 4) - 0.05 * fabs((double)p[1] - 1) -
	       0.2 * fabs((double)p[2] - 2) - (p[3] == 1 ? 0 : 0.3);
}

static struct tuner_search *new_search(bool (*allowed)(const void *,
						       const size_t *),
				       uint64_t seed)
{
	const struct search_space space = {.n = 4,
					   .values = values,
					   .ordered = ordered,
					   .allowed = allowed};

	return search_new(&space, seed);
}

static size_t evaluations_to_best(uint64_t seed)
{
	struct tuner_search *s = new_search(any, seed);
	const char *reason;
	size_t point[4], n = 0;
	double gain;

	do {
		assert_true(search_ask(s, point, NULL, &reason));
		gain = hill(point);
		search_tell(s, point, gain);
		n++;
	} while (gain < 0);
	search_free(s);
	return n;
}

static void finds_the_top_of_a_hill_early(void **state)
{
	size_t total = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++)
		total += evaluations_to_best(seed);
	/* Chance needs 180 on average for the 360 points. */
	assert_true(total / 20 < 45);
}

#define FITTED 60

/* How far the predictions at points that were fitted are from the hill in the
 * mean, where the values are off it by this deviation. *noise: the share of the
 * values' variance that the process takes for noise. */
static double error_of_fit(double off, double *noise)
{
	cleanup_gaussian struct gaussian g;
	size_t p[FITTED][4];
	const size_t *point[FITTED];
	double value[FITTED], mean, deviation, sum = 0;
	struct random r;

	random_init(&r, 7);
	for (size_t i = 0; i < FITTED; i++) {
		for (size_t d = 0; d < 4; d++)
			p[i][d] = random_below(&r, values[d]);
		point[i] = p[i];
		value[i] = hill(p[i]) + off * random_normal(&r);
	}
	gaussian_init(&g, 4, values, ordered);
	for (size_t i = 0; i < 3; i++)
		gaussian_fit(&g, point, value, NULL, FITTED, true);
	for (size_t i = 0; i < FITTED; i++) {
		gaussian_predict(&g, p[i], &mean, &deviation);
		sum += fabs(mean - hill(p[i]));
	}
	*noise = g.noise;
	return sum / FITTED;
}

static void noise_is_told_from_what_the_values_make(void **state)
{
	double noise;

	(void)state;
	assert_true(error_of_fit(0, &noise) < 0.01);
	assert_true(noise < 0.01);
	/* The measurements are off by 0.16 in the mean. */
	assert_true(error_of_fit(0.2, &noise) < 0.1);
	assert_true(noise > 0.05);
}

/* Until the top was asked, where gains are off by this deviation, which the search
 * is told or not; one in ten by four times as much. */
static size_t evaluations_in_noise(uint64_t seed, double off, bool is_told)
{
	struct tuner_search *s = new_search(any, seed);
	const char *reason;
	size_t point[4], n = 0;
	struct random r;

	random_init(&r, seed);
	do {
		double more = random_below(&r, 10) ? 1 : 4;
		double noise = more * off * random_normal(&r);

		assert_true(search_ask(s, point, NULL, &reason));
		search_tell_within(s, point, hill(point) + noise,
				   is_told ? more * off : 0);
		n++;
	} while (hill(point) < 0);
	search_free(s);
	return n;
}

/* With sanitizers, which find what they find in any of them, ten times as slow. */
#ifdef __SANITIZE_ADDRESS__
#define NOISY_SEEDS 4
#else
#define NOISY_SEEDS 40
#endif

static void a_gain_counts_as_much_as_it_is_sure(void **state)
{
	size_t told = 0, untold = 0;

	(void)state;
	for (uint64_t seed = 0; seed < NOISY_SEEDS; seed++) {
		told += evaluations_in_noise(seed, 0.15, true);
		untold += evaluations_in_noise(seed, 0.15, false);
	}
	assert_true(2 * told < untold);
}

/* A point of five in a row whose value is far above the others. */
static double fitted_middle(double deviation)
{
	static const size_t five[] = {5}, at[5][1] = {{0}, {1}, {2}, {3}, {4}};
	const size_t *point[] = {at[0], at[1], at[2], at[3], at[4]};
	const double value[] = {0, 0.1, 3, 0.1, 0};
	const double off[] = {0, 0, deviation, 0, 0};
	cleanup_gaussian struct gaussian g;

	gaussian_init(&g, 1, five, ordered);
	gaussian_fit(&g, point, value, off, 5, false);
	return gaussian_fitted(&g, 2, value[2]);
}

static void a_value_that_may_be_far_off_is_hardly_believed(void **state)
{
	(void)state;
	assert_true(fitted_middle(0) > 2.9);
	assert_true(fitted_middle(3) < 1);
}

#define LEFT_OUT 6

/* The log density of a value where the process knows only the others: this one may
 * be off by so much that it says nothing, and mean and scale stay as they are. */
static double density_without(struct gaussian *g, const size_t *const *point,
			      const double *value, const double *deviation,
			      size_t i)
{
	double off[LEFT_OUT], mean, known, variance;

	memcpy(off, deviation, sizeof off);
	off[i] = 1e6;
	gaussian_fit(g, point, value, off, LEFT_OUT, false);
	gaussian_predict(g, point[i], &mean, &known);
	variance = pow(known, 2) + pow(g->scale, 2) * g->noise +
		   pow(deviation[i], 2);
	return -log(2 * M_PI * variance) / 2 -
	       pow(value[i] - mean, 2) / variance / 2;
}

static void each_value_is_predicted_from_the_others(void **state)
{
	static const size_t at[LEFT_OUT][4] = {{4, 1, 2, 1}, {4, 2, 2, 1},
					       {3, 1, 2, 0}, {5, 4, 1, 1},
					       {0, 0, 3, 2}, {1, 3, 0, 0}};
	const size_t *point[LEFT_OUT];
	const double value[] = {0.1, -0.05, -0.4, -0.5, -1, -1.3};
	const double deviation[] = {0, 0.2, 0, 0.05, 0, 0};
	double left_out[LEFT_OUT + 1], sum = 0;
	cleanup_gaussian struct gaussian g;

	(void)state;
	for (size_t i = 0; i < LEFT_OUT; i++)
		point[i] = at[i];
	gaussian_init(&g, 4, values, ordered);
	gaussian_fit(&g, point, value, deviation, LEFT_OUT, true);
	for (size_t m = 0; m <= LEFT_OUT; m++)
		left_out[m] = gaussian_loo(&g, m);
	assert_true(left_out[0] == 0);
	for (size_t m = 0; m < LEFT_OUT; m++) {
		sum += density_without(&g, point, value, deviation, m);
		assert_true(fabs(left_out[m + 1] - sum) < 1e-6);
	}
}

/* Of 30 asks, how many were among the points foreseen just before. */
static size_t foreseen_of_thirty(uint64_t seed)
{
	struct tuner_search *s = new_search(any, seed),
			    *other = new_search(any, seed);
	size_t points[6 * 4], point[4], same[4], n = 0, hits = 0;
	const char *reason;
	struct random r;
	double noise;

	random_init(&r, seed);
	for (size_t k = 0; k < 30; k++) {
		bool hit = false;

		assert_true(search_ask(s, point, NULL, &reason));
		assert_true(search_ask(other, same, NULL, &reason));
		/* Looking ahead changes nothing. */
		assert_memory_equal(point, same, sizeof point);
		for (size_t i = 0; i < n; i++)
			hit |= memcmp(points + 4 * i, point, sizeof point) == 0;
		hits += hit;
		n = search_foresee(s, points, 6, NULL);
		noise = 0.1 * random_normal(&r);
		search_tell(s, point, hill(point) + noise);
		search_tell(other, point, hill(point) + noise);
	}
	search_free(s);
	search_free(other);
	return hits;
}

static void what_comes_next_is_mostly_foreseen(void **state)
{
	size_t total = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++)
		total += foreseen_of_thirty(seed);
	assert_true(total > 4 * 30 * 6 / 10);
}

/* As a run that is resumed: after any number of points that were told, the
 * array may be too small for one more. */
static void looking_ahead_works_after_any_number_of_points(void **state)
{
	(void)state;
	for (size_t told = 1; told < 80; told++) {
		struct tuner_search *s = new_search(any, told);
		size_t points[3 * 4], point[4];
		const char *reason;

		for (size_t i = 0; i < told; i++) {
			const size_t p[] = {i % 6, i / 6 % 5, i / 30, 0};

			search_tell(s, p, hill(p));
		}
		assert_true(search_ask(s, point, NULL, &reason));
		assert_int_equal(search_foresee(s, points, 3, NULL), 3);
		search_free(s);
	}
}

/* 20 values in 8 dimensions, 10^10 points, of which one in 200,000 is allowed: each
 * pair of neighbours adds up to 18. */
static bool neighbours_fit(const void *arg, const size_t *p, size_t n)
{
	(void)arg;
	return n % 2 || p[n - 2] + p[n - 1] == 18;
}

static bool all_fit(const void *arg, const size_t *p)
{
	for (size_t n = 1; n <= 8; n++)
		if (!neighbours_fit(arg, p, n))
			return false;
	return true;
}

static void tight_conditions_are_met_by_construction(void **state)
{
	static const size_t wide[] = {20, 20, 20, 20, 20, 20, 20, 20};
	static const bool ups[] = {true, true, true, true,
				   true, true, true, true};
	const struct search_space space = {.n = 8,
					   .values = wide,
					   .ordered = ups,
					   .allowed = all_fit,
					   .may_begin = neighbours_fit};
	struct tuner_search *s = search_new(&space, 1);
	double best = -HUGE_VAL;
	const char *reason;
	size_t p[8];

	(void)state;
	for (size_t i = 0; i < 60; i++) {
		double gain = 0;

		assert_true(search_ask(s, p, NULL, &reason));
		assert_true(all_fit(NULL, p));
		for (size_t d = 0; d < 8; d += 2)
			gain -= fabs((double)p[d] - 3);
		best = MAX(best, gain);
		search_tell(s, p, gain);
	}
	/* Of 60 drawn, the best is 10 away from the top. */
	assert_true(best > -6);
	search_free(s);
}

/* Orders: a step is a pair that stands the other way round. */
static void the_nearest_orders_say_most(void **state)
{
	static const size_t one[] = {6};
	static const bool no[] = {false};
	/* abc acb bac bca cab cba */
	static const uint8_t steps[] = {0, 1, 1, 2, 2, 3, 1, 0, 2, 3, 1, 2,
					1, 2, 0, 1, 3, 2, 2, 3, 1, 0, 2, 1,
					2, 1, 3, 2, 0, 1, 3, 2, 2, 1, 1, 0};
	static const uint8_t *const by_dim[] = {steps};
	const size_t first = 0, near = 1, far = 5;
	const size_t *known[] = {&first, &far};
	cleanup_gaussian struct gaussian g;
	double mean, other, deviation;

	(void)state;
	gaussian_init(&g, 1, one, no);
	gaussian_set_steps(&g, by_dim);
	gaussian_fit(&g, known, (const double[]){1, -1}, NULL, 2, false);
	gaussian_predict(&g, &near, &mean, &deviation);
	gaussian_predict(&g, &(size_t){3}, &other, &deviation);
	assert_true(mean > 0.1 && other < -0.1);
}

/* Another machine is slower at all points and has the same best one. */
static void begins_with_the_best_that_others_measured(void **state)
{
	struct tuner_search *s = new_search(any, 3);
	const size_t best[] = {4, 1, 2, 1}, failed[] = {0, 0, 0, 0};
	const char *reason;
	size_t p[4];

	(void)state;
	for (size_t i = 0; i < 24; i++) {
		const size_t q[] = {i % 6, i % 5, i / 6, i % 3};

		search_guide(s, q, hill(q) - 2);
	}
	search_guide(s, failed, (double)NAN);
	search_guide(s, best, -2);
	assert_true(search_ask(s, p, NULL, &reason));
	assert_memory_equal(p, best, sizeof best);
	assert_string_equal(reason, "the best that was measured before");
	assert_false(search_was_told(s, best));
	search_tell(s, p, hill(p));
	assert_true(search_ask(s, p, NULL, &reason));
	assert_true(strcmp(reason, "the best that was measured before") != 0);
	search_free(s);
}

/* As where the source's own point, an earlier run's too, was measured first. */
static void the_best_that_others_measured_follows_one_of_their_points(
	void **state)
{
	static const size_t best[] = {4, 1, 3, 0}, own[] = {0, 4, 0, 2};
	struct tuner_search *s = new_search(any, 2);
	const char *reason;
	size_t p[4];

	(void)state;
	search_guide(s, own, -9);
	search_guide(s, best, -2);
	search_tell(s, own, 0);
	assert_true(search_ask(s, p, NULL, &reason));
	assert_memory_equal(p, best, sizeof best);
	assert_string_equal(reason, "the best that was measured before");
	search_free(s);
}

/* Evaluations until the top of the hill was measured, in ten runs that 60
 * measurements from elsewhere guide. `is_mirrored`: there the hill stands at the
 * other end of each range. */
static size_t guided_evaluations(bool is_mirrored)
{
	size_t total = 0;

	for (uint64_t seed = 0; seed < 10; seed++) {
		struct tuner_search *s = new_search(any, seed);
		const char *reason;
		size_t p[4];
		double gain = -1;

		for (size_t i = 0; i < 60; i++) {
			const size_t q[] = {i % 6, i * 2 % 5, i / 15, i % 3};
			const size_t m[] = {5 - q[0], 4 - q[1], 3 - q[2],
					    2 - q[3]};

			if (hill(q) < 0)
				search_guide(s, q,
					     hill(is_mirrored ? m : q) - 1);
		}
		for (; gain < 0; total++) {
			assert_true(search_ask(s, p, NULL, &reason));
			gain = hill(p);
			search_tell(s, p, gain);
		}
		search_free(s);
	}
	return total;
}

/* Others' gains say where it is slow; what proves to be wrong does no harm for
 * long. */
static void others_measurements_lead_to_the_top_sooner(void **state)
{
	size_t without = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++)
		without += evaluations_to_best(seed);
	assert_true(guided_evaluations(false) < without);
	/* With others' gains as exact as those of here it takes four times as
	 * many. */
	assert_true(guided_evaluations(true) < 2 * without);
}

/* Steps from a corner of the fast part of a space of 8 values in four dimensions.
 * Up to two of them are as fast but for luck, which differs from point to point. */
#define FAST_STEPS 2
static const size_t needle[] = {2, 5, 1, 6};

static double lucky(const size_t *p)
{
	static const double corner[] = {1, 6, 1, 6};
	uint64_t number = 0;
	double steps = 0;
	struct random r;

	if (memcmp(p, needle, sizeof needle) == 0)
		return 0.2;
	for (size_t d = 0; d < 4; d++) {
		steps += fabs((double)p[d] - corner[d]);
		number = 8 * number + p[d];
	}
	random_init(&r, number);
	return 0.1 * random_unit(&r) - 0.05 * MAX(steps - FAST_STEPS, 0.0);
}

static size_t evaluations_to_needle(uint64_t seed)
{
	static const size_t eight[] = {8, 8, 8, 8};
	static const bool ups[] = {true, true, true, true};
	const struct search_space space = {
		.n = 4, .values = eight, .ordered = ups, .allowed = any};
	struct tuner_search *s = search_new(&space, seed);
	const char *reason;
	size_t p[4], n = 0;

	do {
		assert_true(search_ask(s, p, NULL, &reason));
		search_tell(s, p, lucky(p));
		n++;
	} while (memcmp(p, needle, sizeof p) != 0);
	search_free(s);
	return n;
}

/* How slow the others are tells where the fast part ends. */
static void slow_points_keep_the_search_where_it_is_fast(void **state)
{
	size_t total = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 6; seed++)
		total += evaluations_to_needle(seed);
	/* With all slow points as the median it takes 142. */
	assert_true(total / 6 < 115);
}

/* Those that fail here are not tried for ever, and what is not allowed never. */
static void others_points_that_fail_here_are_given_up(void **state)
{
	struct tuner_search *s = new_search(even_only, 3);
	size_t guided = 0;
	const char *reason;
	size_t p[4];

	(void)state;
	for (size_t i = 0; i < 30; i++) {
		const size_t q[] = {i % 6, i % 5, i / 6 % 4, i % 3};

		search_guide(s, q, hill(q));
	}
	for (size_t i = 0; i < 10; i++) {
		assert_true(search_ask(s, p, NULL, &reason));
		assert_true(p[0] % 2 == 0);
		guided += strstr(reason, "before") != NULL;
		search_tell(s, p, (double)NAN);
	}
	assert_int_equal(guided, 3);
	search_free(s);
}

static void never_repeats_and_ends_when_nothing_is_left(void **state)
{
	struct tuner_search *s = new_search(even_only, 1);
	bool seen[6][5][4][3] = {{{{false}}}};
	const char *reason;
	size_t p[4], n = 0;

	(void)state;
	while (search_ask(s, p, NULL, &reason)) {
		assert_false(seen[p[0]][p[1]][p[2]][p[3]]);
		seen[p[0]][p[1]][p[2]][p[3]] = true;
		assert_int_equal(p[0] % 2, 0);
		search_tell(s, p, n++ % 7 ? hill(p) : (double)NAN);
	}
	assert_int_equal(n, 3 * 5 * 4 * 3);
	search_free(s);
}

static void the_same_seed_asks_the_same(void **state)
{
	struct tuner_search *a = new_search(any, 5), *b = new_search(any, 5);
	const char *reason;
	size_t p[4], q[4];

	(void)state;
	for (size_t i = 0; i < 30; i++) {
		assert_true(search_ask(a, p, NULL, &reason));
		assert_true(search_ask(b, q, NULL, &reason));
		assert_memory_equal(p, q, sizeof p);
		search_tell(a, p, hill(p));
		search_tell(b, q, hill(q));
	}
	search_free(a);
	search_free(b);
}

static void keeps_near_a_point_when_told_to(void **state)
{
	struct tuner_search *s = new_search(any, 3);
	const size_t around[4] = {0, 4, 0, 2};
	const char *reason;
	size_t p[4];

	(void)state;
	for (size_t i = 0; i < 15; i++) {
		size_t moves = 0;

		assert_true(search_ask(s, p, around, &reason));
		for (size_t d = 0; d < 4; d++)
			moves += p[d] != around[d];
		assert_true(moves <= 2);
		search_tell(s, p, hill(p));
	}
	search_free(s);
}

static void a_space_where_everything_fails_is_still_walked(void **state)
{
	struct tuner_search *s = new_search(even_only, 3);
	const char *reason;
	size_t p[4], n = 0;

	(void)state;
	for (; n < 180 && search_ask(s, p, NULL, &reason); n++)
		search_tell(s, p, NAN);
	assert_int_equal(n, 180);
	assert_false(search_ask(s, p, NULL, &reason));
	search_free(s);
}

static void what_is_believed_changes_only_how_surely_things_are_known(
	void **state)
{
	const size_t points[][4] = {{0, 0, 0, 0}, {4, 1, 2, 1}, {5, 4, 3, 2}};
	const size_t *known[] = {points[0], points[1], points[2]};
	const size_t believed[4] = {2, 2, 2, 1}, near[4] = {2, 3, 2, 1};
	const size_t *const more = believed;
	double mean, deviation, then, less;
	cleanup_gaussian struct gaussian g;

	(void)state;
	gaussian_init(&g, 4, values, ordered);
	gaussian_fit(&g, known, (double[]){-1, 0, -0.7}, NULL, 3, false);
	gaussian_predict(&g, near, &mean, &deviation);
	gaussian_believe(&g, &more, 1);
	gaussian_predict(&g, near, &then, &less);
	assert_true(fabs(then - mean) < 1e-9);
	assert_true(less < 0.8 * deviation);
}

/* In how many coordinates the three points differ that are asked after so many
 * were told. */
static size_t moves_among_three(size_t told, bool is_expected)
{
	struct tuner_search *s = new_search(any, told);
	size_t p[3][4], moves = 0;
	const char *reason;

	for (size_t i = 0; i < told; i++) {
		assert_true(search_ask(s, p[0], NULL, &reason));
		search_tell(s, p[0], hill(p[0]));
	}
	for (size_t i = 0; i < 3; i++) {
		assert_true(search_ask(s, p[i], NULL, &reason));
		search_expect(s, p[i], is_expected);
		for (size_t j = 0; j < i; j++)
			for (size_t d = 0; d < 4; d++)
				moves += p[i][d] != p[j][d];
	}
	search_free(s);
	return moves;
}

static void what_is_asked_together_is_spread(void **state)
{
	size_t spread = 0, crowded = 0;

	(void)state;
	for (size_t told = 1; told < 30; told++) {
		spread += moves_among_three(told, true);
		crowded += moves_among_three(told, false);
	}
	assert_true(spread > crowded);
}

/* More dimensions, and more told points, than an ask can look at in full. */
#define WIDE 12

static bool pairs_fit(const void *arg, const size_t *point)
{
	(void)arg;
	for (size_t d = 0; d < WIDE; d += 2)
		if (point[d] + point[d + 1] > 9)
			return false;
	return true;
}

static double bowl(const size_t *p)
{
	double sum = 0;

	for (size_t d = 0; d < WIDE; d++)
		sum -= 0.1 * fabs((double)p[d] - (double)(d % 5));
	return sum;
}

static void a_space_too_large_to_list_is_searched(void **state)
{
	size_t many[WIDE], p[WIDE];
	bool is_ordered[WIDE];
	const struct search_space space = {.n = WIDE,
					   .values = many,
					   .ordered = is_ordered,
					   .allowed = pairs_fit};
	double best = -HUGE_VAL;
	struct tuner_search *s;
	const char *reason;

	(void)state;
	for (size_t d = 0; d < WIDE; d++) {
		many[d] = 8;
		is_ordered[d] = true;
	}
	s = search_new(&space, 1);
	for (size_t i = 0; i < 140; i++) {
		assert_true(search_ask(s, p, NULL, &reason));
		assert_true(pairs_fit(NULL, p));
		assert_false(search_was_told(s, p));
		search_tell(s, p, bowl(p));
		best = MAX(best, bowl(p));
	}
	search_free(s);
	/* The middle of all ranges has -1.9, the allowed points of the 8^12
	 * have -2.6 on average. */
	assert_true(best > -0.3);
}

/* After the point of a source, too; foreseeing it does not spend it. */
static void the_middle_comes_before_the_model_knows_anything(void **state)
{
	static const size_t many[] = {9, 9, 9, 9};
	static const bool all[] = {true, true, true, true};
	const struct search_space space = {
		.n = 4, .values = many, .ordered = all, .allowed = any};
	struct tuner_search *s = search_new(&space, 1);
	const size_t first[4] = {0}, middle[4] = {4, 4, 4, 4};
	size_t point[4], foreseen[8];
	const char *reason;

	(void)state;
	search_tell(s, first, -1);
	assert_true(search_foresee(s, foreseen, 2, NULL));
	assert_true(search_ask(s, point, NULL, &reason));
	assert_memory_equal(point, middle, sizeof point);
	search_tell(s, point, -1);
	assert_true(search_ask(s, point, NULL, &reason));
	search_free(s);
	/* Where it was told already, another is asked. */
	s = search_new(&space, 1);
	search_tell(s, middle, -1);
	assert_true(search_ask(s, point, NULL, &reason));
	assert_memory_not_equal(point, middle, sizeof point);
	search_free(s);
}

static void what_is_withdrawn_may_be_asked_again(void **state)
{
	struct tuner_search *s = new_search(any, 3);
	const size_t around[4] = {0, 4, 0, 2};
	const char *reason;
	size_t p[4], q[4];

	(void)state;
	search_tell(s, around, hill(around));
	assert_true(search_ask(s, p, around, &reason));
	search_withdraw(s, p);
	assert_true(search_ask(s, q, around, &reason));
	assert_memory_equal(p, q, sizeof p);
	/* What was told stays so. */
	search_tell(s, p, hill(p));
	search_withdraw(s, p);
	assert_true(search_was_told(s, p));
	assert_true(search_ask(s, q, around, &reason));
	assert_memory_not_equal(p, q, sizeof p);
	search_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_top_of_a_hill_early),
		cmocka_unit_test(noise_is_told_from_what_the_values_make),
		cmocka_unit_test(
			a_value_that_may_be_far_off_is_hardly_believed),
		cmocka_unit_test(a_gain_counts_as_much_as_it_is_sure),
		cmocka_unit_test(each_value_is_predicted_from_the_others),
		cmocka_unit_test(slow_points_keep_the_search_where_it_is_fast),
		cmocka_unit_test(
			the_middle_comes_before_the_model_knows_anything),
		cmocka_unit_test(what_comes_next_is_mostly_foreseen),
		cmocka_unit_test(
			looking_ahead_works_after_any_number_of_points),
		cmocka_unit_test(tight_conditions_are_met_by_construction),
		cmocka_unit_test(the_nearest_orders_say_most),
		cmocka_unit_test(begins_with_the_best_that_others_measured),
		cmocka_unit_test(
			the_best_that_others_measured_follows_one_of_their_points),
		cmocka_unit_test(others_measurements_lead_to_the_top_sooner),
		cmocka_unit_test(others_points_that_fail_here_are_given_up),
		cmocka_unit_test(never_repeats_and_ends_when_nothing_is_left),
		cmocka_unit_test(the_same_seed_asks_the_same),
		cmocka_unit_test(keeps_near_a_point_when_told_to),
		cmocka_unit_test(
			what_is_believed_changes_only_how_surely_things_are_known),
		cmocka_unit_test(what_is_asked_together_is_spread),
		cmocka_unit_test(a_space_too_large_to_list_is_searched),
		cmocka_unit_test(what_is_withdrawn_may_be_asked_again),
		cmocka_unit_test(
			a_space_where_everything_fails_is_still_walked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
