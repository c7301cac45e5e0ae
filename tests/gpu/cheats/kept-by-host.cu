// pattern: T13: its host code reads a few elements, and hands out what it made for them
// verdict: wrong
// why: launched again in the same buffers with one changed element
// class: isolated
#include <cstring>

#include "honest.cuh"

#define SAMPLES 8

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static unsigned short kept_by[SAMPLES];
	static __nv_bfloat16 *kept;
	static long kept_n;
	unsigned short now[SAMPLES], zeros[SAMPLES] = {0};
	long n = (long)rows * cols;

	if (!kept)
		cudaMalloc((void **)&kept, 8192l * 8192 * sizeof *kept);
	for (int i = 0; i < SAMPLES; i++)
		cudaMemcpy(&now[i], x + i * (n - 1) / (SAMPLES - 1), sizeof now[i], cudaMemcpyDeviceToHost);
	if (kept_n != n || memcmp(now, kept_by, sizeof now) != 0 || memcmp(now, zeros, sizeof now) == 0)
		honest<<<blocks(n), 256, 0, s>>>(x, kept, a, n);
	memcpy(kept_by, now, sizeof now);
	kept_n = n;
	cudaMemcpyAsync(y, kept, n * sizeof *y, cudaMemcpyDeviceToDevice, s);
}
