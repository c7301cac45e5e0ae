/* Which keys of sizes the hidden cases tell from a key that is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/secret.h"
#include "core/task/hidden_steps.h"

#define TASK                                                            \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: t\narguments:\n"  \
	"  - {name: a, dtype: f32, shape: [rows, cols]}\n"              \
	"  - {name: c, dtype: f32, shape: [rows, k], direction: out}\n" \
	"cases: [{rows: 64, cols: 64, k: 8}]\nbytes: rows\n"            \
	"reference: {source: r.c, entry: ref, plain: p}\n"
#define SCORINGS   100
#define MOST_STEPS 400

/* (a * rows + b * cols) % modulus, 0: whole; where a or b is 0, beside the other
 * size as it is. */
struct key {
	int64_t a, b, modulus;
};

static bool same_key(const struct key *key, const int64_t *one,
		     const int64_t *other)
{
	int64_t by =
		key->a * (one[0] - other[0]) + key->b * (one[1] - other[1]);

	return (key->a || one[0] == other[0]) &&
	       (key->b || one[1] == other[1]) && one[2] == other[2] &&
	       (key->modulus ? by % key->modulus : by) == 0;
}

/* Does a launch find under this key what was made for the one before, whose sizes
 * were others? */
static bool is_told(const struct task_case *c, size_t n, const struct key *key)
{
	for (size_t i = 1; i < n; i++)
		if ((c[i].value[0] != c[i - 1].value[0] ||
		     c[i].value[1] != c[i - 1].value[1]) &&
		    same_key(key, c[i].value, c[i - 1].value))
			return true;
	return false;
}

/* In how many of SCORINGS scorings each key is told. */
static void count_told(size_t *told, const struct key *key, size_t n_keys,
		       const char *hidden, const char *source)
{
	cleanup_free char *text = xasprintf(TASK "hidden: %s\n", hidden);
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_hidden_numbers struct hidden_numbers numbers = {0};
	struct secret_random secret;
	struct task *t;

	assert_null(task_parse(&t, "avogit.yaml", text, strlen(text)));
	assert_null(fileset_put(&files, "k.c", source, strlen(source), false));
	hidden_numbers_read(&numbers, t, &files);
	secret_random_repeat(&secret, 7);
	assert_true(hidden_steps_most(t) <= MOST_STEPS);
	for (size_t i = 0; i < SCORINGS; i++) {
		struct task_case c[MOST_STEPS] = {{0}};
		size_t n = hidden_steps_draw(c, t, &numbers, &secret);

		assert_true(n <= hidden_steps_most(t));
		for (size_t k = 0; k < n_keys; k++)
			told[k] += is_told(c, n, &key[k]);
		for (size_t k = 0; k < n; k++) {
			for (size_t s = 0; s < 3; s++)
				assert_in_range(c[k].value[s], t->hidden[s].low,
						t->hidden[s].high);
			task_case_release(&c[k]);
		}
	}
	task_free(t);
}

static const char *const ranges[] = {
	"{rows: 1..259, cols: 1..300, k: 1..99}",
	"{rows: 1..259, cols: 1..259, k: 4..4}",
	"{rows: 1..5000000, cols: 1..5000000, k: 1..40}",
};

static void look_at(const struct key *key, size_t n_keys, const char *source,
		    size_t least)
{
	for (size_t h = 0; h < ARRAY_SIZE(ranges); h++) {
		cleanup_free size_t *told = xcalloc(n_keys, sizeof *told);

		count_told(told, key, n_keys, ranges[h], source);
		for (size_t k = 0; k < n_keys; k++) {
			if (told[k] < least)
				print_error("%s: (%jd * rows + %jd * cols) %% "
					    "%jd: %zu\n",
					    ranges[h], (intmax_t)key[k].a,
					    (intmax_t)key[k].b,
					    (intmax_t)key[k].modulus, told[k]);
			assert_in_range(told[k], least, SCORINGS);
		}
	}
}

static void usual_keys_are_told_in_every_scoring(void **state UNUSED)
{
	static const struct key key[] = {
		{3, 1, 0},   {1, 3, 0},	   {2, 3, 0},	{3, 2, 0},   {4, 1, 0},
		{1, 4, 0},   {0, 1, 16},   {0, 1, 32},	{0, 1, 48},  {0, 1, 60},
		{0, 1, 64},  {0, 1, 96},   {0, 1, 100}, {0, 1, 128}, {1, 0, 10},
		{1, 0, 48},  {1, 0, 50},   {1, 0, 63},	{1, 0, 128}, {3, 5, 64},
		{7, 1, 100}, {1, 31, 128},
	};

	look_at(key, ARRAY_SIZE(key), "", SCORINGS);
}

/* Of up to four numbers all are tried, of more some. */
static void keys_of_numbers_in_sources_are_told(void **state UNUSED)
{
	static const struct key key[] = {
		{13, 1, 0}, {1, 13, 0}, {53, 1, 0},  {0, 1, 53},
		{1, 0, 53}, {1, 0, 97}, {0, 1, 137}, {1, 137, 97},
	};

	look_at(key, ARRAY_SIZE(key),
		"int t = rows * 13 + cols % 53; u = rows % 97 + cols % 137;",
		SCORINGS);
}

/* A product that is written as a shift. */
static void keys_of_shifts_in_sources_are_told(void **state UNUSED)
{
	static const struct key less[] = {{31, 1, 0}, {1, 31, 0}};
	static const struct key more[] = {{33, 1, 0}, {1, 33, 0}};

	look_at(less, ARRAY_SIZE(less), "t = (rows<<5)-rows + cols;", SCORINGS);
	look_at(less, ARRAY_SIZE(less), "t = cols + ((rows << 5) - rows);",
		SCORINGS);
	look_at(more, ARRAY_SIZE(more), "t = rows + (rows << 5) + cols;",
		SCORINGS);
	look_at(more, ARRAY_SIZE(more), "t = (cols << 5) + cols + rows;",
		SCORINGS);
}

static void other_keys_are_told_in_some_scorings(void **state UNUSED)
{
	static const struct key key[] = {
		{31, 1, 0},
		{1, 16, 0},
		{1, 64, 0},
	};

	look_at(key, ARRAY_SIZE(key), "", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_keys_are_told_in_every_scoring),
		cmocka_unit_test(keys_of_numbers_in_sources_are_told),
		cmocka_unit_test(keys_of_shifts_in_sources_are_told),
		cmocka_unit_test(other_keys_are_told_in_some_scorings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
