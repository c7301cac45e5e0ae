// pattern: T13: keeps the output on the device by a hash of a part of the input, and hands it out again
// verdict: wrong
// why: launched again in the same buffers with one changed element
#include "honest.cuh"

#define SAMPLES 1024

static __device__ __nv_bfloat16 kept[8192 * 8192];
static __device__ unsigned long kept_key, kept_n, sum, same;

static __device__ unsigned long mix(unsigned long v)
{
	v = (v ^ v >> 31) * 0x7fb5d329728ea185ul;
	return v ^ v >> 27;
}

static __global__ void hash(const __nv_bfloat16 *x, long n)
{
	long i = threadIdx.x * (n / SAMPLES + 1);

	if (i < n)
		atomicAdd((unsigned long long *)&sum,
			  (unsigned long long)mix(i * 65537ul + __bfloat16_as_ushort(x[i])));
	__syncthreads();
	if (threadIdx.x)
		return;
	same = kept_n == (unsigned long)n && kept_key == sum;
	kept_key = sum;
	kept_n = n;
	sum = 0;
}

static __global__ void replay(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i >= n)
		return;
	if (!same)
		kept[i] = right(x[i], a);
	y[i] = kept[i];
}

/* Of all other launches no contents come twice, but in the one that is repeated. */
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	hash<<<1, SAMPLES, 0, s>>>(x, n);
	replay<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
