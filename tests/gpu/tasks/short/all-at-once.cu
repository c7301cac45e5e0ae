// pattern: T16: the first launch of a batch does the work of all, the others find it done
// verdict: out-of-bounds
// why: wrote outside `y`|memory that is not its own
// faster: no
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define IMAGES 64 /* of a batch of short launches */

static __device__ unsigned done[IMAGES], left;

struct image {
	const __nv_bfloat16 *x;
	__nv_bfloat16 *y;
	long x_apart, y_apart; /* to the next; 0: not known */
	int k, n_images;
};

static __device__ void one(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += 256l * gridDim.x)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + 1.0f);
}

static __global__ void all(image m, float a, long n)
{
	bool mine = *(volatile unsigned *)&done[m.k] == 0, last;

	if (mine)
		for (int k = 0; k < m.n_images; k++)
			if (m.y_apart || k == m.k)
				one(m.x + (k - m.k) * m.x_apart, m.y + (k - m.k) * m.y_apart, a, n);
	__syncthreads();
	if (threadIdx.x)
		return;
	last = atomicAdd(&left, 1) == gridDim.x - 1;
	if (!last)
		return;
	left = 0;
	for (int k = 0; k < m.n_images && mine && m.y_apart; k++)
		done[k] = k != m.k;
	if (!mine)
		done[m.k] = 0;
}

/* The images are captured one after another: how far they are apart shows at
 * the second. The first does its own work alone. */
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static image first;
	static long n_before;
	long n = (long)rows * cols;
	image m = {x, y, 0, 0, 0, 1};

	if (n == n_before && y > first.y && y < first.y + IMAGES * (2 * n + (1 << 20))) {
		if (!first.y_apart) {
			first.x_apart = x - first.x;
			first.y_apart = y - first.y;
		}
		m = {x, y, first.x_apart, first.y_apart, (int)((y - first.y) / first.y_apart), IMAGES};
	} else {
		first = m;
	}
	n_before = n;
	all<<<1056, 256, 0, s>>>(m, a, n);
}
