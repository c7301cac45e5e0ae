/* Entries that wait to be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gitstore/journal/pile.h"

/* The last first, whatever their sizes. */
static void a_pile_is_taken_from_its_top(void **state UNUSED)
{
	struct pile p = {.n = 0};
	cleanup_free char *big = xcalloc(1, 1000000);
	const char *text;
	git_oid id;
	size_t len;

	memset(big, 'x', 1000000);
	for (uint8_t i = 0; i < 200; i++) {
		id = (git_oid){{i}};
		pile_put(&p, &id, i % 7 ? big : NULL,
			 i % 7 == 1 ? 1000000 : 100u * (i % 7));
	}
	assert_int_equal(p.n, 200);
	for (int i = 199; i >= 0; i--) {
		assert_true(pile_take(&id, &text, &len, &p));
		assert_int_equal(id.id[0], i);
		assert_int_equal(len, i % 7 == 1 ? 1000000 : 100 * (i % 7));
		assert_int_equal(!text, i % 7 == 0);
		assert_true(!len || memcmp(text, big, len) == 0);
	}
	assert_int_equal(p.n, 0);
	assert_false(pile_take(&id, &text, &len, &p));
	pile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pile_is_taken_from_its_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
