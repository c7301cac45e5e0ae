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
#define TWO                                                                \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: t\narguments:\n"     \
	"  - {name: a, dtype: f32, shape: [m, n]}\n"                       \
	"  - {name: s, dtype: f32, shape: [m], direction: inout}\n"        \
	"  - {name: x, dtype: i32, shape: [m], fill: {low: 0, high: 9}}\n" \
	"cases: [{m: 64, n: 64}]\nbytes: n\n"                              \
	"reference: {source: r.c, entry: ref, plain: p}\n"                 \
	"hidden: {count: 8, m: 1..90, n: 1..90}\n"
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
	size_t with_zeros = 0, tiny = 0;

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

			if (all.one[k].zeros)
				assert_int_equal(kind, FILL_SPARSE);
			else if (hidden < hidden_planned(t) ||
				 hidden >= hidden_total(t))
				assert_false(has_zeros(kind));
			else
				with_zeros += has_zeros(kind);
			/* One or two tiny numbers are no fair input. */
			tiny += kind == FILL_TINY;
			assert_false(kind == FILL_TINY &&
				     all.one[k].c->value[0] <= 2);
		}
	}
	assert_true(tiny > 0);
	assert_in_range(with_zeros, SCORINGS, 8 * SCORINGS - 1);
	task_free(t);
}

/* Each input alone, and all: a fault may need another input that is not zero. */
static void short_rows_come_with_zeros_too(void **state)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	struct secret_random secret;
	struct task *t;
	double error[1];

	(void)state;
	assert_null(task_parse(&t, "avogit.yaml", TWO, strlen(TWO)));
	secret_random_repeat(&secret, 7);
	for (size_t i = 0; i < SCORINGS; i++) {
		cleanup_check_cases struct check_cases all = {0};
		size_t seen[2][2] = {{0}};

		check_cases_draw(&all, t, error, &files, &secret);
		for (size_t k = 0; k < all.n; k++) {
			struct input_set set = INPUT_SET_INIT;
			const int64_t *v;

			if (!all.one[k].zeros)
				continue;
			v = all.one[k].c->value;
			assert_true(v[0] > 2 && v[1] > 2);
			assert_true(v[0] <= 12 || v[1] <= 12);
			assert_true(v[0] * v[1] >= 100);
			set.recipe.fill[0] = all.one[k].mixed;
			set.recipe.fill[1] = all.one[k].mixed;
			set.recipe.fill[2] = FILL_RANGE;
			check_case_use_ends(&set, t, &all.one[k]);
			assert_int_equal(set.recipe.fill[2], FILL_RANGE);
			seen[set.recipe.fill[0] == FILL_SPARSE]
			    [set.recipe.fill[1] == FILL_SPARSE]++;
		}
		assert_int_equal(seen[0][0], 0);
		assert_int_equal(seen[0][1], 2);
		assert_int_equal(seen[1][0], 2);
		assert_int_equal(seen[1][1], 2);
	}
	task_free(t);
}

/* ---- integers at the ends of their range ---------------------------------------- */

#define BYTES(FILL, RULE)                                              \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: t\narguments:\n" \
	"  - {name: p, dtype: u8, shape: [n], fill: " FILL "}\n"       \
	"  - {name: x, dtype: u32, shape: [n], fill: {low: 0, high: "  \
	"9}}\n"                                                        \
	"  - {name: c, shape: [n], direction: out, " RULE "}\n"        \
	"cases: [{n: 64}, {n: 32}]\nbytes: n\n"                        \
	"reference: {source: r.c, entry: ref, plain: p}\n"             \
	"hidden: {count: 8, n: 1..90}\n"

#define WIDE(DTYPE, HIGH)                                              \
	"name: t\nlanguage: c\nsources: [k.c]\nentry: t\narguments:\n" \
	"  - {name: p, dtype: " DTYPE                                  \
	", shape: [n], fill: {low: 0, high: " HIGH "}}\n"              \
	"  - {name: c, dtype: u64, shape: [n], direction: out}\n"      \
	"cases: [{n: 64}, {n: 32}]\nbytes: n\n"                        \
	"reference: {source: r.c, entry: ref, plain: p}\n"             \
	"hidden: {count: 8, n: 1..90}\n"

/* How many of the launches that `from` begins have integers so. */
static size_t count_ends(const struct check_cases *all, size_t from, size_t to,
			 enum fill ends)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += all->one[i].ends == ends;
	return n;
}

static void bytes_are_all_high_and_all_low_in_every_scoring(void **state)
{
	static const struct {
		const char *text;
		size_t more, high, low, mostly;
	} table[] = {
		{BYTES("{low: 0, high: 255}", "dtype: i32"), 4, 1, 1, 0},
		{BYTES("{low: 0, high: 255}", "dtype: f32"), 3, 0, 0, 1},
		{BYTES("{low: 0, high: 255}",
		       "dtype: f32, tolerance: {atol: 1}"),
		 4, 1, 1, 0},
		{BYTES("{low: 0, high: 255, uniform: true}", "dtype: i32"), 0,
		 0, 0, 0},
		{BYTES("small_ints", "dtype: i32"), 0, 0, 0, 0},
		/* What may carry; no index, whose range is short. */
		{WIDE("u64", "9223372036854775807"), 4, 1, 1, 0},
		{WIDE("u32", "4294967295"), 4, 1, 1, 0},
		{WIDE("u32", "65535"), 0, 0, 0, 0},
		{WIDE("u64", "4294967295"), 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_fileset struct fileset files = FILESET_INIT;
		struct secret_random secret;
		size_t hidden_ends = 0, declared = 2 + table[i].more;
		struct task *t;
		double error[2];

		assert_null(task_parse(&t, "avogit.yaml", table[i].text,
				       strlen(table[i].text)));
		secret_random_repeat(&secret, 9);
		for (size_t k = 0; k < SCORINGS; k++) {
			cleanup_check_cases struct check_cases all = {0};
			size_t last;

			check_cases_draw(&all, t, error, &files, &secret);
			last = declared + hidden_total(t);
			/* The first of them comes up however slow it is. */
			assert_int_equal(count_ends(&all, 0, 2, FILL_MIXED), 2);
			if (table[i].more)
				assert_true(all.one[2].ends == FILL_ALL_HIGH ||
					    all.one[2].ends ==
						    FILL_MOSTLY_HIGH);
			assert_int_equal(count_ends(&all, 2, declared,
						    FILL_ALL_HIGH),
					 table[i].high);
			assert_int_equal(count_ends(&all, 2, declared,
						    FILL_ALL_LOW),
					 table[i].low);
			assert_int_equal(count_ends(&all, 2, declared,
						    FILL_MOSTLY_HIGH),
					 table[i].mostly);
			/* What is alike hides what sizes do. */
			for (size_t c = declared; c < all.n; c++)
				if (c < declared + hidden_planned(t) ||
				    c >= last)
					assert_int_equal(all.one[c].ends,
							 FILL_MIXED);
				else
					hidden_ends += all.one[c].ends != 0;
		}
		assert_in_range(hidden_ends, table[i].more ? SCORINGS : 0,
				table[i].more ? 7 * SCORINGS : 0);
		task_free(t);
	}
}

/* All ones are beyond what an expression can say. */
/* Indices, labels and counts: each holds the least alone once, and the greatest. */
static void indices_are_all_the_same_in_every_scoring(void **state UNUSED)
{
	static const struct {
		const char *text;
		size_t input, each;
	} table[] = {
		{BYTES("{low: 0, high: 255}", "dtype: i32"), 1, 1},
		{BYTES("{low: 0, high: 255}", "dtype: i32"), 0, 0},
		{WIDE("u32", "65535"), 0, 1},
		{WIDE("u64", "9223372036854775807"), 0, 0},
		/* A float by integers alone, and one by other floats, too. */
		{BYTES("{low: 0, high: 255}", "dtype: f32"), 1, 0},
		{BYTES("{low: 0, high: 255}",
		       "dtype: f32}\n  - {name: z, dtype: f32, shape: [n]"),
		 1, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_fileset struct fileset files = FILESET_INIT;
		cleanup_check_cases struct check_cases all = {0};
		struct secret_random secret;
		struct task *t;
		double error[2];
		size_t n[2] = {0};

		assert_null(task_parse(&t, "avogit.yaml", table[i].text,
				       strlen(table[i].text)));
		secret_random_repeat(&secret, 9);
		check_cases_draw(&all, t, error, &files, &secret);
		for (size_t c = 0; c < all.n; c++)
			for (size_t high = 0; high < 2; high++)
				n[high] += all.one[c].near_end ==
					   2 * table[i].input + 1 + high;
		assert_int_equal(n[0], table[i].each);
		assert_int_equal(n[1], table[i].each);
		task_free(t);
	}
}

static void integers_of_64_bits_are_all_ones(void **state UNUSED)
{
	static const char text[] = WIDE("u64", "9223372036854775807");
	static const enum fill kinds[] = {FILL_ALL_HIGH, FILL_MOSTLY_HIGH,
					  FILL_ENDS, FILL_ENDS_ROWS,
					  FILL_ALL_LOW};
	static const enum language languages[] = {LANGUAGE_C, LANGUAGE_CUDA};
	struct secret_random secret;
	struct layout_random layout;
	struct task *t;

	assert_null(task_parse(&t, "avogit.yaml", text, strlen(text)));
	secret_random_repeat(&secret, 9);
	layout_random_repeat(&layout, 9);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(kinds); i++) {
		cleanup_input_set struct input_set set = INPUT_SET_INIT;
		enum fill kind = kinds[i / 2];

		t->language = languages[i % 2];
		assert_null(set_init(&set, t, &t->cases[0], FILL_NORMAL, 1,
				     &secret, &layout));
		assert_true(set.recipe.high[0] == 0x1p64 - 2048);
		set_use_ends(&set, t, &t->cases[0], kind);
		assert_true(set.recipe.high[0] == 0x1p64);
		assert_true(set.recipe.fill[0] == FILL_ENDS ||
			    set.recipe.fill[0] == kind);
		assert_true(set.recipe.fill[0] != FILL_ENDS_ROWS &&
			    set.recipe.fill[0] != FILL_MOSTLY_HIGH);
	}
	task_free(t);
}

/* 40 is beyond the range, and a case is larger; no case is larger than 64. */
static void numbers_that_no_size_comes_close_to_are_told(void **state)
{
	static const char source[] =
		"if (n > 40 || n == 70 || n < 200 || n >= 64) n >> 12; 96";
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_check_cases struct check_cases all = {0};
	cleanup_buf struct buf told = BUF_INIT(100);
	struct secret_random secret;
	struct task *t;
	double error[1];

	(void)state;
	assert_null(task_parse(&t, "avogit.yaml", TASK, strlen(TASK)));
	t->hidden[0].high = 30;
	assert_null(fileset_put(&files, "k.c", source, strlen(source), false));
	secret_random_repeat(&secret, 7);
	check_cases_draw(&all, t, error, &files, &secret);
	for (size_t i = 0; i < all.n; i++)
		all.one[i].launched = true;
	check_cases_unreached(&told, t, &all);
	assert_string_equal(told.data, "70, 200, 64");
	buf_clear(&told);
	for (size_t i = 0; i < all.n; i++)
		all.one[i].launched = all.one[i].c->value[0] <= 30;
	check_cases_unreached(&told, t, &all);
	assert_string_equal(told.data, "40, 70, 200, 64");
	task_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indices_are_all_the_same_in_every_scoring),
		cmocka_unit_test(integers_of_64_bits_are_all_ones),
		cmocka_unit_test(
			bytes_are_all_high_and_all_low_in_every_scoring),
		cmocka_unit_test(sizes_that_were_planned_get_no_zeros),
		cmocka_unit_test(short_rows_come_with_zeros_too),
		cmocka_unit_test(numbers_that_no_size_comes_close_to_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
