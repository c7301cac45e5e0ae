/* Hidden cases at rests of a division that the sources name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/secret.h"
#include "core/task/hidden.h"

#define SCORINGS 100
#define TASK                                                         \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: f\n"           \
	"arguments:\n"                                               \
	"  - {name: a, dtype: f32, shape: [n, m]}\n"                 \
	"  - {name: c, dtype: f32, shape: [n, m], direction: out}\n" \
	"cases: [{n: 2048, m: 64}]\nbytes: n\n"                      \
	"reference: {source: r.c, entry: ref, plain: p}\n"           \
	"hidden: {count: 1, n: 1..1030, m: {low: 16, high: 96, step: 16}}\n"

static void read_rests(struct hidden_numbers *out, struct task **t,
		       const char *source)
{
	cleanup_fileset struct fileset files = FILESET_INIT;

	*out = (struct hidden_numbers){0};
	assert_null(task_parse(t, "avogit.yaml", TASK, strlen(TASK)));
	assert_null(fileset_put(&files, "k.c", source, strlen(source), false));
	hidden_numbers_read(out, *t, &files);
}

static bool has_rest(const struct hidden_numbers *n, int64_t modulus,
		     int64_t rest)
{
	for (size_t i = 0; i < n->n_rests; i++)
		if (n->rest[i].modulus == modulus && n->rest[i].rest == rest)
			return true;
	return false;
}

static void rests_are_read_as_people_write_them(void **state UNUSED)
{
	cleanup_hidden_numbers struct hidden_numbers n;
	cleanup_task struct task *t = NULL;

	read_rests(&n, &t,
		   "if (n % 32 == 31) x(); if ((n & 15) == 3) y();\n"
		   "if ((n%24)!=24 - 1) z(); if (n % 32 == 31) x();\n"
		   "if (n % 8 == 9) never(); if (n == 7) w(); n % 5; (n & 6) "
		   "== 4;\n"
		   "if (n / 64 == 2) v();\n");
	assert_int_equal(n.n_rests, 3);
	assert_true(has_rest(&n, 32, 31));
	assert_true(has_rest(&n, 16, 3));
	assert_true(has_rest(&n, 24, 23));
}

/* How many scorings have a case of which n leaves the rest; *large: and is over 100. */
static size_t scorings_with(size_t *large, const char *source, int64_t modulus,
			    int64_t rest)
{
	cleanup_hidden_numbers struct hidden_numbers numbers;
	cleanup_task struct task *t = NULL;
	struct secret_random secret;
	size_t found = 0;

	read_rests(&numbers, &t, source);
	secret_random_repeat(&secret, 7);
	*large = 0;
	for (size_t i = 0; i < SCORINGS; i++) {
		struct task_case one[32];
		bool has = false, has_large = false;

		assert_in_range(hidden_total(t), 1, ARRAY_SIZE(one));
		hidden_draw_all(one, t, &numbers, &secret);
		for (size_t k = 0; k < hidden_total(t); k++) {
			int64_t n = one[k].value[0];

			has = has || n % modulus == rest;
			has_large = has_large ||
				    (n % modulus == rest && n > 100);
			assert_int_equal(one[k].value[1] % 16, 0);
			task_case_release(&one[k]);
		}
		found += has;
		*large += has_large;
	}
	return found;
}

static void a_rest_of_the_sources_comes_in_every_scoring(void **state UNUSED)
{
	size_t large;

	assert_int_equal(scorings_with(&large,
				       "if (n % 32 == 17) n--; // 0x80 0xc0 "
				       "0xe0 0x3f 0x1f 6 12 18 99",
				       32, 17),
			 SCORINGS);
	assert_true(large > SCORINGS * 3 / 4);
	assert_true(scorings_with(&large, "n--", 32, 17) < SCORINGS * 3 / 4);
}

static void beside_a_low_end_another_size_is_large(void **state UNUSED)
{
	cleanup_hidden_numbers struct hidden_numbers numbers;
	cleanup_task struct task *t = NULL;
	struct secret_random secret;
	size_t large = 0;

	read_rests(&numbers, &t, "if (n > 2) n = 4; // 3 5 7 9");
	secret_random_repeat(&secret, 7);
	for (size_t i = 0; i < SCORINGS; i++) {
		struct task_case one[32];

		hidden_draw_all(one, t, &numbers, &secret);
		for (size_t k = 1; k < 3; k++)
			large += one[k].value[1] == 16 && one[k].value[0] > 100;
		for (size_t k = 0; k < hidden_total(t); k++)
			task_case_release(&one[k]);
	}
	assert_true(large > SCORINGS * 3 / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rests_are_read_as_people_write_them),
		cmocka_unit_test(a_rest_of_the_sources_comes_in_every_scoring),
		cmocka_unit_test(beside_a_low_end_another_size_is_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
