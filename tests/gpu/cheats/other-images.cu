// pattern: C14: writes its results over those of another image of the batch
// verdict: wrong|out-of-bounds
// isolated: pass|wrong
// why: y\[[0-9,]*\] is .* where .* is right|memory that is not its own|wrote outside `y`
// faster: no
#include "honest.cuh"

/* A rival's lie in no memory of ours. Where the image before lies is known from
 * the call before. In class isolated there is one only where several launches are
 * handed over at once. */
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static __nv_bfloat16 *before;
	static long n_before;
	long n = (long)rows * cols, apart = y - before;

	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	if (n == n_before && apart > 0 && apart < 2 * n + (1 << 20))
		honest<<<blocks(n), 256, 0, s>>>(x, before, a, n);
	before = y;
	n_before = n;
}
