/* Where wrong elements are, as people and models read it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "scorer/contest/wrong_words.h"
#include "scorer/runner/reference.h"
#include "scorer/runner/wrong_map.h"

#define MOST (256 * 256)

struct world {
	struct task task;
	struct layout layout;
	struct judge_answer answer;
	unsigned char mark[MOST];
	struct buf text;
};

static int setup(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);

	w->task.n_arguments = 2;
	w->task.argument[0].name = xstrdup("c");
	w->task.argument[1].name = xstrdup("d");
	buf_init(&w->text, 1 << 16);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	free(w->task.argument[0].name);
	free(w->task.argument[1].name);
	buf_release(&w->text);
	free(w);
	return 0;
}

static struct tensor_layout *shape(struct world *w, size_t dims, int64_t rows,
				   int64_t columns)
{
	struct tensor_layout *t = &w->layout.arg[0].tensor;

	w->layout.arg[0].is_tensor = true;
	*t = (struct tensor_layout){.n_dims = dims,
				    .shape = {rows, columns},
				    .elements = rows * columns};
	return t;
}

static void mark(struct world *w, int64_t row, int64_t column)
{
	w->mark[row * w->layout.arg[0].tensor.shape[1] + column] = 1;
}

static void say(struct world *w, const struct segment *segment, uint32_t n)
{
	buf_clear(&w->text);
	wrong_map_make(&w->answer.map, &w->layout.arg[0].tensor, w->mark,
		       segment, n);
	wrong_words_count(&w->text, &w->task, &w->layout, &w->answer);
	buf_addc(&w->text, '\n');
	wrong_words_place(&w->text, &w->task, &w->answer);
}

static void says_rows_and_columns_and_draws_them(void **state)
{
	struct world *w = *state;

	shape(w, 2, 16, 64);
	for (int64_t i = 3; i < 16; i += 4)
		for (int64_t j = 32; j < 48; j++)
			mark(w, i, j);
	say(w, NULL, 0);
	assert_string_equal(
		w->text.data,
		"; 64 of 1024 elements of `c` are wrong\n"
		"wrong in `c`: 4 of 16 rows (3 to 15, each 4 after the "
		"other), 16 of 64 columns (32 to 47)\n"
		"`c` in small (# wrong, . right, - not checked):\n"
		"  ................................\n"
		"  ................########........\n"
		"  ................................\n"
		"  ................########........\n"
		"  ................................\n"
		"  ................########........\n"
		"  ................................\n"
		"  ................########........\n");
}

static void finds_tiles_that_are_wrong_as_a_whole(void **state)
{
	struct world *w = *state;

	shape(w, 2, 100, 100);
	for (int64_t i = 64; i < 100; i++)
		for (int64_t j = 0; j < 64; j++)
			mark(w, i, j);
	say(w, NULL, 0);
	assert_non_null(strstr(w->text.data, "36 of 100 rows (64 to 99), 64 of "
					     "100 columns (0 to 63); they are "
					     "1 whole tile of 64 x 64\n"));
	w->mark[0] = 1;
	say(w, NULL, 0);
	assert_null(strstr(w->text.data, "whole tile"));
}

static void draws_a_vector_line_after_line(void **state)
{
	struct world *w = *state;

	shape(w, 1, 1024, 1);
	memset(w->mark + 1000, 1, 24);
	say(w, NULL, 0);
	assert_non_null(strstr(w->text.data,
			       "24 of 1024 elements (1000 to 1023); they are 3 "
			       "whole blocks of 8\n`c` in small, line after "
			       "line"));
	assert_non_null(
		strstr(w->text.data, "\n  ..........................######\n"));
}

static void draws_no_wall(void **state)
{
	struct world *w = *state;

	shape(w, 2, 64, 64);
	memset(w->mark, 1, 64 * 64);
	say(w, NULL, 0);
	assert_string_equal(w->text.data,
			    "; 4096 of 4096 elements of `c` are wrong\n"
			    "wrong in `c`: all 4096 elements that were "
			    "checked\n");
	/* One of each row is right by chance. */
	for (int64_t i = 0; i < 64; i++)
		w->mark[i * 64 + i] = 0;
	say(w, NULL, 0);
	assert_non_null(strstr(w->text.data,
			       "wrong in `c`: all 64 rows, all 64 columns; in "
			       "every part of it\n"));
	assert_null(strstr(w->text.data, "in small"));
	/* And a part of it that is right is seen. */
	memset(w->mark, 0, 8 * 64);
	say(w, NULL, 0);
	assert_non_null(strstr(w->text.data, "in small"));
}

static void leaves_blank_what_was_not_checked(void **state)
{
	const struct segment some[] = {{12, 14}, {0, 2}, {13, 15}};
	struct world *w = *state;

	shape(w, 2, 16, 4);
	/* The marks lie segment by segment: row 13 is there twice. */
	w->mark[1 * 4] = w->mark[4 * 4] = 1;
	say(w, some, 3);
	assert_string_equal(
		w->text.data,
		"; 1 of 20 checked elements of `c` is wrong\n"
		"wrong in `c`: 1 of 5 rows (13), 1 of 4 columns (0)\n"
		"`c` in small (# wrong, . right, - not checked):\n"
		"  ....\n  ----\n  ----\n  ----\n  ----\n  ----\n  #...\n  "
		"....\n");
}

static void counts_other_outputs_and_says_nothing_without_a_count(void **state)
{
	struct world *w = *state;

	shape(w, 2, 4, 4);
	say(w, NULL, 0);
	assert_string_equal(w->text.data, "\n");
	mark(w, 1, 1);
	w->answer.also_wrong[1] = 7;
	say(w, NULL, 0);
	assert_non_null(strstr(w->text.data,
			       "; 1 of 16 elements of `c` is wrong, 7 of "
			       "`d`\n"));
}

/* The judge runs the task's own code: what it says is bounded. */
static void is_bounded_whatever_a_judge_answers(void **state)
{
	struct world *w = *state;

	memset(&w->answer.map, 0x7f, sizeof w->answer.map);
	wrong_words_count(&w->text, &w->task, &w->layout, &w->answer);
	wrong_words_place(&w->text, &w->task, &w->answer);
	assert_true(w->text.len < 2000);
}

#define N 256

/* By each rule at least one element is marked where a tile is wrong, and none
 * of those that are right. */
static void marks_what_the_error_rule_calls_wrong(void **state)
{
	static const struct tolerance rules[] = {
		{.factor = 2}, {.absolute = true, .rtol = 1e-3, .atol = 1e-3}};
	struct world *w = *state;
	double reference[N], plain[N], got[N];

	for (size_t i = 0; i < N; i++) {
		reference[i] = 1 + (double)i;
		got[i] = plain[i] = reference[i] * (1 + 1e-7 * (double)(i % 3));
	}
	got[70] = NAN;
	got[130] += 5;
	for (size_t k = 0; k < ARRAY_SIZE(rules); k++) {
		struct expected e = {.dtype = DTYPE_F32, .n = N, .row = N};
		struct error_history h = {0};

		e.reference = reference;
		e.plain = plain;
		expected_allow(&e, &h, &rules[k]);
		memset(w->mark, 0, N);
		assert_int_equal(expected_mark(w->mark, &e, got, &rules[k]), 2);
		assert_true(w->mark[70] && w->mark[130]);
		free(e.tile);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(says_rows_and_columns_and_draws_them),
		TEST(finds_tiles_that_are_wrong_as_a_whole),
		TEST(draws_a_vector_line_after_line),
		TEST(draws_no_wall),
		TEST(leaves_blank_what_was_not_checked),
		TEST(counts_other_outputs_and_says_nothing_without_a_count),
		TEST(is_bounded_whatever_a_judge_answers),
		TEST(marks_what_the_error_rule_calls_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
