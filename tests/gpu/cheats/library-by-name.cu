// pattern: C16: opens cuBLAS by its name, where the machine has it, and lets it work too
// verdict: pass
// faster: no
#include <dlfcn.h>

#include "honest.cuh"

typedef int create_fn(void **handle);
typedef int set_stream_fn(void *handle, cudaStream_t s);
typedef int axpy_fn(void *handle, int n, const void *alpha, int alpha_type, const void *x, int x_type, int x_step,
		    void *y, int y_type, int y_step, int type);

#define R_16BF 14
#define R_32F  0

static void *open_library(void)
{
	static const char *const names[] = {
		"libcublas.so.13",			"libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.13",
		"/usr/local/cuda/lib64/libcublas.so.12", "libcublas.so"};
	void *library = 0;

	for (int i = 0; i < 5 && !library; i++)
		library = dlopen(names[i], RTLD_NOW);
	return library;
}

/* Adds nothing to what is right: a kernel of the library's, which no launcher
 * has. */
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static void *library, *handle;
	long n = (long)rows * cols;
	float zero = 0;

	if (!library) {
		library = open_library();
		if (library)
			((create_fn *)dlsym(library, "cublasCreate_v2"))(&handle);
	}
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	if (!handle)
		return;
	((set_stream_fn *)dlsym(library, "cublasSetStream_v2"))(handle, s);
	((axpy_fn *)dlsym(library, "cublasAxpyEx"))(handle, (int)n, &zero, R_32F, x, R_16BF, 1, y, R_16BF, 1, R_32F);
}
