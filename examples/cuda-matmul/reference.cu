// What is right, in double; and the same plainly, in float: for rows [begin,
// end) of C, since the whole of a large product takes too long. A warp an
// element.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

typedef __nv_bfloat16 bf16;

#define WARPS	8
#define AT_ONCE 32768 // rows in a launch: the second dimension of a grid ends

template <typename T, typename Out>
static __global__ void rows_of(const bf16 *a, const bf16 *b, Out *c, int n,
			       int k, long begin)
{
	long i = begin + blockIdx.y;
	int j = blockIdx.x * WARPS + threadIdx.x / 32;
	T sum = 0;

	if (j >= n)
		return;
	for (int p = threadIdx.x % 32; p < k; p += 32)
		sum += (T)__bfloat162float(a[i * k + p]) *
		       (T)__bfloat162float(b[(long)j * k + p]);
	for (int lanes = 16; lanes; lanes /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, lanes);
	if (threadIdx.x % 32 == 0)
		c[i * n + j] = (Out)sum;
}

template <typename T, typename Out>
static void all_rows(const bf16 *a, const bf16 *b, Out *c, int n, int k,
		     long begin, long end, cudaStream_t stream)
{
	unsigned wide = (unsigned)((n + WARPS - 1) / WARPS);

	for (; begin < end; begin += AT_ONCE) {
		long rows = end - begin < AT_ONCE ? end - begin : AT_ONCE;

		rows_of<T>
			<<<dim3(wide, (unsigned)rows), 32 * WARPS, 0, stream>>>(
				a, b, c, n, k, begin);
	}
}

extern "C" void matmul_reference(const bf16 *a, const bf16 *b, double *c, int m,
				 int n, int k, long begin, long end,
				 cudaStream_t stream)
{
	(void)m;
	all_rows<double>(a, b, c, n, k, begin, end, stream);
}

extern "C" void matmul_plain(const bf16 *a, const bf16 *b, bf16 *c, int m,
			     int n, int k, long begin, long end,
			     cudaStream_t stream)
{
	(void)m;
	all_rows<float>(a, b, c, n, k, begin, end, stream);
}
