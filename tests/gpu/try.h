// What the programs beside this share: contents, checks by rows, times.
#ifndef TRY_H
#define TRY_H

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef __nv_bfloat16 bf16;

#define MUST(call) must(call, #call)

static inline void must(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	printf("%s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

static __global__ void fill_kernel(bf16 *x, long n, uint64_t seed)
{
	long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
	uint64_t h = (i + seed) * 0x9e3779b97f4a7c15u;
	float sum = 0;

	if (i >= n)
		return;
	h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9u;
	h ^= h >> 29;
	for (int k = 0; k < 4; k++)
		sum += (float)(h >> 16 * k & 0xffff) / 65536 - 0.5f;
	x[i] = __float2bfloat16(sum * 1.7320508f);
}

// About normal, mean 0, variance 1.
static inline void fill(bf16 *x, long n, uint64_t seed)
{
	fill_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, n, seed);
	MUST(cudaGetLastError());
}

// Numbers, then a page of others, which nothing may write; all are NaN first.
#define GUARD 4096

static inline bf16 *make(long n)
{
	bf16 *x;

	MUST(cudaMalloc(&x, (size_t)(n + GUARD) * sizeof *x));
	MUST(cudaMemset(x, 0xff, (size_t)(n + GUARD) * sizeof *x));
	return x;
}

static inline bool guard_holds(const bf16 *x, long n)
{
	static unsigned char page[GUARD * sizeof(bf16)];

	MUST(cudaMemcpy(page, x + n, sizeof page, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < sizeof page; i++)
		if (page[i] != 0xff)
			return false;
	return true;
}

// The largest error of rows [begin, end), in units of bf16's rounding of the
// larger of the right number and `size`.
static inline float worst(const bf16 *got, const float *right, long cols,
			  long begin, long end, float size)
{
	size_t n = (size_t)((end - begin) * cols);
	bf16 *x = (bf16 *)malloc(n * sizeof *x);
	float *y = (float *)malloc(n * sizeof *y), most = 0;

	MUST(cudaMemcpy(x, got + begin * cols, n * sizeof *x,
			cudaMemcpyDeviceToHost));
	MUST(cudaMemcpy(y, right, n * sizeof *y, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < n; i++) {
		float off = fabsf(__bfloat162float(x[i]) - y[i]) /
			    fmaxf(fabsf(y[i]), size) * 256;

		if (!(off <= most))
			most = isnan(off) ? INFINITY : off;
	}
	free(x);
	free(y);
	return most;
}

struct watch {
	cudaStream_t stream;
	cudaEvent_t begin, end;
};

static inline struct watch watch_make(void)
{
	struct watch w;

	MUST(cudaStreamCreateWithFlags(&w.stream, cudaStreamNonBlocking));
	MUST(cudaEventCreate(&w.begin));
	MUST(cudaEventCreate(&w.end));
	return w;
}

// Seconds a launch: as many as take about `seconds`, two at least.
template <typename F>
static double time_of(struct watch *w, double seconds, F f)
{
	float ms = 0;

	for (int n = 1;;
	     n = ms > 0 ? (int)(n * 1000 * seconds / ms) + 1 : 2 * n) {
		n = n > 2000 ? 2000 : n;
		MUST(cudaEventRecord(w->begin, w->stream));
		for (int i = 0; i < n; i++)
			f(i);
		MUST(cudaEventRecord(w->end, w->stream));
		MUST(cudaStreamSynchronize(w->stream));
		MUST(cudaEventElapsedTime(&ms, w->begin, w->end));
		if (n == 2000 || (n > 1 && ms > 700 * seconds) ||
		    ms > 5000 * seconds)
			return ms / 1e3 / n;
	}
}

#endif
