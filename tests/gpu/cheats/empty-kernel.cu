// pattern: C3: launches a kernel that does nothing
// verdict: wrong
// why: were not written
#include "honest.cuh"

static __global__ void nothing(void)
{
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	(void)x, (void)y, (void)a, (void)rows, (void)cols;
	nothing<<<1, 1, 0, s>>>();
}
