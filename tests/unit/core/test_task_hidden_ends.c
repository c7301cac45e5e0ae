/* Hidden cases of one size at the low end of its range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/secret.h"
#include "core/task/hidden_ends.h"

#define SCORINGS 100
#define TASK                                                                \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: f\n"                  \
	"arguments:\n"                                                      \
	"  - {name: a, dtype: u8, shape: [h, w]}\n"                         \
	"  - {name: c, dtype: u8, shape: [cap, pad + 1], direction: out}\n" \
	"cases: [{h: 3, w: 5, cap: 7, pad: 0}]\n"                           \
	"bytes: h * w\n"                                                    \
	"reference: {source: r.c, entry: ref, plain: p}\n"                  \
	"hidden: {count: 3, "

struct world {
	struct task *task;
	struct secret_random secret;
	struct task_case c[HIDDEN_ENDS];
	size_t n;
};

static void world_open(struct world *w, const char *ranges)
{
	cleanup_free char *text = xasprintf("%s%s}\n", TASK, ranges);

	*w = (struct world){0};
	assert_null(task_parse(&w->task, "avogit.yaml", text, strlen(text)));
	secret_random_repeat(&w->secret, 3);
}

static void undraw(struct world *w)
{
	while (w->n)
		task_case_release(&w->c[--w->n]);
}

static void draw(struct world *w)
{
	undraw(w);
	w->n = hidden_ends_draw(w->c, w->task, &w->secret);
	assert_true(w->n <= hidden_ends_most(w->task));
	for (size_t i = 0; i < w->n; i++)
		assert_true(hidden_meets(w->task, &w->c[i]));
}

static void world_close(struct world *w)
{
	undraw(w);
	task_free(w->task);
}

/* Has a case number `low` at 1, `a` of 90 and more or 4 and less, and so `b`? */
static bool has(const struct world *w, size_t low, size_t a, bool a_high,
		size_t b, bool b_high)
{
	for (size_t i = 0; i < w->n; i++) {
		const int64_t *v = w->c[i].value;

		if (v[low] == 1 && (a_high ? v[a] >= 90 : v[a] <= 4) &&
		    (b_high ? v[b] >= 90 : v[b] <= 4))
			return true;
	}
	return false;
}

static void others_are_near_their_ends_in_each_of_four_ways(void **state UNUSED)
{
	struct world w;

	world_open(&w, "h: 1..99, w: 1..99, cap: 1..99, pad: 1..99");
	for (size_t i = 0; i < SCORINGS; i++) {
		draw(&w);
		assert_int_equal(w.n, 16);
		for (size_t low = 0; low < 4; low++) {
			size_t a = (low + 1) % 4, b = (low + 2) % 4;
			size_t c = (low + 3) % 4;

			for (size_t how = 0; how < 4; how++) {
				assert_true(
					has(&w, low, a, how & 1, b, how / 2));
				assert_true(
					has(&w, low, b, how & 1, c, how / 2));
				assert_true(
					has(&w, low, a, how & 1, c, how / 2));
			}
		}
	}
	world_close(&w);
}

static void a_single_size_is_no_end(void **state UNUSED)
{
	struct world w;

	world_open(&w, "h: 1..99, w: 7..7, cap: 7..7, pad: 0..0");
	draw(&w);
	assert_int_equal(w.n, 4);
	for (size_t i = 0; i < w.n; i++) {
		assert_int_equal(w.c[i].value[0], 1);
		assert_int_equal(w.c[i].value[1], 7);
	}
	world_close(&w);
}

static void large_sizes_become_smaller_for_few_bytes(void **state UNUSED)
{
	struct world w;

	world_open(&w, "h: 1..1000000, w: 1..1000000, cap: 1..1000000, "
		       "pad: 0..1000000");
	for (size_t i = 0; i < SCORINGS; i++) {
		draw(&w);
		assert_int_equal(w.n, 16);
		for (size_t k = 0; k < w.n; k++) {
			const int64_t *v = w.c[k].value;

			assert_true(v[0] * v[1] + v[2] * (v[3] + 1) <
				    INT64_C(64) << 20);
		}
	}
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			others_are_near_their_ends_in_each_of_four_ways),
		cmocka_unit_test(a_single_size_is_no_end),
		cmocka_unit_test(large_sizes_become_smaller_for_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
