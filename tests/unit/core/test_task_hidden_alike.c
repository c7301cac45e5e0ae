/* Hidden cases of which sizes are equal, or one twice the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/secret.h"
#include "core/task/hidden_alike.h"

#define SCORINGS 100
#define SYMBOLS	 6
#define TASK                                                               \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: f\n"                 \
	"arguments:\n"                                                     \
	"  - {name: a, dtype: u8, shape: [sh, sw * ch + pad]}\n"           \
	"  - {name: c, dtype: u8, shape: [dh, dw * ch], direction: out}\n" \
	"cases: [{sw: 320, sh: 240, dw: 500, dh: 300, ch: 3, pad: 0}]\n"   \
	"bytes: dw * dh\n"                                                 \
	"reference: {source: r.c, entry: ref, plain: p}\n"

struct world {
	struct task *task;
	struct hidden_numbers numbers;
	struct secret_random secret;
	struct task_case c[HIDDEN_ALIKE];
	size_t n;
};

static void world_open(struct world *w, const char *hidden, const char *source)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_free char *text =
		xasprintf("%shidden: {count: 3, %s}\n", TASK, hidden);

	*w = (struct world){0};
	assert_null(task_parse(&w->task, "avogit.yaml", text, strlen(text)));
	assert_null(fileset_put(&files, "k.c", source, strlen(source), false));
	hidden_numbers_read(&w->numbers, w->task, &files);
	secret_random_repeat(&w->secret, 5);
}

static void undraw(struct world *w)
{
	while (w->n)
		task_case_release(&w->c[--w->n]);
}

static void draw(struct world *w)
{
	undraw(w);
	w->n = hidden_alike_draw(w->c, w->task, &w->numbers, &w->secret);
	assert_true(w->n <= hidden_alike_most(w->task));
	for (size_t i = 0; i < w->n; i++)
		assert_true(hidden_meets(w->task, &w->c[i]));
}

static void world_close(struct world *w)
{
	undraw(w);
	hidden_numbers_release(&w->numbers);
	task_free(w->task);
}

/* Has a case the first two of these symbols as `first` to `second`, the second of
 * `least` or more, and where they are equal the other two not? */
static bool has(const struct world *w, const size_t s[4], int64_t first,
		int64_t second, int64_t least)
{
	for (size_t i = 0; i < w->n; i++) {
		const int64_t *v = w->c[i].value;

		if (v[s[0]] * second == v[s[1]] * first && v[s[1]] >= least &&
		    (first != second || v[s[2]] != v[s[3]]))
			return true;
	}
	return false;
}

/* Symbols are in the order of the cases: sw, sh, dw, dh, ch, pad. */
static void each_two_are_equal_and_twice_in_every_scoring(void **state UNUSED)
{
	static const size_t four[4] = {0, 1, 2, 3};
	struct world w;

	world_open(&w,
		   "sw: 1..70, sh: 1..70, dw: 1..70, dh: 1..70, ch: 1..4, "
		   "pad: 0..9",
		   "");
	for (size_t i = 0; i < SCORINGS; i++) {
		draw(&w);
		assert_in_range(w.n, 1, 12);
		for (size_t a = 0; a < 4; a++)
			for (size_t b = a + 1; b < 4; b++) {
				size_t s[4] = {a, b}, n = 2;

				for (size_t k = 0; k < 4; k++)
					if (four[k] != a && four[k] != b)
						s[n++] = k;
				assert_true(has(&w, s, 1, 1, 65));
				assert_true(has(&w, s, 2, 1, 32));
				assert_true(has(&w, s, 1, 2, 64));
			}
	}
	world_close(&w);
}

static void sizes_that_the_sources_name_are_equal_too(void **state UNUSED)
{
	struct world w;
	size_t beside = 0;

	world_open(&w,
		   "sw: 1..500, sh: 3..3, dw: 1..500, dh: 3..3, ch: 1..1, "
		   "pad: 0..0",
		   "if (sw == dw && sw < 200) f();");
	for (size_t i = 0; i < SCORINGS; i++) {
		draw(&w);
		assert_int_equal(w.n, 4);
		for (size_t k = 0; k < w.n; k++)
			beside += w.c[k].value[0] == w.c[k].value[2] &&
				  w.c[k].value[0] >= 199 &&
				  w.c[k].value[0] <= 201;
	}
	assert_in_range(beside, SCORINGS / 4, SCORINGS);
	world_close(&w);
}

/* A leading dimension is never less, steps are kept, and a row may have one size. */
static void ranges_steps_and_conditions_hold(void **state UNUSED)
{
	struct world w;
	size_t met = 0, twice = 0;

	world_open(&w,
		   "sw: {low: 16, high: 96, step: 16}, sh: 40..40, "
		   "dw: {low: 24, high: 120, step: 24}, dh: 1..80, ch: 1..1, "
		   "pad: 0..0, require: dh <= dw",
		   "");
	for (size_t i = 0; i < SCORINGS; i++) {
		draw(&w);
		for (size_t k = 0; k < w.n; k++) {
			const int64_t *v = w.c[k].value;

			assert_int_equal(v[0] % 16, 0);
			assert_in_range(v[0], 16, 96);
			assert_int_equal(v[1], 40);
			assert_int_equal(v[2] % 24, 0);
			assert_in_range(v[2], 24, 120);
			assert_in_range(v[3], 1, v[2]);
			met += v[0] == v[2];
			twice += v[3] == 2 * v[1] || v[1] == 2 * v[3];
		}
	}
	assert_true(met >= SCORINGS);
	assert_true(twice >= SCORINGS);
	world_close(&w);
}

static void they_are_few_and_small(void **state UNUSED)
{
	struct world w;

	world_open(&w,
		   "sw: 1..9000, sh: 1..9000, dw: 1..9000, dh: 1..9000, ch: "
		   "1..400, pad: 0..900",
		   "");
	for (size_t i = 0; i < SCORINGS; i++) {
		draw(&w);
		assert_int_equal(w.n, 20);
		for (size_t k = 0; k < w.n; k++)
			assert_true(w.c[k].value[0] * w.c[k].value[1] *
					    w.c[k].value[4] <=
				    (8 << 20));
	}
	world_close(&w);
	world_open(&w,
		   "sw: 1..9000, sh: 1..1, dw: 7..7, dh: 1..1, ch: 1..15, "
		   "pad: 0..0",
		   "");
	draw(&w);
	assert_int_equal(w.n, 0);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_two_are_equal_and_twice_in_every_scoring),
		cmocka_unit_test(sizes_that_the_sources_name_are_equal_too),
		cmocka_unit_test(ranges_steps_and_conditions_hold),
		cmocka_unit_test(they_are_few_and_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
