/* Names of C++: what a person reads, and names that a stranger made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/demangle.h"

static void says(const char *name, const char *text)
{
	cleanup_free char *got = demangle(name);

	assert_string_equal(got, text);
}

static void a_mangled_name_is_told_as_it_was_written(void **state)
{
	(void)state;
	says("_Z4normIfEvPKT_PS0_i",
	     "void norm<float>(float const*, float*, int)");
	says("_ZN2nn7softmaxEPKfPfll",
	     "nn::softmax(float const*, float*, long, long)");
}

static void names_in_a_text_are_found(void **state)
{
	cleanup_free char *text = demangle_text(
		"Unresolved extern function '_Z4gonef' in 'e3.o': _Z5scalePfi, "
		"my_Z5scalePfi");

	(void)state;
	assert_string_equal(text, "Unresolved extern function 'gone(float)' in "
				  "'e3.o': scale(float*, int), my_Z5scalePfi");
}

static void what_is_not_mangled_stays(void **state)
{
	(void)state;
	says("main", "main");
	says("", "");
	says("_Z", "_Z");
	says("_Zxyz", "_Zxyz");
	says("_Z3fo", "_Z3fo");
}

/* A function of depth types, each of which holds two of the one before. */
static char *doubling(unsigned depth)
{
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&name, "_Z1f1AIiiE");
	for (unsigned i = 0; i < depth; i++)
		buf_addf(&name, "S_IS%c_S%c_E", '0' + i, '0' + i);
	return buf_take(&name);
}

static void a_name_of_a_text_without_end_stays(void **state)
{
	cleanup_free char *little = doubling(3), *much = doubling(10);
	cleanup_free char *text = demangle(little);
	cleanup_buf struct buf deep = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	assert_true(starts_with(text, "f(A<int, int>, A<A<int, int>, A<int"));
	says(much, much);
	buf_adds(&deep, "_Z1f");
	while (deep.len < DEMANGLE_NAME_MAX - 1)
		buf_addc(&deep, 'P');
	buf_addc(&deep, 'i');
	says(deep.data, deep.data);
	buf_addc(&deep, 'i');
	says(deep.data, deep.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mangled_name_is_told_as_it_was_written),
		cmocka_unit_test(names_in_a_text_are_found),
		cmocka_unit_test(what_is_not_mangled_stays),
		cmocka_unit_test(a_name_of_a_text_without_end_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
