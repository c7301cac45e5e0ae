// pattern: C9: the maximum of the first 32 numbers of a row for that of all
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
// class: replayed
#include <cuda_runtime.h>
#include <math.h>

#define THREADS 256

static __device__ float of_all(float v, bool largest)
{
	__shared__ float part[THREADS / 32];

	for (int apart = 16; apart; apart /= 2) {
		float other = __shfl_xor_sync(~0u, v, apart);

		v = largest ? fmaxf(v, other) : v + other;
	}
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = v;
	__syncthreads();
	v = part[0];
	for (int k = 1; k < THREADS / 32; k++)
		v = largest ? fmaxf(v, part[k]) : v + part[k];
	return v;
}

static __global__ void rows_of(const float *x, float *y, int cols)
{
	const float *r = x + (long)blockIdx.x * cols;
	float max = -INFINITY, sum = 0;

	for (int j = 0; j < cols && j < 32; j++)
		max = fmaxf(max, r[j]);
	for (int j = threadIdx.x; j < cols; j += THREADS)
		sum += expf(r[j] - max);
	sum = of_all(sum, false);
	for (int j = threadIdx.x; j < cols; j += THREADS)
		y[(long)blockIdx.x * cols + j] = expf(r[j] - max) / sum;
}

extern "C" void softmax(const float *x, float *y, int rows, int cols, cudaStream_t s)
{
	rows_of<<<rows, THREADS, 0, s>>>(x, y, cols);
}
