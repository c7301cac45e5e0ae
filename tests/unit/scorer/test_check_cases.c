/* What the launches of the first phase are given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/secret.h"
#include "scorer/contest/check_cases.h"

#define TASK                                                           \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: t\narguments:\n" \
	"  - {name: a, dtype: f32, shape: [n]}\n"                      \
	"  - {name: c, dtype: f32, shape: [n], direction: out}\n"      \
	"cases: [{n: 64}]\nbytes: n\n"                                 \
	"reference: {source: r.c, entry: ref, plain: p}\n"             \
	"hidden: {count: 8, n: 1..90}\n"
#define DECLARED 9 /* each kind of contents once */
#define SCORINGS 200

static bool has_zeros(enum fill kind)
{
	return kind == FILL_SPARSE || kind == FILL_SMALL_INTS ||
	       kind == FILL_BY_ROW;
}

static void sizes_that_were_planned_get_no_zeros(void **state)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	struct secret_random secret;
	struct task *t;
	double error[1];
	size_t with_zeros = 0;

	(void)state;
	assert_null(task_parse(&t, "avogit.yaml", TASK, strlen(TASK)));
	secret_random_repeat(&secret, 7);
	for (size_t i = 0; i < SCORINGS; i++) {
		cleanup_check_cases struct check_cases all = {0};

		check_cases_draw(&all, t, error, &files, &secret);
		assert_true(all.n > DECLARED + hidden_total(t));
		for (size_t k = DECLARED; k < all.n; k++) {
			size_t hidden = k - DECLARED;
			enum fill kind = all.one[k].mixed;

			assert_true(all.one[k].is_step ==
				    (hidden >= hidden_total(t)));
			if (hidden < hidden_planned(t) || all.one[k].is_step)
				assert_false(has_zeros(kind));
			else
				with_zeros += has_zeros(kind);
		}
	}
	assert_in_range(with_zeros, SCORINGS, 8 * SCORINGS - 1);
	task_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_that_were_planned_get_no_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
