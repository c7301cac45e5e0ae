#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/knowledge/documents.h"
#include "agent/knowledge/html.h"

static void takes_the_text_of_a_page(void **state)
{
	static const struct {
		const char *html, *text;
	} cases[] = {
		{"<title>t</title><h2 class=\"a>b\">Bank\n conflicts</h2><p>a "
		 "<b>b</b>&amp;c &#x41;&#66; &lt;x&gt;</p>",
		 "## Bank conflicts\n\na b&c AB <x>\n"},
		{"a<br>b<script>if (a < b) x();</script> c", "a\nb c\n"},
		{"<ul><li>one<li>two</ul>", "- one\n- two\n"},
		{"<pre>x = 1;\n  # y\n</pre>z", "```\nx = 1;\n  # y\n```\nz\n"},
		{"<tr><td>a</td><td>b</td></tr>", "a | b\n"},
		{"a <!-- <b> --> b", "a b\n"},
		{"1 < 2 && 3 > 2 &bogus; &#xd800; &#99999999999;",
		 "1 < 2 && 3 > 2 &bogus;\n"},
		{"<p title='unclosed>text <b>bold</b>", "text bold\n"},
		{"a<STYLE>x</sTyLe >b", "ab\n"},
		{"<script>never closed", ""},
		{"<!-- never closed", ""},
		{"<", "<\n"},
		{"</", "</\n"},
		{"&", "&\n"},
		{"&#", ""},
		{"x<a", "x\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

		html_text(&b, cases[i].html, strlen(cases[i].html));
		assert_string_equal(b.data, cases[i].text);
	}
}

/* Repeated to megabytes: each would take hours in a parser that looks back
 * or ahead without bound, and a crash in one that recurses. */
static void hostile_pages_cost_what_their_length_does(void **state)
{
	static const char *const units[] = {
		"<div>",
		"</p>",
		"<a '",
		"<a \">",
		"<!--",
		"<script>",
		"<pre>",
		"&",
		"&#",
		"<",
		"<svg><nav>",
		"<h1><li>",
		"<a '\"><b \"'>",
		"<!-->",
		"\"<'",
		"<a \">\"",
	};
	enum { LEN = 4 << 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		cleanup_buf struct buf page = BUF_INIT(LEN);
		cleanup_buf struct buf text = BUF_INIT(DOCUMENT_MAX_TEXT);

		while (!page.truncated)
			buf_adds(&page, units[i]);
		html_text(&text, page.data, page.len);
		assert_true(text.len <= DOCUMENT_MAX_TEXT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_text_of_a_page),
		cmocka_unit_test(hostile_pages_cost_what_their_length_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
