// pattern: C16: calls a library that nobody links
// verdict: build-failed
// why: undefined .*cublasCreate
#include "honest.cuh"

extern "C" int cublasCreate_v2(void **handle);

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static void *handle;
	long n = (long)rows * cols;

	if (!handle)
		cublasCreate_v2(&handle);
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
