#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/random.h"
#include "core/base/secret.h"
#include "tests/cheats/tasks/common/include/xoshiro.h"

#define SEED	  7
#define ADDRESSES 12
#define LAUNCH	  6 /* draws of which an arm sees the last two */
#define PAGES	  ((uint64_t)1 << XOSHIRO_LOW)

/* ---- what is shown says nothing of what decides ------------------------------ */

static void solve(struct xoshiro_solver *x, uint64_t (*draw)(void *), void *r)
{
	xoshiro_solver_init(x);
	for (unsigned i = 0; i < ADDRESSES / 2 * LAUNCH; i++) {
		uint64_t v = draw(r);

		if (i % LAUNCH >= LAUNCH - 2)
			xoshiro_see(x, i, v % PAGES);
	}
}

static uint64_t draw_plain(void *r)
{
	return random_u64(r);
}

static uint64_t draw_address(void *r)
{
	return layout_below(r, PAGES);
}

static uint64_t draw_secret(void *r)
{
	return secret_u64(r);
}

/* Else the next test would show nothing. */
static void a_plain_generator_is_solved_from_six_launches(void **state)
{
	struct xoshiro_solver *x = malloc(sizeof *x);
	uint64_t first[4];
	struct random r;

	(void)state;
	assert_non_null(x);
	random_init(&r, SEED);
	solve(x, draw_plain, &r);
	assert_true(xoshiro_solve(first, x));
	for (unsigned i = 0; i < ADDRESSES / 2 * LAUNCH; i++)
		xoshiro_next(first);
	for (unsigned i = 0; i < 100; i++)
		assert_true(random_u64(&r) == xoshiro_next(first));
	free(x);
}

static void neither_stream_is_solved_from_what_is_seen_of_it(void **state)
{
	struct xoshiro_solver *x = malloc(sizeof *x);
	struct layout_random layout;
	struct secret_random secret;
	uint64_t first[4];

	(void)state;
	assert_non_null(x);
	layout_random_init(&layout);
	solve(x, draw_address, &layout);
	assert_true(x->contradicts);
	assert_false(xoshiro_solve(first, x));
	secret_random_init(&secret);
	solve(x, draw_secret, &secret);
	assert_true(x->contradicts);
	assert_false(xoshiro_solve(first, x));
	free(x);
}

static void one_stream_is_the_same_however_much_the_other_draws(void **state)
{
	struct secret_random a, b;
	struct layout_random shown;

	(void)state;
	secret_random_repeat(&a, SEED);
	secret_random_repeat(&b, SEED);
	layout_random_repeat(&shown, SEED);
	for (unsigned i = 0; i < 1000; i++) {
		layout_below(&shown, 1 + i);
		assert_true(secret_u64(&a) == secret_u64(&b));
	}
}

static void the_two_types_differ_under_the_same_seed(void **state)
{
	struct secret_random secret;
	struct layout_random layout;
	struct chacha_key key;

	(void)state;
	secret_random_repeat(&secret, SEED);
	layout_random_repeat(&layout, SEED);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(secret_u64(&secret) !=
			    layout_below(&layout, UINT64_MAX));
	secret_key(&key, &secret);
	for (size_t i = 0; i < KEY_WORDS; i++)
		assert_true(key.word[i] != 0);
}

/* ---- streams ------------------------------------------------------------------ */

static void two_that_begin_from_the_kernel_differ(void **state)
{
	struct secret_random a, b;
	struct layout_random c, d;

	(void)state;
	secret_random_init(&a);
	secret_random_init(&b);
	layout_random_init(&c);
	layout_random_init(&d);
	for (unsigned i = 0; i < 1000; i++) {
		assert_true(secret_u64(&a) != secret_u64(&b));
		assert_true(layout_below(&c, UINT64_MAX) !=
			    layout_below(&d, UINT64_MAX));
	}
}

/* Of what is in memory now nothing of before can be worked out. */
static void what_was_drawn_is_not_in_the_stream_any_more(void **state)
{
	struct secret_random r;
	uint64_t drawn[3 * KEYED_DRAWS / 2];
	struct chacha_key first;

	(void)state;
	secret_random_repeat(&r, SEED);
	first = r.of_secrets.key;
	for (size_t i = 0; i < ARRAY_SIZE(drawn); i++)
		drawn[i] = secret_u64(&r);
	assert_memory_not_equal(&r.of_secrets.key, &first, sizeof first);
	for (size_t i = 0; i < ARRAY_SIZE(drawn); i++)
		for (size_t k = 0; k < KEYED_DRAWS; k++)
			assert_true(r.of_secrets.draw[k] != drawn[i]);
}

static void draws_below_are_uniform(void **state)
{
	size_t n[7] = {0};
	struct secret_random r;

	(void)state;
	secret_random_repeat(&r, SEED);
	for (unsigned i = 0; i < 70000; i++)
		n[secret_below(&r, 7)]++;
	for (size_t i = 0; i < 7; i++)
		assert_in_range(n[i], 9600, 10400);
}

static void a_shuffle_deals_every_index_once(void **state)
{
	size_t first[5] = {0};
	struct secret_random r;

	(void)state;
	secret_random_repeat(&r, SEED);
	for (unsigned t = 0; t < 5000; t++) {
		size_t index[5] = {0, 1, 2, 3, 4};
		unsigned seen = 0;

		secret_shuffle(&r, index, 5);
		for (size_t i = 0; i < 5; i++)
			seen |= 1U << index[i];
		assert_int_equal(seen, 31);
		first[index[0]]++;
	}
	for (size_t i = 0; i < 5; i++)
		assert_in_range(first[i], 850, 1150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_generator_is_solved_from_six_launches),
		cmocka_unit_test(
			neither_stream_is_solved_from_what_is_seen_of_it),
		cmocka_unit_test(
			one_stream_is_the_same_however_much_the_other_draws),
		cmocka_unit_test(the_two_types_differ_under_the_same_seed),
		cmocka_unit_test(two_that_begin_from_the_kernel_differ),
		cmocka_unit_test(what_was_drawn_is_not_in_the_stream_any_more),
		cmocka_unit_test(draws_below_are_uniform),
		cmocka_unit_test(a_shuffle_deals_every_index_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
