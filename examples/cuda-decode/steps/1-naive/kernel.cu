#include <cuda_bf16.h>
#include <cuda_runtime.h>

typedef __nv_bfloat16 bf16;

#define D     128
#define PAGE  64
#define WARPS 8

struct cache {
	const bf16 *k, *v;
	const int *pages, *lengths;
	int heads, kv_heads, most_pages;
};

// Four numbers of a lane, as floats.
static __device__ float4 four(const bf16 *from)
{
	uint2 w = *(const uint2 *)from;

	return make_float4(__uint_as_float(w.x << 16), __uint_as_float(w.x & 0xffff0000), __uint_as_float(w.y << 16),
			   __uint_as_float(w.y & 0xffff0000));
}

// A block a query. Each of its warps takes every eighth token and keeps the
// softmax as it goes along; a lane has four numbers of the head.
static __global__ void __launch_bounds__(32 * WARPS) decode_kernel(const bf16 *q, struct cache c, bf16 *o)
{
	__shared__ float sums[WARPS][D], largest[WARPS], totals[WARPS];
	const int row = blockIdx.y, head = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	const int shared = head / (c.heads / c.kv_heads), length = c.lengths[row];
	const float4 x = four(q + ((long)row * c.heads + head) * D + 4 * lane);
	float most = -INFINITY, total = 0, all = 0, sum[4] = {};

	for (int token = warp; token < length; token += WARPS) {
		long page = c.pages[(long)row * c.most_pages + token / PAGE];
		long at = ((page * PAGE + token % PAGE) * c.kv_heads + shared) * D + 4 * lane;
		float4 k = four(c.k + at), v = four(c.v + at);
		float s = x.x * k.x + x.y * k.y + x.z * k.z + x.w * k.w, more, old, w;

		for (int lanes = 16; lanes; lanes /= 2)
			s += __shfl_xor_sync(0xffffffff, s, lanes);
		s *= 0.08838834764831844055f;
		more = fmaxf(most, s);
		old = expf(most - more);
		w = expf(s - more);
		most = more;
		total = total * old + w;
		sum[0] = sum[0] * old + w * v.x;
		sum[1] = sum[1] * old + w * v.y;
		sum[2] = sum[2] * old + w * v.z;
		sum[3] = sum[3] * old + w * v.w;
	}
	for (int i = 0; i < 4; i++)
		sums[warp][4 * lane + i] = sum[i];
	largest[warp] = most;
	totals[warp] = total;
	__syncthreads();
	if (threadIdx.x >= D)
		return;
	most = -INFINITY;
	for (int i = 0; i < WARPS; i++)
		most = fmaxf(most, largest[i]);
	total = 0;
	for (int i = 0; i < WARPS; i++) {
		float part = largest[i] == -INFINITY ? 0 : expf(largest[i] - most);

		total += part * totals[i];
		all += part * sums[i][threadIdx.x];
	}
	o[((long)row * c.heads + head) * D + threadIdx.x] = __float2bfloat16(all / total);
}

extern "C" void decode(const bf16 *q, const bf16 *k, const bf16 *v, const int *pages, const int *lengths, bf16 *o,
		       void *work, int batch, int heads, int kv_heads, int most_pages, cudaStream_t stream)
{
	struct cache c = {k, v, pages, lengths, heads, kv_heads, most_pages};

	(void)work;
	decode_kernel<<<dim3((unsigned)heads, (unsigned)batch), 32 * WARPS, 0, stream>>>(q, c, o);
}
