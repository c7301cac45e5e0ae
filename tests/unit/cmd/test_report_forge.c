/* Addresses of commits, made of what git calls a remote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/report/forge.h"

static void is(const char *url, const char *expected)
{
	cleanup_free char *commits = forge_commits(url);

	if (expected)
		assert_string_equal(commits, expected);
	else
		assert_null(commits);
}

static void test_every_form_of_a_remote_is_known(void **state)
{
	static const char expected[] = "https://github.com/a/b.c/commit/";

	(void)state;
	is("https://github.com/a/b.c", expected);
	is("https://github.com/a/b.c.git", expected);
	is("https://github.com/a/b.c.git/", expected);
	is("git@github.com:a/b.c.git", expected);
	is("github.com:/a/b.c", expected);
	is("ssh://git@GitHub.com:22/a/b.c.git", expected);
	is("git@gitlab.com:g/h/i.git", "https://gitlab.com/g/h/i/-/commit/");
	is("https://bitbucket.org/a/b", "https://bitbucket.org/a/b/commits/");
}

static void test_a_password_stays_out(void **state)
{
	static const char expected[] = "https://codeberg.org/a/b/commit/";

	(void)state;
	is("https://name:secret@codeberg.org/a/b.git", expected);
	is("https://name:se@cret@codeberg.org/a/b.git", expected);
	is("ssh://name:secret@codeberg.org/a/b", expected);
}

static void test_what_is_no_known_forge_has_no_address(void **state)
{
	static const char *const urls[] = {
		"",
		"/srv/git/a.git",
		"../a/b",
		"C:/a/b",
		"file:///github.com/a/b",
		"javascript:alert(1)",
		"https://example.org/a/b",
		"https://github.com.example.org/a/b",
		"https://example.org/github.com/a/b",
		"https://github.com",
		"https://github.com/",
		"https://github.com/a",
		"https://github.com/a//b",
		"https://github.com/a/../b",
		"https://github.com/a/b?x=1",
		"https://github.com/a/b\"onclick",
		"https://github.com/a/b c",
		"https://github.com/a/.git",
		"git@:a/b",
		"https://secret@",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++)
		is(urls[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_form_of_a_remote_is_known),
		cmocka_unit_test(test_a_password_stays_out),
		cmocka_unit_test(test_what_is_no_known_forge_has_no_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
