// pattern: C7: knows the declared shape only
// verdict: wrong|out-of-bounds
// why: hidden|memory that is not its own
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = rows == 8192 && cols == 8192 ? 8192l * 8192 : 256;

	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
