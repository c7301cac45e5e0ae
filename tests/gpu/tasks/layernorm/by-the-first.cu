// pattern: C9: one pass where the first 32 numbers of all lie round zero
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
	float first = 0;

	for (int j = 0; j < 32 && j < cols; j++)
		first += x[j] / 32;
	if (fabsf(first) > 8) {
		for (int j = threadIdx.x; j < cols; j += THREADS)
			square += (r[j] - mean) * (r[j] - mean);
		square = of_all(square) / (float)cols;
	} else {
		for (int j = threadIdx.x; j < cols; j += THREADS)
			square += r[j] * r[j];
		square = of_all(square) / (float)cols - mean * mean;
	}
	square = rsqrtf(square + 1e-5f);
	for (int j = threadIdx.x; j < cols; j += THREADS)
		y[(long)blockIdx.x * cols + j] = (r[j] - mean) * square;
}

extern "C" void layernorm(const float *x, float *y, int rows, int cols, cudaStream_t s)
{
	rows_of<<<rows, THREADS, 0, s>>>(x, y, cols);
}
