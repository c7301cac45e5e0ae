#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <sys/resource.h>

#include "scorer/runner/fill.h"
#include "scorer/runner/judge.h"
#include "scorer/runner/parts.h"
#include "tests/draws.h"

#define ROWS	 300
#define COLUMNS	 1000
#define ELEMENTS ((int64_t)ROWS * COLUMNS)

/* ---- the parts themselves ------------------------------------------------ */

struct count {
	unsigned of[1000];
	unsigned at_once, most;
};

static void count_part(void *arg, size_t i)
{
	struct count *c = arg;
	unsigned now = __atomic_add_fetch(&c->at_once, 1, __ATOMIC_SEQ_CST);
	unsigned most = __atomic_load_n(&c->most, __ATOMIC_SEQ_CST);

	while (now > most &&
	       !__atomic_compare_exchange_n(&c->most, &most, now, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	c->of[i]++;
	__atomic_sub_fetch(&c->at_once, 1, __ATOMIC_SEQ_CST);
}

static void each_part_is_worked_on_once(void **state)
{
	static const unsigned threads[] = {1, 2, 8, 3, 1, 99, 0};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(threads); k++) {
		unsigned most = MAX(MIN(threads[k], PARTS_MAX_THREADS), 1U);

		parts_threads(threads[k]);
		for (size_t n = 0; n < 1000; n += 37) {
			struct count c = {.most = 0};

			parts_run(n, count_part, &c);
			for (size_t i = 0; i < 1000; i++)
				assert_int_equal(c.of[i], i < n);
			assert_in_range(c.most, n > 0, most);
		}
	}
}

/* A part that ends when another one has begun, or late. */
static void meet(void *arg, size_t i)
{
	struct count *c = arg;

	(void)i;
	__atomic_add_fetch(&c->at_once, 1, __ATOMIC_SEQ_CST);
	for (double end = runner_now() + 20; runner_now() < end;)
		if (__atomic_load_n(&c->at_once, __ATOMIC_SEQ_CST) > 1) {
			__atomic_add_fetch(&c->most, 1, __ATOMIC_SEQ_CST);
			return;
		}
}

static void two_threads_work_at_a_time(void **state)
{
	struct count c = {.most = 0};

	(void)state;
	parts_threads(2);
	parts_run(2, meet, &c);
	/* Of one thread's parts the first meets none. */
	assert_int_equal(c.most, 2);
}

/* ---- what the judge makes of them ---------------------------------------- */

struct world {
	double *reference, *plain, *got;
	float *one, *other;
	struct layout l;
};

static int setup(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);
	struct random r;

	w->reference = xcalloc(ELEMENTS, sizeof *w->reference);
	w->plain = xcalloc(ELEMENTS, sizeof *w->plain);
	w->got = xcalloc(ELEMENTS, sizeof *w->got);
	w->one = xcalloc(ELEMENTS, sizeof *w->one);
	w->other = xcalloc(ELEMENTS, sizeof *w->other);
	random_init(&r, 7);
	for (int64_t i = 0; i < ELEMENTS; i++) {
		w->reference[i] = random_normal(&r);
		w->plain[i] = w->reference[i] + 1e-7 * random_normal(&r);
		w->got[i] = w->reference[i] + 1e-7 * random_normal(&r);
		w->one[i] = (float)w->plain[i];
		w->other[i] = (float)w->got[i];
	}
	w->l.n = 1;
	w->l.arg[0].is_tensor = true;
	w->l.arg[0].tensor = (struct tensor_layout){.region = REGION_OUTPUT,
						    .dtype = DTYPE_F32,
						    .n_dims = 2,
						    .shape = {ROWS, COLUMNS},
						    .stride = {COLUMNS, 1},
						    .elements = ELEMENTS};
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	parts_threads(1);
	free(w->reference);
	free(w->plain);
	free(w->got);
	free(w->one);
	free(w->other);
	free(w);
	return 0;
}

/* All of what expected_compare and expected_allow say. */
struct said {
	struct judge_answer a;
	double allowed_largest;
	uint64_t tiles; /* a sum over the bits of what each one is allowed */
};

static struct said judge(struct world *w, const struct tolerance *tolerance,
			 unsigned threads)
{
	struct expected e = {.dtype = DTYPE_F32,
			     .n = ELEMENTS,
			     .row = COLUMNS,
			     .reference = w->reference,
			     .plain = tolerance->absolute ? NULL : w->plain};
	struct error_history h = {0};
	struct said s = {.tiles = 0};

	parts_threads(threads);
	if (!tolerance->absolute) {
		error_history_add(&h, &e);
		expected_allow(&e, &h, tolerance);
	}
	expected_compare(&s.a, &e, w->got, tolerance);
	s.allowed_largest = e.allowed_largest;
	for (size_t i = 0; i < e.n_tiles; i++) {
		uint64_t bits;

		memcpy(&bits, &e.tile[i].allowed, sizeof bits);
		s.tiles += bits * (2 * i + 1);
	}
	free(e.tile);
	return s;
}

static void same_answer(struct world *w, int64_t wrong, int64_t first)
{
	static const struct tolerance rules[] = {
		{.factor = 2}, {.absolute = true, .rtol = 1e-5, .atol = 1e-5}};

	for (size_t k = 0; k < ARRAY_SIZE(rules); k++) {
		struct said one = judge(w, &rules[k], 1);
		struct said many = judge(w, &rules[k], 4);

		assert_memory_equal(&one, &many, sizeof one);
		assert_int_equal(one.a.wrong, wrong);
		if (wrong)
			assert_int_equal(one.a.element, first);
	}
}

static void several_threads_say_the_same_of_outputs(void **state)
{
	struct world *w = *state;

	same_answer(w, 0, 0);
	/* In one part, then in an earlier one, too, and in the last. */
	w->got[200000] += 1;
	same_answer(w, 1, 200000);
	w->got[70000] = NAN;
	w->got[ELEMENTS - 1] += 1;
	same_answer(w, 3, 70000);
}

static void several_threads_count_wrong_integers_alike(void **state)
{
	cleanup_free int32_t *right = xcalloc(ELEMENTS, sizeof *right);
	cleanup_free int32_t *got = xcalloc(ELEMENTS, sizeof *got);
	const struct tolerance exact = {.factor = 2};
	struct expected e = {.dtype = DTYPE_I32,
			     .n = ELEMENTS,
			     .row = COLUMNS,
			     .exact = (unsigned char *)right};
	struct judge_answer one = {0}, many = {0};

	(void)state;
	for (int64_t i = 0; i < ELEMENTS; i++)
		right[i] = got[i] = (int32_t)(i * 77);
	got[32767]++;
	got[32768]++;
	got[ELEMENTS - 1]++;
	parts_threads(1);
	expected_compare(&one, &e, got, &exact);
	parts_threads(4);
	expected_compare(&many, &e, got, &exact);
	assert_memory_equal(&one, &many, sizeof one);
	assert_int_equal(one.wrong, 3);
	assert_int_equal(one.element, 32767);
}

static void several_threads_find_the_most_unlike_rows(void **state)
{
	struct world *w = *state;
	const int64_t tiles[] = {1, 7, ROWS};

	w->one[123456] += 0.5F;
	w->one[250123] += 0.25F;
	for (size_t k = 0; k < ARRAY_SIZE(tiles); k++) {
		struct likeness_reply one = {0}, many = {0};

		parts_threads(1);
		likeness_look(&one, &w->l, (unsigned char *)w->one,
			      (unsigned char *)w->other, tiles[k]);
		parts_threads(4);
		likeness_look(&many, &w->l, (unsigned char *)w->one,
			      (unsigned char *)w->other, tiles[k]);
		assert_memory_equal(&one, &many, sizeof one);
		assert_int_equal(one.rows.begin,
				 123456 / COLUMNS / tiles[k] * tiles[k]);
	}
}

static void several_threads_make_the_same_inputs(void **state)
{
	struct world *w = *state;
	static const enum fill kinds[] = {FILL_NORMAL, FILL_BY_ROW,
					  FILL_STRAY_ROWS, FILL_SPARSE};
	const size_t bytes = ELEMENTS * sizeof(float);

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		for (int64_t rows = 1; rows <= ELEMENTS; rows *= ELEMENTS / 2) {
			struct recipe r = {.fill = {kinds[k]}};
			struct tensor_layout t = w->l.arg[0].tensor;

			t.shape[0] = rows > 1 ? ELEMENTS : ROWS;
			t.shape[1] = rows > 1 ? 1 : COLUMNS;
			t.stride[0] = t.shape[1];
			parts_threads(1);
			fill_tensor(w->one, &t, 0, &r, 0);
			parts_threads(4);
			memset(w->other, 0, bytes);
			fill_tensor(w->other, &t, 0, &r, 0);
			assert_memory_equal(w->one, w->other, bytes);
		}
}

static void several_threads_gather_the_same(void **state)
{
	struct world *w = *state;
	const struct tensor_layout *t = &w->l.arg[0].tensor;

	for (unsigned threads = 1; threads <= 4; threads += 3) {
		parts_threads(threads);
		memset(w->got, 0, ELEMENTS * sizeof *w->got);
		assert_int_equal(tensor_gather(w->got, t, DTYPE_F32, w->one, 3,
					       ROWS - 2),
				 (ROWS - 5) * COLUMNS);
		for (int64_t i = 0; i < (ROWS - 5) * COLUMNS; i++)
			assert_true(w->got[i] ==
				    (double)w->one[3 * COLUMNS + i]);
		assert_true(w->got[(ROWS - 5) * COLUMNS] == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_is_worked_on_once),
		cmocka_unit_test(two_threads_work_at_a_time),
		cmocka_unit_test_setup_teardown(
			several_threads_say_the_same_of_outputs, setup,
			teardown),
		cmocka_unit_test(several_threads_count_wrong_integers_alike),
		cmocka_unit_test_setup_teardown(
			several_threads_find_the_most_unlike_rows, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			several_threads_make_the_same_inputs, setup, teardown),
		cmocka_unit_test_setup_teardown(several_threads_gather_the_same,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
