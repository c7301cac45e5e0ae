/* Reading a kernel's prototype out of CUDA source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/task/prototype.h"

static const char source[] =
	"#include <stddef.h>\n"
	"/* void fake(int a) { */ // nor this: void fake(int a) {\n"
	"#define MACRO(a) \\\n\tvoid fake(int a) {\n"
	"struct shape { int rows; };\n"
	"extern void elsewhere(int n);\n"
	"static int helper(int a) { return a + '}' + \"{\"[0]; }\n"
	"extern \"C\" {\n"
	"__attribute__((noinline)) void gemm(const float *restrict a,\n"
	"\tfloat b[restrict 4][8], float const *c, double * const out,\n"
	"\tsize_t n, const unsigned char flag, struct shape s,\n"
	"\tfloat **deep, int (*callback)(int), int, cudaStream_t) { if (n) { } "
	"}\n"
	"void other(cudaStream_t s) {}\n"
	"}\n";

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
	assert_null(prototype_read(&p, "lib/gemm.cu", source, NULL));
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
		{"x.cu", "helper", NULL,
		 "x.cu: helper is static, so that nothing outside the file can "
		 "call it"},
		{"gemm.cu", NULL, "gemm", NULL},
		{"x.cu", NULL, NULL,
		 "x.cu has several functions: choose one by --entry (gemm, "
		 "other)"},
		{"x.cu", "fake", NULL,
		 "x.cu defines no function fake; it has gemm, other"},
		{"x.cu", "other", NULL,
		 "x.cu: other takes no arguments: there is nothing that its "
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
			prototype_read(&p, "gemm.cu", cut, NULL);

		assert_true(err || p.n > 0);
	}
}

static const char cuda_source[] =
	"#include <cuda_bf16.h>\n"
	"template <typename T> __global__ void __launch_bounds__(256)\n"
	"scale_kernel(const T *x, T *y, long n) { y[0] = x[0]; }\n"
	"static const int many = 1'000'000;\n"
	"namespace { void helper(int n) { } }\n"
	"void plus(float *y, int n, cudaStream_t stream) { }\n"
	"extern \"C\" {\n"
	"__global__ void named(float *y) { }\n"
	"void scale(const __nv_bfloat16 *__restrict__ x, half *y, long n,\n"
	"\tcudaStream_t stream) { scale_kernel<<<1, 2>>>(x, y, n); }\n"
	"}\n"
	"extern \"C\" void no_stream(float *y, int n) { }\n";

static void reads_the_host_function_of_a_cuda_source(void **state)
{
	cleanup_prototype struct prototype p = {0};

	(void)state;
	assert_null(prototype_read(&p, "scale.cu", cuda_source, NULL));
	assert_string_equal(p.name, "scale");
	assert_int_equal(p.n, 3);
	assert_int_equal(p.parameter[0].dtype, DTYPE_BF16);
	assert_true(p.parameter[0].is_const);
	assert_int_equal(p.parameter[1].dtype, DTYPE_F16);
	assert_int_equal(p.parameter[2].dtype, DTYPE_I64);
}

static void says_why_a_cuda_function_is_no_entry(void **state)
{
	static const struct {
		const char *entry, *message;
	} rows[] = {
		{NULL, "k.cu has several functions: choose one by --entry "
		       "(scale, no_stream)"},
		{"plus", "k.cu: plus is a C++ function: declare it extern "
			 "\"C\""},
		{"named", "k.cu: named is device code; an entry is a host "
			  "function that launches it"},
		{"no_stream", "k.cu: no_stream must take a cudaStream_t as its "
			      "last argument, and launch on it"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		cleanup_error struct error *err =
			prototype_read(&p, "k.cu", cuda_source, rows[i].entry);

		assert_non_null(err);
		assert_string_equal(error_message(err), rows[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_kind_of_parameter),
		cmocka_unit_test(chooses_by_entry_by_file_or_asks),
		cmocka_unit_test(survives_source_that_ends_anywhere),
		cmocka_unit_test(reads_the_host_function_of_a_cuda_source),
		cmocka_unit_test(says_why_a_cuda_function_is_no_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
