/* The types that a source in C defines itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/own_types.h"

static const struct {
	const char *source, *names; /* each with a blank after it */
} rows[] = {
	{"typedef float real;", "real "},
	{"typedef struct point { float x, y; } point_t, *ref;",
	 "point point_t ref "},
	{"typedef struct point point_t;", "point_t "},
	{"typedef struct { int a[4]; } __attribute__((aligned(8))) block;",
	 "block "},
	{"typedef float four __attribute__((vector_size(16)));", "four "},
	{"typedef float __attribute__((vector_size(16))) four;", "four "},
	{"typedef int (*compare)(const void *a, const void *b);", "compare "},
	{"typedef unsigned char key[16];", "key "},
	{"enum mode { FAST = 1 << (2), SLOW, };", "mode FAST SLOW "},
	{"typedef enum { A, B = sizeof(int), C } kind;", "A B C kind "},
	{"struct a { struct b { int n; } b; }; struct c *p;", "a "},
	{"struct a f(struct a x) { struct b { int n; }; typedef int c; }", ""},
	{"static const struct point origin = {0, 0};", ""},
};

static char *names_of(const char *source)
{
	cleanup_strvec struct strvec found = STRVEC_INIT;
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	own_types(&found, source);
	for (size_t i = 0; i < found.n; i++)
		buf_addf(&out, "%s ", found.v[i]);
	return xstrdup(out.len ? out.data : "");
}

static void finds_what_cannot_be_defined_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_free char *names = names_of(rows[i].source);

		assert_string_equal(names, rows[i].names);
	}
}

static void survives_a_source_that_ends_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t n = 0; n < strlen(rows[i].source); n++) {
			cleanup_free char *some = xstrndup(rows[i].source, n);
			cleanup_free char *names = names_of(some);

			assert_non_null(names);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_cannot_be_defined_twice),
		cmocka_unit_test(survives_a_source_that_ends_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
