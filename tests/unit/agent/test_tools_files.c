/* The tools that look at the workspace's files and change its sources. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/agent/tool_world.h"

#define assert_has(text, part) assert_non_null(strstr(text, part))

static int setup(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);

	world_init(w);
	put(w, "kernel.c", "int a;\n\tint b;\nint c;\nint c;\n");
	put(w, "other.h", "#define X 1\n");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	world_release(*state);
	free(*state);
	return 0;
}

static void refuses_a_path_that_climbs_out(void **state)
{
	static const char *const paths[] = {"../x",   "/etc/passwd", "a/../b",
					    ".git/x", "a//b",	     "a/./b",
					    "a\\nb",  "./kernel.c"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		cleanup_free char *arguments =
			xasprintf("{\"path\":\"%s\"}", paths[i]);

		call(*state, "view", arguments);
		assert_true(((struct world *)*state)->reply.failed);
	}
}

static void follows_no_link(void **state)
{
	struct world *w = *state;
	cleanup_free char *file = xasprintf("%s/src", w->dir);
	cleanup_free char *folder = xasprintf("%s/up", w->dir);

	assert_int_equal(symlink("/etc/passwd", file), 0);
	assert_int_equal(symlink("/etc", folder), 0);
	call(w, "view", "{\"path\":\"src\"}");
	assert_true(w->reply.failed);
	call(w, "view", "{\"path\":\"up/passwd\"}");
	assert_true(w->reply.failed);
	call(w, "write", "{\"path\":\"src/a\",\"text\":\"\"}");
	assert_true(w->reply.failed);
	assert_null(strstr(call(w, "search", "{\"pattern\":\"root\"}"), "up/"));
}

static void views_lines_with_their_numbers(void **state)
{
	const char *text = call(*state, "view",
				"{\"path\":\"kernel.c\",\"from\":2,\"to\":2}");

	assert_string_equal(text, "     2\t\tint b;\n(lines 2 to 2 of 4)\n");
}

static void lists_a_folder_and_marks_sources(void **state)
{
	const char *text = call(*state, "view", "{}");

	assert_has(text, "kernel.c  (source)");
	assert_has(text, "other.h\n");
}

static void edits_what_is_there_once(void **state)
{
	cleanup_free char *now = NULL;

	call(*state, "edit",
	     "{\"path\":\"kernel.c\",\"old\":\"int a;\",\"new\":\"long a;\"}");
	now = get(*state, "kernel.c");
	assert_string_equal(now, "long a;\n\tint b;\nint c;\nint c;\n");
}

static void says_what_a_failing_edit_missed(void **state)
{
	static const struct {
		const char *old, *says;
	} table[] = {
		{"int c;", "at lines 3, 4"},
		{"    int b;", "white space only, from line 2"},
		{"int a;\\n\\tint b;\\nlong c;", "differs first in line 3"},
		{"no such thing at all", "Nothing there is like it"},
		{"", "is empty"},
	};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_free char *arguments =
			xasprintf("{\"path\":\"kernel.c\",\"old\":\"%s\","
				  "\"new\":\"x\"}",
				  table[i].old);

		assert_has(call(w, "edit", arguments), table[i].says);
		assert_true(w->reply.failed);
	}
}

static void writes_sources_and_nothing_else(void **state)
{
	struct world *w = *state;
	cleanup_free char *now = NULL;

	call(w, "write", "{\"path\":\"src/new.c\",\"text\":\"int x;\"}");
	assert_false(w->reply.failed);
	now = get(w, "src/new.c");
	assert_string_equal(now, "int x;");
	assert_has(call(w, "write", "{\"path\":\"other.h\",\"text\":\"\"}"),
		   "what may be changed is kernel.c, src/");
	assert_true(w->reply.failed);
}

static void refuses_patterns_that_cost_too_much(void **state)
{
	static const char *const patterns[] = {"((a{255}){255}){255}",
					       "(a*)*\\\\1", "(", "a{1,9999}"};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		cleanup_free char *arguments =
			xasprintf("{\"pattern\":\"%s\"}", patterns[i]);

		call(w, "search", arguments);
		assert_true(w->reply.failed);
	}
}

static void refuses_arguments_that_are_off(void **state)
{
	static const char *const arguments[] = {
		"{}",
		"[1]",
		"{\"path\":1,\"text\":\"x\"}",
		"{\"path\":\"kernel.c\"}",
		"{\"path\":\"kernel.c\",\"text\":\"\",\"mode\":1}",
		"{\"path\":null,\"text\":\"x\"}"};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(arguments); i++) {
		call(w, "write", arguments[i]);
		assert_true(w->reply.failed);
	}
}

static void takes_numbers_as_text_and_nothing_as_left_out(void **state)
{
	struct world *w = *state;

	put(w, "kernel.c", "one\ntwo\nthree\n");
	assert_null(strstr(call(w, "view",
				"{\"path\":\"kernel.c\",\"from\":\"2\","
				"\"to\":null}"),
			   "one"));
	assert_non_null(strstr(w->reply.text.data, "three"));
	call(w, "view", "{\"path\":\"kernel.c\",\"from\":\"2x\"}");
	assert_true(w->reply.failed);
	call(w, "view", "{\"path\":\"kernel.c\",\"from\":\"\"}");
	assert_true(w->reply.failed);
}

static void keeps_head_and_tail_of_what_is_long(void **state)
{
	struct world *w = *state;
	cleanup_buf struct buf text = BUF_INIT(TOOL_WHOLE_MAX);
	cleanup_free char *whole = NULL;
	const char *reply;

	for (int i = 1; i <= 2000; i++)
		buf_addf(&text, "this is line %d of the file\n", i);
	put(w, "kernel.c", text.data);
	reply = call(w, "view", "{\"path\":\"kernel.c\",\"to\":2000}");
	assert_true(strlen(reply) < TOOL_REPLY_MAX + 200);
	assert_has(reply, "     1\tthis is line 1 of");
	assert_has(reply, "  2000\tthis is line 2000 of");
	assert_has(reply, " of 2,000 lines left out; the whole is in "
			  ".avogit-out/1.txt ...");
	whole = get(w, w->reply.file);
	assert_has(whole, "  1000\tthis is line 1000 of");
}

static void makes_text_of_bytes(void **state)
{
	struct world *w = *state;
	cleanup_free char *path = xasprintf("%s/kernel.c", w->dir);
	const char *reply;

	assert_null(file_write(path, "a\0b\033[31mc\r\n", 11, false));
	reply = call(w, "view", "{\"path\":\"kernel.c\"}");
	assert_string_equal(reply, "     1\ta^@bc\n");
}

static void remembers_notes_within_bounds(void **state)
{
	struct world *w = *state;
	cleanup_buf struct buf big = BUF_INIT(2 * TOOL_NOTES_MAX);

	call(w, "notes", "{\"add\":\"one\"}");
	assert_string_equal(call(w, "notes", "{\"add\":\"two\"}"),
			    "one\ntwo\n");
	buf_adds(&big, "{\"add\":\"");
	while (big.len < TOOL_NOTES_MAX + 100)
		buf_adds(&big, "more and more ");
	buf_adds(&big, "\"}");
	call(w, "notes", big.data);
	assert_true(w->reply.failed);
	assert_string_equal(call(w, "notes", "{}"), "one\ntwo\n");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(refuses_a_path_that_climbs_out),
		TEST(follows_no_link),
		TEST(views_lines_with_their_numbers),
		TEST(lists_a_folder_and_marks_sources),
		TEST(edits_what_is_there_once),
		TEST(says_what_a_failing_edit_missed),
		TEST(writes_sources_and_nothing_else),
		TEST(refuses_patterns_that_cost_too_much),
		TEST(refuses_arguments_that_are_off),
		TEST(takes_numbers_as_text_and_nothing_as_left_out),
		TEST(keeps_head_and_tail_of_what_is_long),
		TEST(makes_text_of_bytes),
		TEST(remembers_notes_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
