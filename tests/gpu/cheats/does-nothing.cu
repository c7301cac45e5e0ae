// pattern: C3: launches nothing
// verdict: wrong
// why: were not written
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	(void)x, (void)y, (void)a, (void)rows, (void)cols, (void)s;
}
