/* Hidden sizes that were checked: the first ones, and how many more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/ui/checked.h"

#define TWELVE "1,9; 2,9; 3,9; 4,9; 5,9; 6,9; 7,9; 8,9; 9,9; 10,9; 11,9; 12,9"

static void leaves_out_what_is_many(void **state)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"n: 77; 3; one or two at a time 5 6 7 8 9", NULL},
		{"m,n: " TWELVE, NULL},
		{"m,n: " TWELVE "; 13,9",
		 "m,n: 1,9; 2,9; 3,9; 4,9; 5,9; 6,9; and 7 more; all from 1,9 "
		 "to 13,9 (`avogit show --json` has each)"},
		{"n: 1 large; 2 tiny; 3 large all_high; one or two at a time "
		 "9 10 11 -12 13 14; equal or twice 1 2 3 4 5",
		 "n: 1 large; 2 tiny; 3 large all_high; one or two at a time 9 "
		 "10 11 and 3 more; equal or twice 1 2 3 and 2 more; all from "
		 "-12 to 14 (`avogit show --json` has each)"},
		{"n: 1; 2; 3; 4; 5; 6; 7; one or two at a time 1 2 3 4 5 6 7 "
		 "...",
		 "n: 1; 2; 3; 4; 5; 6; and 1 more; one or two at a time 1 2 3 "
		 "... and 4 more; all from 1 to 7 (`avogit show --json` has "
		 "each)"},
		{"n: 1; 2; one at its low end 1 2 3 4 5; 8 normal; 9; 7; 6; 5; "
		 "4 tiny",
		 "n: 1; 2; one at its low end 1 2 3 and 2 more; 8 normal; 9; "
		 "7; 6; 5; 4 tiny; all from 1 to 9 (`avogit show --json` has "
		 "each)"},
		/* A note is text of others. */
		{"", NULL},
		{": ", NULL},
		{"whatever", NULL},
		{"a,b: 1; 2; ;;; 3 4 5 6 7 8 9 0 1 2 3 4 5 6", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

		checked_shorten(&b, rows[i].text);
		assert_string_equal(b.data, rows[i].shown ? rows[i].shown
							  : rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_out_what_is_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
