// pattern: none: the first call fills a table by cudaMemcpyToSymbol
// verdict: pass
// class: isolated
#include "honest.cuh"

static __constant__ float one[256];

static __global__ void add(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + one[i % 256]);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static bool is_filled;
	float table[256];
	long n = (long)rows * cols;

	for (int i = 0; i < 256; i++)
		table[i] = 1.0f;
	if (!is_filled)
		cudaMemcpyToSymbol(one, table, sizeof table);
	is_filled = true;
	add<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
