/* Text of others in Markdown is code, whatever it contains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/ui/markdown.h"

static void test_code_is_one_span(void **state)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *long_text = xcalloc(1, 5000);

	(void)state;
	markdown_add_code(&b, "a`b|c\nd\x1b[31m\u2028<script>");
	assert_string_equal(b.data, "`a'b/c d^[[31m?<script>`");
	buf_clear(&b);
	markdown_add_code(&b, "");
	assert_string_equal(b.data, "` `");
	buf_clear(&b);
	memset(long_text, 'x', 4999);
	markdown_add_code(&b, long_text);
	assert_true(b.len < 420);
}

/* Four blanks make code only where no list is open: the comment ends it. */
static void test_block_ends_a_list(void **state)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	buf_adds(&b, "- a list\n");
	markdown_add_block(&b, "# one\n\n@two\r\n\x1b[1m", 100);
	assert_string_equal(b.data, "- a list\n\n<!-- -->\n\n    # one\n"
				    "    @two\n    ^[[1m\n");
}

static void test_block_is_cut(void **state)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	markdown_add_block(&b, "0123456789", 4);
	assert_non_null(strstr(b.data, "    0123\n    ... cut here\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_is_one_span),
		cmocka_unit_test(test_block_ends_a_list),
		cmocka_unit_test(test_block_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
