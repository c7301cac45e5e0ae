#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/run/saved_step.h"

static void what_is_saved_is_read_back(void **state)
{
	static const char bytes[] = "a\0b\xff\n";
	cleanup_saved_step struct saved_step s = {
		.lineage = 3,
		.after = commit_id("0123456789012345678901234567890123456789"),
		.seed = UINT64_MAX,
		.attempts = 17,
		.time_us = 1234567890123456,
		.spend = {.turns = 4, .tokens_in = 9, .dollars = 0.25},
		.seconds = 12.5,
	};
	cleanup_saved_step struct saved_step read = {0};
	cleanup_free char *text = NULL;

	(void)state;
	s.operator_name = xstrdup("llm");
	s.state = xstrdup("{\"x\":\"\\\"\"}");
	assert_null(fileset_put(&s.sources, "src/kernel.c", bytes,
				sizeof bytes - 1, true));
	text = saved_step_print(&s);
	assert_null(saved_step_parse(&read, text, strlen(text)));
	assert_true(read.there);
	assert_int_equal(read.lineage, 3);
	assert_string_equal(read.after.hex, s.after.hex);
	assert_true(read.seed == UINT64_MAX);
	assert_int_equal(read.attempts, 17);
	assert_int_equal(read.time_us, s.time_us);
	assert_int_equal(read.spend.turns, 4);
	assert_true(read.spend.dollars == 0.25 && read.seconds == 12.5);
	assert_string_equal(read.operator_name, "llm");
	assert_string_equal(read.state, s.state);
	assert_int_equal(read.sources.n, 1);
	assert_int_equal(read.sources.file[0].len, sizeof bytes - 1);
	assert_memory_equal(read.sources.file[0].data, bytes, sizeof bytes - 1);
	assert_true(read.sources.file[0].executable);
}

static void what_is_damaged_is_refused(void **state)
{
	cleanup_saved_step struct saved_step s = {.attempts = 1};
	cleanup_free char *text = NULL;

	(void)state;
	s.operator_name = xstrdup("llm");
	s.state = xstrdup("{}");
	assert_null(fileset_put(&s.sources, "k.c", "x", 1, false));
	text = saved_step_print(&s);
	for (size_t len = 0; len < strlen(text); len++) {
		cleanup_saved_step struct saved_step read = {0};
		cleanup_error struct error *err =
			saved_step_parse(&read, text, len);

		assert_non_null(err);
		assert_false(read.there);
	}
	for (char *at = text; (at = strstr(at, "k.c")); at++) {
		cleanup_saved_step struct saved_step read = {0};
		cleanup_error struct error *err = NULL;

		memcpy(at, "../", 3);
		err = saved_step_parse(&read, text, strlen(text));
		assert_non_null(err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_saved_is_read_back),
		cmocka_unit_test(what_is_damaged_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
