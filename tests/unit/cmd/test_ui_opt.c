/* Options: what a table takes, and what it says when it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/ui/opt.h"

struct example {
	bool again;
	const char *run;
	int64_t number;
	uint64_t seed;
	double time;
};

static const struct opt table[] = {
	OPT(struct example, again, "again", 0, NULL, "once more"),
	OPT(struct example, run, "run", 'r', "NAME", "of this run"),
	OPT(struct example, number, "number", 'n', "N", "so many"),
	OPT(struct example, seed, "seed", 0, "N", "of the draws"),
	OPT(struct example, time, "time", 't', "SPAN", "so long"),
	OPT_END,
};

static void fills_every_kind_of_member(void **state)
{
	const char *argv[] = {"--again", "-r",	   "gemm", "--number=5",
			      "a",	 "--seed", "0",	   "-t2m",
			      "--",	 "-x",	   NULL};
	struct example e = {.seed = 7};
	cleanup_strvec struct strvec operands = STRVEC_INIT;

	(void)state;
	assert_null(opt_parse(&e, &operands, table, (char **)argv));
	assert_true(e.again);
	assert_string_equal(e.run, "gemm");
	assert_int_equal(e.number, 5);
	assert_int_equal(e.seed, 0);
	assert_true(e.time == 120);
	assert_int_equal(operands.n, 2);
	assert_string_equal(operands.v[0], "a");
	assert_string_equal(operands.v[1], "-x");
}

static void refuses_what_does_not_fit_in_one_sentence(void **state)
{
	static const struct {
		const char *argument, *message;
	} rows[] = {
		{"--agian", "unknown option --agian: did you mean --again?"},
		{"--frobnicate", "unknown option --frobnicate"},
		{"-x", "unknown option -x"},
		{"--again=1", "--again takes no value"},
		{"--run", "--run needs NAME after it"},
		{"--run=", "--run takes NAME, not ''"},
		{"-n0", "--number takes a whole number of at least 1, "
			"not '0'"},
		{"-n5x", "--number takes a whole number of at least 1, "
			 "not '5x'"},
		{"--number=99999999999999999999",
		 "--number takes a whole number of at least 1, "
		 "not '99999999999999999999'"},
		{"--seed=-1", "--seed takes a whole number, not '-1'"},
		{"--time=soon", "--time takes a span of time such as 90s, 30m "
				"or 1h30m, not 'soon'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *argv[] = {rows[i].argument, NULL};
		struct example e = {0};
		cleanup_strvec struct strvec operands = STRVEC_INIT;
		cleanup_error struct error *err =
			opt_parse(&e, &operands, table, (char **)argv);

		assert_true(error_is(err, ERROR_USAGE));
		assert_string_equal(error_message(err), rows[i].message);
	}
}

static void names_the_nearest_word_or_none(void **state)
{
	static const char *const names[] = {"init", "score", "evolve", "show",
					    NULL};
	static const struct {
		const char *word, *nearest;
	} rows[] = {
		{"evlove", "evolve"}, {"evol", "evolve"}, {"socre", "score"},
		{"shwo", "show"},     {"int", "init"},	  {"xyzzy", NULL},
		{"x", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *nearest = opt_nearest(rows[i].word, names);

		if (rows[i].nearest)
			assert_string_equal(nearest, rows[i].nearest);
		else
			assert_null(nearest);
	}
}

static void the_value_of_an_option_is_no_question_for_help(void **state)
{
	static const struct {
		const char *argv[5];
		bool help;
	} rows[] = {
		{{"-h", NULL}, true},
		{{"a", "--help", NULL}, true},
		{{"--run", "-h", NULL}, false},
		{{"-r", "--help", NULL}, false},
		{{"-r", "x", "-h", NULL}, true},
		{{"--run=x", "-h", NULL}, true},
		{{"-rx", "-h", NULL}, true},
		{{"--again", "-h", NULL}, true},
		{{"--", "-h", NULL}, false},
		{{"--run", NULL}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (opt_asks_for_help(table, (char **)rows[i].argv) !=
		    rows[i].help)
			fail_msg("row %zu", i);
}

static void helps_with_a_line_an_option(void **state)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	opt_help(&b, table);
	assert_non_null(
		strstr(b.data, "      --again             once more\n"));
	assert_non_null(
		strstr(b.data, "  -r, --run NAME          of this run"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_every_kind_of_member),
		cmocka_unit_test(refuses_what_does_not_fit_in_one_sentence),
		cmocka_unit_test(names_the_nearest_word_or_none),
		cmocka_unit_test(
			the_value_of_an_option_is_no_question_for_help),
		cmocka_unit_test(helps_with_a_line_an_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
