/* Text of others: what is made visible, and what stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/json.h"
#include "core/base/text.h"

static const struct {
	const char *text, *line, *lines;
} rows[] = {
	{"", "", ""},
	{"plain text", "plain text", "plain text"},
	{"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
	 "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
	 "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
	{"a\tb\nc", "a b c", "a\tb\nc"},
	{"a\r\nb\rc", "a  b c", "a\nb^Mc"},
	{"\033[31mred\033]0;t\a", "^[[31mred^[]0;t^G", "^[[31mred^[]0;t^G"},
	{"\b\x7f\x02", "^H^?^B", "^H^?^B"},
	/* CSI, OSC, NEL as one character; and as a byte */
	{"x\xc2\x9b"
	 "31m\xc2\x9d\xc2\x85",
	 "x?31m??", "x?31m??"},
	{"x\x9b"
	 "31m",
	 "x?31m", "x?31m"},
	/* overrides, embeddings, isolates, marks */
	{"\xe2\x80\xae\xe2\x80\xaa\xe2\x81\xa6\xe2\x81\xa9\xe2\x80\x8f\xd8\x9c",
	 "??????", "??????"},
	/* no width, byte order mark, soft hyphen, tag, line ends of Unicode */
	{"\xe2\x80\x8b\xef\xbb\xbf\xc2\xad\xf3\xa0\x81\x81\xe2\x80\xa8",
	 "?????", "?????"},
	/* overlong, surrogate, cut off, beyond the last */
	{"\xc0\xaf\xed\xa0\x80\xe2\x82\xf4\x90\x80\x80", "???????????",
	 "???????????"},
	/* their neighbours are text */
	{"\xc2\xa0\xe2\x80\x8a\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\x9f",
	 "\xc2\xa0\xe2\x80\x8a\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\x9f",
	 "\xc2\xa0\xe2\x80\x8a\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\x9f"},
};

static void what_acts_or_hides_can_be_seen(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_buf struct buf lines = BUF_INIT(BUF_LIMIT_TEXT);

		text_add_line(&line, rows[i].text, strlen(rows[i].text));
		text_add_lines(&lines, rows[i].text, strlen(rows[i].text));
		assert_string_equal(line.data, rows[i].line);
		assert_string_equal(lines.data, rows[i].lines);
	}
}

static void what_is_clean_stays_when_cleaned_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_buf struct buf again = BUF_INIT(BUF_LIMIT_TEXT);

		text_add_lines(&again, rows[i].lines, strlen(rows[i].lines));
		assert_string_equal(again.data, rows[i].lines);
	}
}

static void nul_is_a_control_too(void **state)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	text_add_line(&out, "a\0b", 3);
	assert_string_equal(out.data, "a^@b");
}

static void nothing_is_cut_within_a_character(void **state)
{
	(void)state;
	for (size_t limit = 1; limit < 12; limit++) {
		cleanup_buf struct buf out = BUF_INIT(limit);
		cleanup_buf struct buf again = BUF_INIT(BUF_LIMIT_TEXT);

		text_add_line(&out, "\xe2\x82\xac\xe2\x82\xac\xf0\x9f\x98\x80",
			      10);
		assert_int_equal(out.truncated, limit < 10);
		text_add_line(&again, out.len ? out.data : "", out.len);
		assert_null(strchr(again.len ? again.data : "", '?'));
	}
	assert_int_equal(text_cut("\xe2\x82\xac\xe2\x82\xac", 5), 3);
	assert_int_equal(text_cut("abc", 5), 3);
}

/* A journal keeps what was said, and its bytes are harmless to print. */
static void json_escapes_what_is_unseen_and_keeps_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_json struct json *j = json_object(), *back = NULL;
		cleanup_buf struct buf seen = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_free char *text = NULL, *again = NULL;

		json_set_string(j, "s", rows[i].text);
		text = json_print(j);
		text_add_lines(&seen, text, strlen(text));
		assert_string_equal(seen.data, text);
		assert_null(json_parse(&back, text, strlen(text)));
		again = json_print(back);
		assert_string_equal(again, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_acts_or_hides_can_be_seen),
		cmocka_unit_test(what_is_clean_stays_when_cleaned_again),
		cmocka_unit_test(nul_is_a_control_too),
		cmocka_unit_test(nothing_is_cut_within_a_character),
		cmocka_unit_test(json_escapes_what_is_unseen_and_keeps_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
