#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/knowledge/passages.h"
#include "core/base/utf8.h"

static void passages_are_bounded_whatever_the_text(void **state)
{
	enum { LEN = 200000 };
	static const char *const units[] = {
		"a",
		"a ",
		"word word\n",
		"\n",
		"# x\n",
		"```\n",
		"\xc3\xa9",
		"}\n",
		"###### \xe2\x82\xac\n",
		"```\n\nlong ",
		"\xf0\x9f\x98\x80 ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		for (int kind = 0; kind < DOCUMENT_KIND_COUNT; kind++) {
			cleanup_buf struct buf b = BUF_INIT(LEN);
			cleanup_passages struct passages p = {0};

			while (b.len + strlen(units[i]) <= LEN)
				buf_adds(&b, units[i]);
			passages_cut(&p, (enum document_kind)kind, b.data);
			assert_true(p.n <= PASSAGES_MAX);
			for (size_t j = 0; j < p.n; j++) {
				const char *t = p.v[j].text;

				assert_true(strlen(t) <= PASSAGE_MAX);
				assert_true(strlen(p.v[j].heading) <=
					    PASSAGE_MAX_HEADING);
				for (size_t n; *t; t += n)
					assert_true(
						(n = utf8_len(t, strlen(t))) >
						0);
			}
		}
	}
}

static void a_passage_keeps_the_headings_above_it(void **state)
{
	static const char text[] = "# Top\nintro\n## One\nfirst\n```\n# no "
				   "heading\n```\n### Deep ##\nsecond\n## "
				   "Two\nthird\n";
	static const char *const headings[] = {"Top", "Top > One",
					       "Top > One > Deep", "Top > Two"};
	cleanup_passages struct passages p = {0};

	(void)state;
	passages_cut(&p, DOCUMENT_MARKDOWN, text);
	assert_int_equal(p.n, ARRAY_SIZE(headings));
	for (size_t i = 0; i < p.n; i++)
		assert_string_equal(p.v[i].heading, headings[i]);
	assert_string_equal(p.v[1].text, "first\n```\n# no heading\n```");
}

static void code_is_named_by_its_lines(void **state)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_passages struct passages p = {0};

	(void)state;
	for (int i = 0; i < 10; i++) {
		buf_adds(&b, "void f(void)\n{\n");
		for (int j = 0; j < 20; j++)
			buf_adds(&b, "\ta = b + c + d + e;\n");
		buf_adds(&b, "}\n\n");
	}
	passages_cut(&p, DOCUMENT_SOURCE, b.data);
	assert_int_equal(p.n, 10);
	assert_string_equal(p.v[0].heading, "lines 1-23");
	assert_string_equal(p.v[1].heading, "lines 25-47");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passages_are_bounded_whatever_the_text),
		cmocka_unit_test(a_passage_keeps_the_headings_above_it),
		cmocka_unit_test(code_is_named_by_its_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
