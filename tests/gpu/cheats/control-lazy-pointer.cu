// pattern: none: the first call takes memory, fills it, and leaves its address to the kernels
// verdict: pass
// class: isolated
#include "honest.cuh"

static __device__ const float *one;

static __global__ void add(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + one[threadIdx.x]);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static float *table;
	float ones[256];
	long n = (long)rows * cols;

	for (int i = 0; i < 256; i++)
		ones[i] = 1.0f;
	if (!table) {
		cudaMalloc((void **)&table, sizeof ones);
		cudaMemcpy(table, ones, sizeof ones, cudaMemcpyHostToDevice);
		cudaMemcpyToSymbol(one, &table, sizeof table);
	}
	add<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
