#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/dispatch/join.h"

/* ---- what a source defines ---------------------------------------------------- */

/* Its names by blanks; free() disposes. */
static char *names_of(const char *text, bool is_cxx)
{
	cleanup_scanned struct scanned s = {0};
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	assert_null(scan_source(&s, text, "f", is_cxx));
	for (size_t i = 0; i < s.names.n; i++)
		buf_addf(&b, "%s%s", i ? " " : "", s.names.v[i]);
	return buf_take(&b);
}

static void finds_what_a_file_defines(void **state)
{
	static const char *const sources[][2] = {
		{"int f(int a) { int b; return g(a); }", "f"},
		{"static inline float *f(void) { return 0; }\nint x;", "f x"},
		{"int f(int a);\nextern double exp(double);", ""},
		{"extern const int other[3]; extern int own = 3;", "own"},
		{"static const float t[N] = {f(1), 2}, *p = t, q;", "t p q"},
		{"typedef float v8 __attribute__((vector_size(32)));", "v8"},
		{"struct s { int a, b; }; enum e { A, B = (1, 2), C };",
		 "s e A B C"},
		{"typedef struct { int a; } pair; union u { int a; } v;",
		 "pair u v"},
		{"static struct s f(struct s a) { return a; }", "f"},
		{"#define MAKE(x) int x;\nMAKE(y)\nint f(void) {}", "f"},
		{"__attribute__((noinline)) static void f(void) {}", "f"},
		{"_Static_assert(1, \"{\"); /* int c; */ // int d;\n", ""},
		{"typedef void (*call)(int);", "call"},
		{"static float (*a)[4], (*b)(int);", "a b"},
		{"t (*const c[2])(int) = {f}, d; extern int (*e)(int);", "c d"},
		{"static int a = 1 + sizeof(int);", "a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		cleanup_free char *got = names_of(sources[i][0], false);

		assert_string_equal(got, sources[i][1]);
	}
}

static void a_namespace_keeps_all_but_c_linkage(void **state)
{
	static const char *const sources[][2] = {
		{"template <typename T, int N> static T g(T a) { return a; }",
		 ""},
		{"extern \"C\" void f(int a) {} int x;", "f"},
		{"extern \"C\" { int y; void f(int a) {} } int x;", "y f"},
		{"namespace n { int f() { return 1; } }", ""},
		{"struct s { s() : a(1) {} int a; }; __global__ void k() {}",
		 ""},
		{"extern \"C\" __global__ void __launch_bounds__(64) k() {}",
		 "k"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		cleanup_free char *got = names_of(sources[i][0], true);

		assert_string_equal(got, sources[i][1]);
	}
}

static void brackets_must_match(void **state)
{
	static const char *const bad[] = {
		"int f(int a) {",
		"#if A\nint f(int a) {\n#else\nint f(int b) {\n#endif\n}",
		"int x[3;", "int f(", "enum { A"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_scanned struct scanned s = {0};
		cleanup_error struct error *err =
			scan_source(&s, bad[i], "f", false);

		assert_non_null(err);
	}
}

static void finds_the_parameters_of_the_entry(void **state)
{
	static const char *const sources[][2] = {
		{"void f(void) {}", ""},
		{"void f() {}", ""},
		{"void f(/* nothing */) {}", ""},
		{"void f(const float *x, // [m, k]\n float *y /* (out) */, int "
		 "n) {}",
		 "x y n"},
		{"void f(const float x[static 4], int n) {}", "x n"},
		{"void f(int (*call)(int), int n) {}", "none"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		cleanup_scanned struct scanned s = {0};
		cleanup_strvec struct strvec names = STRVEC_INIT;
		cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

		assert_null(scan_source(&s, sources[i][0], "f", false));
		if (!join_parameters(&names, &s))
			strvec_push(&names, "none");
		for (size_t k = 0; k < names.n; k++)
			buf_addf(&b, "%s%s", k ? " " : "", names.v[k]);
		assert_string_equal(b.data ? b.data : "", sources[i][1]);
	}
}

static void headers_of_the_project_are_asked_for_alike(void **state)
{
	static const struct {
		const char *a, *b;
		bool agree;
	} table[] = {
		{"#define T 8\n#include \"t.h\"\n",
		 "#define T 4\n#include \"t.h\"\n", false},
		{"#define T 8\n#include \"t.h\"\n",
		 "#define T 8\n#include \"t.h\"\n#define U 1\n", true},
		{"#include \"t.h\"\n#define T 8\n",
		 "#include \"t.h\"\n#define T 4\n", true},
		{"#include \"t.h\"\n", "", false},
		{"#include <math.h>\n", "#define T 1\n#include <stdio.h>\n",
		 true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_scanned struct scanned a = {0}, b = {0};

		assert_null(scan_source(&a, table[i].a, "f", false));
		assert_null(scan_source(&b, table[i].b, "f", false));
		assert_int_equal(join_includes_agree(&a, &b), table[i].agree);
		assert_int_equal(join_includes_agree(&b, &a), table[i].agree);
	}
}

/* ---- which point where ---------------------------------------------------------- */

static void a_tree_takes_the_fastest_point_of_each_case(void **state)
{
	/* (m, n) by case; the second point is faster where one of both is
	 * large, the third where both are. */
	static const int64_t value[] = {64, 64, 64, 4096, 4096, 64, 4096, 4096};
	static const double seconds[] = {1, 2, 3, 2, 1, 3, 3, 1, 3, 3, 3, 1};
	static const double weight[] = {1, 1, 1, 1};
	static const size_t best[] = {0, 1, 1, 2};
	const struct split_table t = {4, 2, 3, value, seconds, weight};
	cleanup_free struct split *tree = NULL;
	size_t n;

	(void)state;
	tree = split_make(&n, &t);
	for (size_t c = 0; c < t.n_cases; c++)
		assert_int_equal(split_point(tree, value + 2 * c), best[c]);
	/* Between the sizes, by factors: 512 is in the middle. */
	assert_int_equal(split_point(tree, (int64_t[]){512, 512}), 0);
	assert_int_equal(split_point(tree, (int64_t[]){513, 513}), 2);
	assert_true(n <= 7);
}

static void a_tree_compares_only_what_pays(void **state)
{
	static const int64_t value[] = {-5, 0, 7};
	static const double seconds[] = {1, 1.005, 1.005, 1, 1, 1.005};
	static const double weight[] = {1, 1, 1};
	const struct split_table same = {3, 1, 2, value, seconds, weight};
	/* Nothing is handed over. */
	const struct split_table blind = {3, 0, 2, value, seconds, weight};
	cleanup_free struct split *tree = NULL, *none = NULL;
	size_t n;

	(void)state;
	tree = split_make(&n, &same);
	assert_int_equal(n, 1);
	assert_int_equal(tree[0].point, 0);
	none = split_make(&n, &blind);
	assert_int_equal(n, 1);
}

/* ---- the text ---------------------------------------------------------------------- */

static void write(struct buf *out, const char *const *text, bool is_cxx)
{
	struct join_point point[2] = {{.label = "#1"}, {.label = "#2"}};
	const struct split tree[] = {
		{.value = 0, .most = 64, .below = 1, .above = 2},
		{.is_leaf = true, .point = 1},
		{.is_leaf = true, .point = 0},
	};
	cleanup_strvec struct strvec parameters = STRVEC_INIT;
	cleanup_strvec struct strvec values = STRVEC_INIT;
	const struct join j = {"f", is_cxx, point, 2, tree, &values};

	strvec_push(&values, "n");
	for (size_t i = 0; i < 2; i++) {
		point[i].text = text[i];
		assert_null(
			scan_source(&point[i].scanned, text[i], "f", is_cxx));
		assert_true(point[i].scanned.has_entry);
	}
	assert_true(join_parameters(&parameters, &point[1].scanned));
	join_write(out, &j, &parameters);
	for (size_t i = 0; i < 2; i++)
		scanned_release(&point[i].scanned);
}

static void tells_names_of_points_apart(void **state)
{
	static const char *const text[] = {
		"#include <math.h>\n#define T 1\n"
		"static int g(int n) { return n + T; }\n"
		"int f(const float x[], int n) { return g(n); }\n",
		"#include <math.h>\n#define T 2\n"
		"int f(const float x[], int n) { return n * T; }\n"};
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	write(&out, text, false);
	assert_string_equal(out.data,
			    "#include <math.h>\n#undef T\n\n"
			    "/* ---- point 1: #1 ---- */\n\n"
			    "#define g g_point1\n#define f f_point1\n"
			    "\n#define T 1\n"
			    "static int g(int n) { return n + T; }\n"
			    "int f(const float x[], int n) { return g(n); }\n"
			    "#undef g\n#undef f\n#undef T\n\n"
			    "/* ---- point 2: #2 ---- */\n\n"
			    "#define f f_point2\n"
			    "\n#define T 2\n"
			    "int f(const float x[], int n) { return n * T; }\n"
			    "#undef f\n\n"
			    "/* ---- which of them ---- */\n\n"
			    "int f(const float x[], int n)\n{\n"
			    "\tif (n <= 64) {\n\t\treturn f_point2(x, n);\n"
			    "\t} else {\n\t\treturn f_point1(x, n);\n\t}\n}\n");
}

static void puts_points_of_cuda_in_namespaces(void **state)
{
	static const char *const text[] = {
		"#ifdef A\n#include <cuda_fp16.h>\n#endif\n"
		"template <int N> static __global__ void k(float *x) {}\n"
		"extern \"C\" void f(float *x, int n, cudaStream_t s)\n"
		"{ k<1><<<n, 64, 0, s>>>(x); }\n",
		"extern \"C\" {\n"
		"void f(float *x, int n, cudaStream_t s) { }\n}\n"};
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	write(&out, text, true);
	assert_true(starts_with(out.data, "#ifdef A\n#include <cuda_fp16.h>\n"
					  "#endif\n\n/*"));
	assert_non_null(strstr(out.data, "#define f f_point1\n"
					 "namespace point1 {\n"
					 "#ifdef A\n\n#endif\ntemplate"));
	assert_non_null(strstr(
		out.data,
		"extern \"C\" void f(float *x, int n, cudaStream_t s)\n{\n"
		"\tif (n <= 64) {\n\t\tpoint2::f_point2(x, n, s);\n"));
	assert_null(strstr(out.data, "using namespace"));
}

/* Outside of the namespace, or the linker would know it by another name. */
static void an_entry_of_cxx_sees_the_types_of_a_point(void **state)
{
	static const char *const text[] = {
		"struct s { int n; };\nint f(const s *a, int n) { return n; "
		"}\n",
		"struct s { int n; };\nint f(const s *a, int n) { return 2; "
		"}\n",
	};
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	write(&out, text, true);
	assert_non_null(strstr(
		out.data, "}\nusing namespace point2;\n\n"
			  "int f(const s *a, int n)\n{\n"
			  "\tif (n <= 64) {\n\t\treturn point2::f(a, n);"));
}

static void writes_c_linkage_where_it_can_be_said(void **state)
{
	static const char block[] =
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
		"void f(int n) {}\n"
		"#ifdef __cplusplus\n}\n#endif\n";
	static const char word[] = "#ifdef __cplusplus\nextern \"C\"\n#endif\n"
				   "void f(int n) {}\n";
	static const char *const blocks[] = {block, block};
	static const char *const words[] = {word, word};

	(void)state;
	for (int i = 0; i < 4; i++) {
		cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
		const char *entry;

		write(&out, i < 2 ? blocks : words, i % 2);
		entry = strstr(out.data, "/* ---- which of them ---- */\n\n");
		assert_non_null(entry);
		entry = strstr(entry, "\n\n") + 2;
		assert_true(
			starts_with(entry, i % 2 ? "extern \"C\" void f(int n)"
						 : "void f(int n)"));
	}
}

static void options_of_a_point_end_with_it(void **state)
{
	static const char *const text[] = {
		"#pragma GCC optimize(\"O1\")\n#include <math.h>\n"
		"void f(int n) {}\n",
		"#include <math.h>\nvoid f(int n) {}\n"};
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	write(&out, text, false);
	assert_string_equal(
		out.data, "#pragma GCC push_options\n"
			  "#pragma GCC optimize(\"O1\")\n#include <math.h>\n"
			  "#pragma GCC pop_options\n#include <math.h>\n\n"
			  "/* ---- point 1: #1 ---- */\n\n"
			  "#pragma GCC push_options\n#define f f_point1\n"
			  "#pragma GCC optimize(\"O1\")\n\n"
			  "void f(int n) {}\n"
			  "#pragma GCC pop_options\n#undef f\n\n"
			  "/* ---- point 2: #2 ---- */\n\n"
			  "#define f f_point2\n\nvoid f(int n) {}\n#undef f\n\n"
			  "/* ---- which of them ---- */\n\n"
			  "void f(int n)\n{\n"
			  "\tif (n <= 64) {\n\t\tf_point2(n);\n"
			  "\t} else {\n\t\tf_point1(n);\n\t}\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_a_file_defines),
		cmocka_unit_test(a_namespace_keeps_all_but_c_linkage),
		cmocka_unit_test(brackets_must_match),
		cmocka_unit_test(finds_the_parameters_of_the_entry),
		cmocka_unit_test(headers_of_the_project_are_asked_for_alike),
		cmocka_unit_test(a_tree_takes_the_fastest_point_of_each_case),
		cmocka_unit_test(a_tree_compares_only_what_pays),
		cmocka_unit_test(tells_names_of_points_apart),
		cmocka_unit_test(puts_points_of_cuda_in_namespaces),
		cmocka_unit_test(an_entry_of_cxx_sees_the_types_of_a_point),
		cmocka_unit_test(writes_c_linkage_where_it_can_be_said),
		cmocka_unit_test(options_of_a_point_end_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
