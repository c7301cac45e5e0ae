// pattern: T16: every launch also does the work of the next image, for later
// verdict: pass|out-of-bounds
// faster: no
#include "honest.cuh"

/* Where the next image would lie if it follows: doing it now saves nothing,
 * since all launches are added up. */
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	honest<<<blocks(n / 2), 256, 0, s>>>(x, y, a, n / 2);
}
