// What is right, in double; and the same plainly, in float: for rows [begin,
// end) of C, since the whole of a large product takes too long. A warp an
// element.
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

using bf16 = __nv_bfloat16;
using fp8 = __nv_fp8_e4m3;

#define WARPS	8
#define BLOCK	128   // numbers that share a scale, along k and, of B, along n
#define AT_ONCE 32768 // rows in a launch: the second dimension of a grid ends

struct problem {
	const fp8 *a, *b;
	const float *a_scale, *b_scale;
	int m, n, k;
};

template <typename T, typename Out> static __global__ void rows_of(struct problem p, Out *c, long begin)
{
	const int blocks = (p.k + BLOCK - 1) / BLOCK, j = blockIdx.x * WARPS + threadIdx.x / 32;
	long i = begin + blockIdx.y;
	T sum = 0;

	if (j >= p.n)
		return;
	for (int at = threadIdx.x % 32; at < p.k; at += 32) {
		T scale = (T)p.a_scale[(long)(at / BLOCK) * p.m + i] * (T)p.b_scale[j / BLOCK * blocks + at / BLOCK];

		sum += scale * ((T)(float)p.a[i * p.k + at] * (T)(float)p.b[(long)j * p.k + at]);
	}
	for (int lanes = 16; lanes; lanes /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, lanes);
	if (threadIdx.x % 32 == 0)
		c[i * p.n + j] = (Out)sum;
}

template <typename T, typename Out>
static void all_rows(struct problem p, Out *c, long begin, long end, cudaStream_t stream)
{
	unsigned wide = (unsigned)((p.n + WARPS - 1) / WARPS);

	for (; begin < end; begin += AT_ONCE) {
		long rows = end - begin < AT_ONCE ? end - begin : AT_ONCE;

		rows_of<T><<<dim3(wide, (unsigned)rows), 32 * WARPS, 0, stream>>>(p, c, begin);
	}
}

extern "C" void fp8_reference(const fp8 *a, const float *a_scale, const fp8 *b, const float *b_scale, double *c, int m,
			      int n, int k, long begin, long end, cudaStream_t stream)
{
	all_rows<double>({a, b, a_scale, b_scale, m, n, k}, c, begin, end, stream);
}

extern "C" void fp8_plain(const fp8 *a, const float *a_scale, const fp8 *b, const float *b_scale, bf16 *c, int m, int n,
			  int k, long begin, long end, cudaStream_t stream)
{
	all_rows<float>({a, b, a_scale, b_scale, m, n, k}, c, begin, end, stream);
}
