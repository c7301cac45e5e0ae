#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "agent/tuner/ahead.h"

/* A hill over three ordered dimensions and an unordered one. */
static const size_t values[] = {6, 5, 4, 3};
static const bool ordered[] = {true, true, true, false};

static bool any(const void *arg, const size_t *point)
{
	(void)arg;
	(void)point;
	return true;
}

/* Few enough to walk all of them. */
#define FEW 60
static bool few(const void *arg, const size_t *point)
{
	(void)arg;
	return point[0] % 2 == 0 && point[3] == 1;
}

static double hill(const size_t *p)
{
	return -0.1 * fabs((double)p[0] - 4) - 0.05 * fabs((double)p[1] - 1) -
	       0.2 * fabs((double)p[2] - 2) - (p[3] == 1 ? 0 : 0.3);
}

struct run {
	struct tuner_search *s;
	struct tuner_ahead a;
	struct tuner_wish wish;
	size_t point[4]; /* the last */
	const char *reason;
	bool tried[6][5][4][3];
};

static void begin(struct run *r, uint64_t seed, size_t ahead,
		  bool (*allowed)(const void *, const size_t *))
{
	const struct search_space space = {.n = 4,
					   .values = values,
					   .ordered = ordered,
					   .allowed = allowed};

	*r = (struct run){.wish = {.lineage = 1, .ahead = ahead}};
	r->s = search_new(&space, seed);
	tuner_ahead_init(&r->a, 4);
}

static void end(struct run *r)
{
	tuner_ahead_release(&r->a);
	search_free(r->s);
}

/* One attempt; it is never one that was tried. */
static bool try(struct run *r)
{
	const size_t *p = r->point;

	if (!tuner_ahead_take(&r->a, r->s, &r->wish, r->point, &r->reason))
		return false;
	assert_false(r->tried[p[0]][p[1]][p[2]][p[3]]);
	r->tried[p[0]][p[1]][p[2]][p[3]] = true;
	search_tell(r->s, p, hill(p));
	return true;
}

static size_t try_all(struct run *r)
{
	size_t n = 0;

	while (try(r))
		n++;
	return n;
}

static void what_is_tried_was_chosen_three_attempts_ago(void **state)
{
	size_t chosen[30][4];
	struct run r;

	(void)state;
	begin(&r, 1, TUNER_AHEAD, any);
	for (size_t i = 0; i < 30; i++) {
		assert_true(try(&r));
		if (i >= TUNER_AHEAD)
			assert_memory_equal(r.point, chosen[i - TUNER_AHEAD],
					    sizeof r.point);
		assert_non_null(r.reason);
		assert_int_equal(r.a.n, TUNER_AHEAD);
		memcpy(chosen[i], r.a.asked[TUNER_AHEAD - 1].point,
		       sizeof r.point);
	}
	end(&r);
}

/* The one that is tried, too: it is told later than they are chosen. */
static void what_waits_is_expected_when_others_are_chosen(void **state)
{
	const size_t told[][4] = {
		{0, 0, 0, 0}, {5, 4, 3, 2}, {4, 1, 2, 0}, {3, 2, 1, 1}};
	const struct search_space space = {
		.n = 4, .values = values, .ordered = ordered, .allowed = any};
	struct tuner_search *s = search_new(&space, 9);
	const char *reason;
	size_t p[4];
	struct run r;

	(void)state;
	begin(&r, 9, TUNER_AHEAD, any);
	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		search_tell(s, told[i], hill(told[i]));
		search_tell(r.s, told[i], hill(told[i]));
	}
	assert_true(try(&r));
	for (size_t i = 0; i <= TUNER_AHEAD; i++) {
		assert_true(search_ask(s, p, NULL, &reason));
		search_expect(s, p, true);
		assert_memory_equal(p, i ? r.a.asked[i - 1].point : r.point,
				    sizeof p);
	}
	search_free(s);
	end(&r);
}

/* Of 30 choices, how many were among three guesses made an attempt before. */
static size_t foreseen_of_thirty(uint64_t seed)
{
	const size_t first[] = {seed % 6, seed % 5, seed % 4, seed % 3};
	size_t guesses[3 * 4], n = 0, hits = 0;
	struct run r;

	begin(&r, seed, TUNER_AHEAD, any);
	search_tell(r.s, first, hill(first));
	for (size_t i = 0; i < 31; i++) {
		const size_t *p = r.point;
		bool hit = false;

		assert_true(tuner_ahead_take(&r.a, r.s, &r.wish, r.point,
					     &r.reason));
		for (size_t k = 0; k < n; k++)
			hit |= memcmp(guesses + 4 * k,
				      r.a.asked[TUNER_AHEAD - 1].point,
				      sizeof r.point) == 0;
		hits += hit;
		n = search_foresee(r.s, guesses, 3, NULL);
		search_tell(r.s, p, hill(p));
	}
	end(&r);
	return hits;
}

static void what_is_chosen_next_is_mostly_foreseen(void **state)
{
	size_t total = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++)
		total += foreseen_of_thirty(seed);
	assert_true(total > 10 * 30 * 6 / 10);
}

static void one_at_a_time_is_the_search_itself(void **state)
{
	const struct search_space space = {
		.n = 4, .values = values, .ordered = ordered, .allowed = few};
	struct tuner_search *s = search_new(&space, 7);
	const char *reason;
	size_t p[4];
	struct run r;

	(void)state;
	begin(&r, 7, 0, few);
	for (size_t i = 0; i < FEW; i++) {
		assert_true(search_ask(s, p, NULL, &reason));
		assert_true(try(&r));
		assert_memory_equal(p, r.point, sizeof p);
		assert_int_equal(r.a.n, 0);
		search_tell(s, p, hill(p));
	}
	assert_false(try(&r));
	search_free(s);
	end(&r);
}

static void every_point_is_tried_once_until_none_is_left(void **state)
{
	struct run r;

	(void)state;
	begin(&r, 3, TUNER_AHEAD, few);
	assert_int_equal(try_all(&r), FEW);
	assert_int_equal(r.a.n, 0);
	end(&r);
}

static void the_same_seed_tries_the_same(void **state)
{
	struct run a, b;

	(void)state;
	begin(&a, 5, TUNER_AHEAD, any);
	begin(&b, 5, TUNER_AHEAD, any);
	for (size_t i = 0; i < 40; i++) {
		assert_true(try(&a) && try(&b));
		assert_memory_equal(a.point, b.point, sizeof a.point);
	}
	end(&a);
	end(&b);
}

static void what_was_asked_around_another_point_is_dropped(void **state)
{
	const size_t around[4] = {0, 4, 0, 2};
	struct run r;

	(void)state;
	begin(&r, 2, TUNER_AHEAD, few);
	for (size_t i = 0; i < 5; i++)
		assert_true(try(&r));
	r.wish.around = around;
	/* It has ten allowed neighbours; the five may be among them. */
	for (size_t i = 0; i < 5; i++) {
		size_t moves = 0;

		assert_true(try(&r));
		for (size_t d = 0; d < 4; d++)
			moves += r.point[d] != around[d];
		assert_true(moves <= 2);
	}
	r.wish.around = NULL;
	/* And what was dropped comes up again. */
	assert_int_equal(try_all(&r), FEW - 5 - 5);
	end(&r);
}

static void what_somebody_told_meanwhile_is_skipped(void **state)
{
	size_t told[4];
	struct run r;

	(void)state;
	begin(&r, 4, TUNER_AHEAD, few);
	assert_true(try(&r));
	memcpy(told, r.a.asked[0].point, sizeof told);
	search_tell(r.s, told, hill(told));
	assert_true(try(&r));
	assert_memory_not_equal(told, r.point, sizeof told);
	assert_int_equal(r.a.n, TUNER_AHEAD);
	assert_int_equal(try_all(&r), FEW - 3);
	end(&r);
}

static void lineages_that_take_turns_keep_what_they_chose(void **state)
{
	size_t chosen[4];
	struct run r;

	(void)state;
	begin(&r, 6, TUNER_AHEAD, any);
	assert_true(try(&r));
	memcpy(chosen, r.a.asked[0].point, sizeof chosen);
	r.wish.lineage = 2;
	assert_true(try(&r));
	assert_true(try(&r));
	r.wish.lineage = 1;
	assert_true(try(&r));
	assert_memory_equal(chosen, r.point, sizeof chosen);
	end(&r);
}

/* What waits for a lineage that is gone is not lost. */
static void lineages_that_are_left_do_not_keep_points(void **state)
{
	size_t n = 0;
	struct run r;

	(void)state;
	begin(&r, 8, TUNER_AHEAD, few);
	for (; r.wish.lineage < 20; r.wish.lineage++) {
		assert_true(try(&r));
		n++;
		assert_true(r.a.n <= 4 * TUNER_AHEAD);
	}
	assert_int_equal(n + try_all(&r), FEW);
	end(&r);
}

static size_t attempts_to_the_top(uint64_t seed)
{
	size_t n = 0;
	struct run r;

	begin(&r, seed, TUNER_AHEAD, any);
	do {
		assert_true(try(&r));
		n++;
	} while (hill(r.point) < 0);
	end(&r);
	return n;
}

static void the_top_of_a_hill_is_still_found_early(void **state)
{
	size_t total = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++)
		total += attempts_to_the_top(seed);
	/* Chance needs 180 on average. */
	assert_true(total / 20 < 45);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_tried_was_chosen_three_attempts_ago),
		cmocka_unit_test(what_waits_is_expected_when_others_are_chosen),
		cmocka_unit_test(what_is_chosen_next_is_mostly_foreseen),
		cmocka_unit_test(one_at_a_time_is_the_search_itself),
		cmocka_unit_test(every_point_is_tried_once_until_none_is_left),
		cmocka_unit_test(the_same_seed_tries_the_same),
		cmocka_unit_test(
			what_was_asked_around_another_point_is_dropped),
		cmocka_unit_test(what_somebody_told_meanwhile_is_skipped),
		cmocka_unit_test(lineages_that_take_turns_keep_what_they_chose),
		cmocka_unit_test(lineages_that_are_left_do_not_keep_points),
		cmocka_unit_test(the_top_of_a_hill_is_still_found_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
