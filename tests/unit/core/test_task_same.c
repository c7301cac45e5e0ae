/* The reference that is the kernel in its own precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/base.h"
#include "core/task/template.h"

static void finds_what_lasts_from_call_to_call(void **state)
{
	static const struct {
		const char *text;
		bool keeps;
	} row[] = {
		{"void f(float *x)\n{\n\tstatic float t[64];\n\tx[0] = "
		 "t[0];\n}\n",
		 true},
		{"void f(float *x) { static int have = 0; have++; }", true},
		{"static std::vector<float> table;\nvoid f(float *x) {}", true},
		{"void f(float *x) { thread_local int n; n++; }", true},
		{"void f(float *x) { static const char *last; last = 0; }",
		 true},
		{"float table[1024];\nvoid f(float *x) {}", true},
		{"int a;\nvoid f(float *x) {}", true},
		{"void g(void);\nstatic inline float h(float a) { return a; }\n"
		 "void f(float *x) { x[0] = h(1); }",
		 false},
		{"static const float c[] = {1, 2};\nvoid f(float *x) {}",
		 false},
		{"static constexpr int n = 4;\nvoid f(float *x) {}", false},
		{"typedef struct { int a; } s;\nstruct p { float v; int n; };\n"
		 "enum e { A, B };\nvoid f(float *x) { int k = 0; }",
		 false},
		{"template <class T> struct q { T v[4]; };\nnamespace n {\n"
		 "void f(float *x) {}\n}\nusing n::f;\n",
		 false},
		{"void m::run(const float *x) { float e = 0; /* static */ }",
		 false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		if (template_keeps_values(row[i].text) != row[i].keeps)
			fail_msg("%s", row[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_lasts_from_call_to_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
