/* Where the trailers of a message begin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <git2.h>

#include "gitstore/candidate/candidate.h"

static void trailers_begin_after_a_line_without_a_word(void **state)
{
	static const struct {
		const char *body, *trailers, *end;
	} table[] = {
		{"subject\n\n", "A: b\nC: d", "\n"},
		{"subject\n\nbody\n\n", "A: b", ""},
		{"subject\n\nbody\n \t\n", "A: b\nC: d", "\n"},
		{"subject\n\nbody\n\r\n", "A: b", "\n \n\n"},
		{"subject\n\nbody, and no trailer", "", "\n"},
		{"subject", "", "\n"},
		{"", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_free char *message = xasprintf("%s%s%s", table[i].body,
						       table[i].trailers,
						       table[i].end);

		assert_int_equal(message_trailers_at(message),
				 strlen(table[i].body));
	}
}

static void the_body_ends_before_them(void **state)
{
	cleanup_buf struct buf body = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	message_own_body(&body, "subject\n\nwhy it helps\n  \nA: b\nC: d\n");
	assert_string_equal(body.data, "why it helps\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trailers_begin_after_a_line_without_a_word),
		cmocka_unit_test(the_body_ends_before_them),
	};
	int failed;

	git_libgit2_init();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	git_libgit2_shutdown();
	return failed;
}
