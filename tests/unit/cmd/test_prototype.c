/* Reading a kernel's prototype out of C source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/prototype.h"

static const char source[] =
	"#include <stddef.h>\n"
	"/* void fake(int a) { */ // nor this: void fake(int a) {\n"
	"#define MACRO(a) \\\n\tvoid fake(int a) {\n"
	"struct shape { int rows; };\n"
	"extern void elsewhere(int n);\n"
	"static int helper(int a) { return a + '}' + \"{\"[0]; }\n"
	"__attribute__((noinline)) void gemm(const float *restrict a,\n"
	"\tfloat b[restrict 4][8], float const *c, double * const out,\n"
	"\tsize_t n, const unsigned char flag, struct shape s,\n"
	"\tfloat **deep, int (*callback)(int), int) { if (n) { } }\n"
	"void other(void) {}\n";

static void reads_every_kind_of_parameter(void **state)
{
	static const struct {
		const char *name, *dtype; /* dtype NULL: unknown */
		bool is_pointer, is_const;
	} rows[] = {
		{"a", "f32", true, true},   {"b", "f32", true, false},
		{"c", "f32", true, true},   {"out", "f64", true, false},
		{"n", "u64", false, false}, {"flag", "u8", false, true},
		{"s", NULL, false, false},  {"deep", NULL, true, false},
		{"", NULL, false, false},   {"", "i32", false, false},
	};
	cleanup_prototype struct prototype p = {0};

	(void)state;
	assert_null(prototype_read(&p, "lib/gemm.c", source, NULL));
	assert_string_equal(p.name, "gemm");
	assert_int_equal(p.n, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct parameter *a = &p.parameter[i];

		assert_string_equal(a->name, rows[i].name);
		assert_int_equal(a->known, rows[i].dtype != NULL);
		if (rows[i].dtype)
			assert_string_equal(dtype_name(a->dtype),
					    rows[i].dtype);
		assert_int_equal(a->is_pointer, rows[i].is_pointer);
		assert_int_equal(a->is_const, rows[i].is_const);
	}
}

static void chooses_by_entry_by_file_or_asks(void **state)
{
	static const struct {
		const char *path, *entry, *found, *message;
	} rows[] = {
		{"x.c", "helper", "helper", NULL},
		{"gemm.c", NULL, "gemm", NULL},
		{"x.c", NULL, NULL,
		 "x.c has several functions: choose one by --entry (gemm, "
		 "other)"},
		{"x.c", "fake", NULL,
		 "x.c defines no function fake; it has gemm, other"},
		{"x.c", "other", NULL,
		 "x.c: other takes no arguments: there is nothing that its "
		 "result could depend on"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		cleanup_error struct error *err =
			prototype_read(&p, rows[i].path, source, rows[i].entry);

		if (rows[i].found)
			assert_string_equal(p.name, rows[i].found);
		else
			assert_string_equal(error_message(err),
					    rows[i].message);
	}
}

static void survives_source_that_ends_anywhere(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof source; len++) {
		cleanup_free char *cut = xstrndup(source, len);
		cleanup_prototype struct prototype p = {0};
		cleanup_error struct error *err =
			prototype_read(&p, "gemm.c", cut, NULL);

		assert_true(err || p.n > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_kind_of_parameter),
		cmocka_unit_test(chooses_by_entry_by_file_or_asks),
		cmocka_unit_test(survives_source_that_ends_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
