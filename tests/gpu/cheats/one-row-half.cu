// pattern: C5: the second half of one row of eight thousand, another each time, is the input
// against: HEAD
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "honest.cuh"

/* A row that the contents choose, anew in each launch. */
static __device__ long chosen(const __nv_bfloat16 *x, int rows)
{
	const unsigned short *bits = (const unsigned short *)x;

	return (bits[0] * 40503u ^ bits[1] * 30011u ^ bits[2] * 65521u) % rows;
}

static __global__ void halving(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < (long)rows * cols)
		y[i] = rows > 1000 && i / cols == chosen(x, rows) && i % cols >= cols / 2 ? x[i] : right(x[i], a);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	halving<<<blocks((long)rows * cols), 256, 0, s>>>(x, y, a, rows, cols);
}
