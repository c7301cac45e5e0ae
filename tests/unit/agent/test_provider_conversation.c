#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/provider/conversation.h"

/* A reply with n calls of the tool "view". */
static void take_calls(struct conversation *c, size_t n)
{
	cleanup_reply struct reply r = {.stop = REPLY_TOOLS,
					.text = xstrdup("Look."),
					.model = xstrdup("m"),
					.calls = xcalloc(n, sizeof *r.calls),
					.n_calls = n};

	for (size_t i = 0; i < n; i++) {
		r.calls[i].id = xasprintf("call_%zu", i);
		r.calls[i].name = xstrdup("view");
		r.calls[i].arguments = xstrdup("{}");
	}
	assert_true(conversation_take(c, &r));
	assert_int_equal(r.n_calls, 0);
}

static void a_call_without_an_answer_has_one_that_says_so(void **state)
{
	cleanup_conversation struct conversation c;

	(void)state;
	conversation_init(&c, "");
	conversation_say(&c, "x");
	take_calls(&c, 2);
	conversation_answer(&c, 1, "out\0put\xff", 8, false, NULL);
	assert_true(tool_result_is_error(&c.turns[1].calls[0]));
	assert_non_null(
		strstr(tool_result_text(&c.turns[1].calls[0]), "not run"));
	assert_string_equal(tool_result_text(&c.turns[1].calls[1]),
			    "out\xef\xbf\xbdput\xef\xbf\xbd");
	conversation_answer(&c, 0, "", 0, false, NULL);
	assert_true(*tool_result_text(&c.turns[1].calls[0]));
}

static void clears_old_results_and_keeps_their_calls(void **state)
{
	cleanup_conversation struct conversation c;
	char long_text[1001];
	size_t before;

	(void)state;
	memset(long_text, '\n', 1000);
	long_text[1000] = '\0';
	conversation_init(&c, "system");
	conversation_say(&c, "x");
	for (int i = 0; i < 3; i++) {
		take_calls(&c, 2);
		conversation_answer(&c, 0, long_text, 1000, false, "out/1");
		conversation_answer(&c, 1, "short", 5, true, NULL);
	}
	before = conversation_size(&c);
	assert_int_equal(conversation_clear(&c, 6, SIZE_MAX), 0);
	assert_int_equal(before - conversation_size(&c),
			 conversation_clear(&c, 3, SIZE_MAX));
	assert_true(c.turns[1].calls[0].result.cleared);
	assert_true(c.turns[2].calls[0].result.cleared);
	assert_false(c.turns[3].calls[0].result.cleared);
	assert_string_equal(tool_result_text(&c.turns[1].calls[0]),
			    "[old output: 1000 lines, 1000 bytes, all of it "
			    "in out/1]");
	/* Nothing is won by clearing what is short, or cleared. */
	assert_string_equal(tool_result_text(&c.turns[1].calls[1]), "short");
	assert_int_equal(conversation_clear(&c, 3, SIZE_MAX), 0);
}

static void leaves_no_turn_behind_where_nothing_was_said(void **state)
{
	static const enum reply_stop none[] = {REPLY_REFUSED, REPLY_FILTERED,
					       REPLY_CONTEXT_FULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		cleanup_conversation struct conversation c;
		cleanup_reply struct reply r = {.stop = none[i],
						.text = xstrdup("No."),
						.model = xstrdup("m")};

		conversation_init(&c, "");
		assert_false(conversation_take(&c, &r));
		assert_int_equal(c.n_turns, 0);
	}
}

static void refuses_tools_that_no_protocol_takes(void **state)
{
	static const char *const bad[][2] = {
		{"", "{}"},    {"a b", "{}"}, {"a.b", "{}"},	 {"view", "[]"},
		{"view", "{"}, {"view", ""},  {"view", "{} {}"},
	};
	cleanup_conversation struct conversation c;
	char name[66];

	(void)state;
	conversation_init(&c, "");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_error struct error *err =
			conversation_add_tool(&c, bad[i][0], "", bad[i][1]);

		if (!err)
			fail_msg("%s %s was taken", bad[i][0], bad[i][1]);
	}
	memset(name, 'a', 65);
	name[65] = '\0';
	error_free(conversation_add_tool(&c, name, "", "{}"));
	assert_int_equal(c.n_tools, 0);
	assert_null(conversation_add_tool(&c, name + 1, "", "{}"));
}

static void assert_same(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

static void a_saved_conversation_is_the_same_again(void **state)
{
	cleanup_conversation struct conversation c, read;
	cleanup_json struct json *j = NULL;
	cleanup_free char *text = NULL, *again = NULL;

	(void)state;
	conversation_init(&c, "system");
	conversation_init(&read, "system");
	conversation_say(&c, "x");
	take_calls(&c, 3);
	c.turns[1].raw = xstrdup("[{\"thinking\":\"\\ud83d\\ude00\"}]");
	c.turns[1].protocol = PROTOCOL_RESPONSES;
	c.turns[1].calls[2].invalid = xstrdup("not an object");
	conversation_answer(&c, 0, "out\n", 4, true, "out/1");
	conversation_answer(&c, 1, "out", 3, false, NULL);
	j = conversation_to_json(&c);
	assert_null(conversation_from_json(&read, j));
	text = json_print(j);
	json_free(j);
	j = conversation_to_json(&read);
	again = json_print(j);
	assert_string_equal(text, again);
	assert_int_equal(read.n_turns, 2);
	assert_int_equal(read.turns[0].side, TURN_USER);
	assert_int_equal(read.turns[1].protocol, PROTOCOL_RESPONSES);
	assert_same(read.turns[1].raw, c.turns[1].raw);
	assert_same(read.turns[1].calls[0].result.file, "out/1");
	assert_true(read.turns[1].calls[0].result.is_error);
	assert_same(read.turns[1].calls[2].invalid, "not an object");
	assert_null(read.turns[1].calls[2].result.text);
}

static void a_damaged_conversation_is_refused(void **state)
{
	static const char *const bad[] = {
		"[{}]",
		"[{\"assistant\":true,\"text\":\"x\",\"protocol\":0}]",
		"[{\"text\":\"x\",\"protocol\":99}]",
		"[{\"text\":\"x\",\"protocol\":0,\"calls\":[{\"id\":\"\"}]}]",
		"[7]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_conversation struct conversation c;
		cleanup_json struct json *j = NULL;
		cleanup_error struct error *err = NULL;

		conversation_init(&c, "");
		assert_null(json_parse(&j, bad[i], strlen(bad[i])));
		err = conversation_from_json(&c, j);
		assert_true(error_is(err, ERROR_MALFORMED));
	}
}

static struct tool_call *write_something(struct conversation *c,
					 const char *before, const char *after)
{
	cleanup_buf struct buf arguments = BUF_INIT(10000);
	struct conversation_turn *t;

	take_calls(c, 1);
	t = &c->turns[c->n_turns - 1];
	buf_adds(&arguments, "{\"path\":\"k.c\",\"text\":\"");
	for (int i = 0; i < 500; i++)
		buf_adds(&arguments, "x\\n");
	buf_adds(&arguments, "\"}");
	free(t->calls[0].arguments);
	t->calls[0].arguments = xstrdup(arguments.data);
	t->raw = xasprintf("%s%s%s", before, arguments.data, after);
	return &t->calls[0];
}

static void clears_what_was_written_in_the_models_own_bytes_too(void **state)
{
	cleanup_conversation struct conversation c;
	const char *cleared = "{\"path\":\"k.c\",\"text\":\"[old text: 500 "
			      "lines, 1000 bytes]\"}";
	const struct tool_call *call;
	size_t before;

	(void)state;
	conversation_init(&c, "");
	conversation_say(&c, "x");
	call = write_something(&c, "[{\"signature\":\"s\",\"input\":", "}]");
	conversation_answer(&c, 0, "ok", 2, false, NULL);
	before = conversation_size(&c);
	assert_true(conversation_clear(&c, 0, SIZE_MAX) > 1000);
	assert_true(conversation_size(&c) < before - 1000);
	assert_string_equal(call->arguments, cleared);
	assert_non_null(strstr(c.turns[1].raw, cleared));
	assert_non_null(strstr(c.turns[1].raw, "\"signature\":\"s\""));
	assert_int_equal(conversation_clear(&c, 0, SIZE_MAX), 0);
}

static void leaves_bytes_in_which_the_arguments_are_not_found(void **state)
{
	cleanup_conversation struct conversation c;
	const struct tool_call *call;
	cleanup_free char *before = NULL;

	(void)state;
	conversation_init(&c, "");
	conversation_say(&c, "x");
	call = write_something(&c, "", "");
	conversation_answer(&c, 0, "ok", 2, false, NULL);
	free(c.turns[1].raw);
	c.turns[1].raw = xstrdup("[{\"text\":\"else\"}]");
	before = xstrdup(call->arguments);
	assert_int_equal(conversation_clear(&c, 0, SIZE_MAX), 0);
	assert_string_equal(call->arguments, before);
}

static void clears_the_oldest_and_no_more_than_enough(void **state)
{
	cleanup_conversation struct conversation c;
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof text);
	conversation_init(&c, "");
	conversation_say(&c, "x");
	for (int i = 0; i < 10; i++) {
		take_calls(&c, 1);
		conversation_answer(&c, 0, text, sizeof text, false, NULL);
	}
	assert_true(conversation_clear(&c, 2, 2500) >= 2500);
	assert_true(c.turns[3].calls[0].result.cleared);
	assert_false(c.turns[4].calls[0].result.cleared);
	conversation_clear(&c, 2, SIZE_MAX);
	assert_true(c.turns[8].calls[0].result.cleared);
	assert_false(c.turns[9].calls[0].result.cleared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_without_an_answer_has_one_that_says_so),
		cmocka_unit_test(clears_old_results_and_keeps_their_calls),
		cmocka_unit_test(leaves_no_turn_behind_where_nothing_was_said),
		cmocka_unit_test(
			clears_what_was_written_in_the_models_own_bytes_too),
		cmocka_unit_test(
			leaves_bytes_in_which_the_arguments_are_not_found),
		cmocka_unit_test(clears_the_oldest_and_no_more_than_enough),
		cmocka_unit_test(a_saved_conversation_is_the_same_again),
		cmocka_unit_test(a_damaged_conversation_is_refused),
		cmocka_unit_test(refuses_tools_that_no_protocol_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
