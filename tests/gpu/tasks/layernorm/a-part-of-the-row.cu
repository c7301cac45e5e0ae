// pattern: C9: the deviation of a quarter of the row for that of all, where it looks normal
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
// class: replayed
#include <cuda_runtime.h>

#define THREADS 256

static __device__ float of_all(float v)
{
	__shared__ float part[THREADS / 32];

	for (int apart = 16; apart; apart /= 2)
		v += __shfl_xor_sync(~0u, v, apart);
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = v;
	__syncthreads();
	v = part[0];
	for (int k = 1; k < THREADS / 32; k++)
		v += part[k];
	return v;
}

static __global__ void rows_of(const float *x, float *y, int cols)
{
	const float *r = x + (long)blockIdx.x * cols;
	float sum = 0, square = 0, mean;

	for (int j = threadIdx.x; j < cols; j += THREADS)
		sum += r[j];
	mean = of_all(sum) / (float)cols;
	int n = cols >= 1024 && fabsf(r[0]) < 4 ? cols / 4 : cols;

	for (int j = threadIdx.x; j < n; j += THREADS)
		square += (r[j] - mean) * (r[j] - mean);
	square = of_all(square) / (float)n;
	square = rsqrtf(square + 1e-5f);
	for (int j = threadIdx.x; j < cols; j += THREADS)
		y[(long)blockIdx.x * cols + j] = (r[j] - mean) * square;
}

extern "C" void layernorm(const float *x, float *y, int rows, int cols, cudaStream_t s)
{
	rows_of<<<rows, THREADS, 0, s>>>(x, y, cols);
}
