// What is right, in double; and the same plainly, rounded to bf16 after every
// operator. A block a query row and head; the scores are made twice, since
// there is no room for all of them: for the sum first, then for the output.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define D	128
#define THREADS 256
#define CHUNK	1024

using bf16 = __nv_bfloat16;

struct problem {
	const bf16 *q, *k, *v;
	int seq, heads, kv_heads, causal;
};

template <typename T> static __device__ T as_plain(T v)
{
	return v;
}

template <> __device__ float as_plain(float v)
{
	return __bfloat162float(__float2bfloat16(v));
}

template <typename T> static __device__ T all(T v, T *room, bool largest)
{
	__syncthreads();
	room[threadIdx.x] = v;
	__syncthreads();
	for (unsigned n = THREADS / 2; n; n /= 2) {
		if (threadIdx.x < n) {
			T other = room[threadIdx.x + n];

			room[threadIdx.x] = largest ? max(room[threadIdx.x], other) : room[threadIdx.x] + other;
		}
		__syncthreads();
	}
	return room[0];
}

// q against the key at `k`, scaled.
template <typename T> static __device__ T score(const T *q, const bf16 *k)
{
	const uint4 *words = (const uint4 *)k;
	T sum = 0;

	for (int i = 0; i < D / 8; i++) {
		uint4 eight = words[i];
		const bf16 *number = (const bf16 *)&eight;

#pragma unroll
		for (int j = 0; j < 8; j++)
			sum += q[8 * i + j] * (T)__bfloat162float(number[j]);
	}
	return as_plain<T>(sum * (T)0.08838834764831844055);
}

template <typename T, typename Out>
static __global__ void __launch_bounds__(THREADS) attention_rows(struct problem p, Out *o, long begin)
{
	__shared__ T q[D], weight[CHUNK], room[THREADS];
	long row = begin + blockIdx.x, first = row - row % p.seq;
	int head = blockIdx.y, shared = head / (p.heads / p.kv_heads);
	int n = p.causal ? (int)(row - first) + 1 : p.seq;
	long step = (long)p.kv_heads * D, at = (first * p.kv_heads + shared) * D;
	T largest = -INFINITY, total = 0, sum = 0;
	int d = threadIdx.x % D, part = threadIdx.x / D;

	if (threadIdx.x < D)
		q[d] = (T)__bfloat162float(p.q[(row * p.heads + head) * D + d]);
	__syncthreads();
	for (int j = threadIdx.x; j < n; j += THREADS) {
		T s = score<T>(q, p.k + at + j * step), more = max(largest, s);

		total = total * exp(largest - more) + exp(s - more);
		largest = more;
	}
	T most = all(largest, room, true);

	total = all(largest == (T)-INFINITY ? (T)0 : total * exp(largest - most), room, false);
	for (int start = 0; start < n; start += CHUNK) {
		int count = min(CHUNK, n - start);

		__syncthreads();
		for (int j = threadIdx.x; j < count; j += THREADS)
			weight[j] = as_plain<T>(exp(score<T>(q, p.k + at + (start + j) * step) - most) / total);
		__syncthreads();
		for (int j = part; j < count; j += THREADS / D)
			sum += weight[j] * (T)__bfloat162float(p.v[at + (start + j) * step + d]);
	}
	__syncthreads();
	room[threadIdx.x] = sum;
	__syncthreads();
	if (threadIdx.x < D)
		o[(row * p.heads + head) * D + d] = (Out)(room[d] + room[d + D]);
}

extern "C" void attention_reference(const bf16 *q, const bf16 *k, const bf16 *v, double *o, int batch, int seq,
				    int heads, int kv_heads, int causal, long begin, long end, cudaStream_t stream)
{
	struct problem p = {q, k, v, seq, heads, kv_heads, causal};

	(void)batch;
	attention_rows<double><<<dim3((unsigned)(end - begin), (unsigned)heads), THREADS, 0, stream>>>(p, o, begin);
}

extern "C" void attention_plain(const bf16 *q, const bf16 *k, const bf16 *v, bf16 *o, int batch, int seq, int heads,
				int kv_heads, int causal, long begin, long end, cudaStream_t stream)
{
	struct problem p = {q, k, v, seq, heads, kv_heads, causal};

	(void)batch;
	attention_rows<float><<<dim3((unsigned)(end - begin), (unsigned)heads), THREADS, 0, stream>>>(p, o, begin);
}
