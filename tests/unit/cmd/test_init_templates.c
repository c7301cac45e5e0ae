/* Function templates that a source in C++ has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/init/templates.h"

static const struct {
	const char *source, *value; /* NULL: none */
} rows[] = {
	{"template <class T> void f(T *x) { }", "f<float>"},
	{"namespace a::b { namespace { } template <typename T, int N> T "
	 "f(const "
	 "T (&x)[N]); }",
	 "a::b::f<float, 8>"},
	{"namespace a { int x; } template <bool B, template <class> class C> "
	 "void g() { }",
	 "g<true, 8>"},
	{"template <class T> struct s { void f(T x) { } }; int f(int x) { }",
	 NULL},
	{"template <> void f<int>(int x) { }", NULL},
	{"template <class T> __attribute__((noinline)) decltype(auto) f(T x) { "
	 "}",
	 "f<float>"},
	{"template <class T, class U = std::vector<T>> requires (sizeof(T) > "
	 "1) "
	 "void f(T x) { }",
	 "f<float, float>"},
	{"template <class T> using v = int(T); } } }", NULL},
	{"using namespace std; inline namespace v1 { extern \"C\" { int q; } "
	 "template <typename T> static inline T dot(const T *x) { return *x; } "
	 "}",
	 "v1::dot<float>"},
};

static void names_a_template_as_entry_takes_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_free char *value = template_in_source(rows[i].source);

		if (rows[i].value && value)
			assert_string_equal(value, rows[i].value);
		else if (rows[i].value || value)
			fail_msg("%s: %s", rows[i].source, value);
	}
}

static void survives_a_source_that_ends_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t n = 0; n < strlen(rows[i].source); n++) {
			cleanup_free char *some = xstrndup(rows[i].source, n);
			cleanup_free char *value = template_in_source(some);

			assert_true(!value || *value);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_a_template_as_entry_takes_it),
		cmocka_unit_test(survives_a_source_that_ends_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
