// What is right, in double; and the same plainly, rounded to bf16 after every
// operator. A block a query; the scores are made twice, since there is no room
// for all of them: for the sum first, then for the output. Below, what lies in
// the page table and how long sequences are.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define D	128
#define PAGE	64
#define THREADS 256
#define CHUNK	1024

using bf16 = __nv_bfloat16;

struct problem {
	const bf16 *q, *k, *v;
	const int *pages, *lengths;
	int heads, kv_heads, most_pages;
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

// Where the numbers of a token and head begin, in the keys and the values.
static __device__ long place(const struct problem &p, long row, int head, int token)
{
	long page = p.pages[row * p.most_pages + token / PAGE];

	return ((page * PAGE + token % PAGE) * p.kv_heads + head) * D;
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
static __global__ void __launch_bounds__(THREADS) decode_rows(struct problem p, Out *o, long begin)
{
	__shared__ T q[D], weight[CHUNK], room[THREADS];
	long row = begin + blockIdx.x;
	int head = blockIdx.y, shared = head / (p.heads / p.kv_heads), n = p.lengths[row];
	T largest = -INFINITY, total = 0, sum = 0;
	int d = threadIdx.x % D, part = threadIdx.x / D;

	if (threadIdx.x < D)
		q[d] = (T)__bfloat162float(p.q[(row * p.heads + head) * D + d]);
	__syncthreads();
	for (int j = threadIdx.x; j < n; j += THREADS) {
		T s = score<T>(q, p.k + place(p, row, shared, j)), more = max(largest, s);

		total = total * exp(largest - more) + exp(s - more);
		largest = more;
	}
	T most = all(largest, room, true);

	total = all(largest == (T)-INFINITY ? (T)0 : total * exp(largest - most), room, false);
	for (int start = 0; start < n; start += CHUNK) {
		int count = min(CHUNK, n - start);

		__syncthreads();
		for (int j = threadIdx.x; j < count; j += THREADS)
			weight[j] =
				as_plain<T>(exp(score<T>(q, p.k + place(p, row, shared, start + j)) - most) / total);
		__syncthreads();
		for (int j = part; j < count; j += THREADS / D)
			sum += weight[j] * (T)__bfloat162float(p.v[place(p, row, shared, start + j) + d]);
	}
	__syncthreads();
	room[threadIdx.x] = sum;
	__syncthreads();
	if (threadIdx.x < D)
		o[(row * p.heads + head) * D + d] = (Out)(room[d] + room[d + D]);
}

extern "C" void decode_reference(const bf16 *q, const bf16 *k, const bf16 *v, const int *pages, const int *lengths,
				 double *o, void *work, int batch, int heads, int kv_heads, int most_pages, long begin,
				 long end, cudaStream_t stream)
{
	struct problem p = {q, k, v, pages, lengths, heads, kv_heads, most_pages};

	(void)work, (void)batch;
	decode_rows<double><<<dim3((unsigned)(end - begin), (unsigned)heads), THREADS, 0, stream>>>(p, o, begin);
}

extern "C" void decode_plain(const bf16 *q, const bf16 *k, const bf16 *v, const int *pages, const int *lengths, bf16 *o,
			     void *work, int batch, int heads, int kv_heads, int most_pages, long begin, long end,
			     cudaStream_t stream)
{
	struct problem p = {q, k, v, pages, lengths, heads, kv_heads, most_pages};

	(void)work, (void)batch;
	decode_rows<float><<<dim3((unsigned)(end - begin), (unsigned)heads), THREADS, 0, stream>>>(p, o, begin);
}

/* ---- inputs that are not just numbers --------------------------------------- */

static uint64_t next(uint64_t *seed)
{
	uint64_t x = *seed += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

// Every page of the pool at most once, in any order.
extern "C" void decode_pages(int32_t *data, uint64_t seed, int64_t batch, int64_t seq, int64_t kv_heads, int64_t group)
{
	int64_t n = batch * ((seq + seq / 4 + PAGE - 1) / PAGE), pool = n + 8;
	int32_t *all = new int32_t[pool];

	(void)kv_heads, (void)group;
	for (int64_t i = 0; i < pool; i++)
		all[i] = (int32_t)i;
	for (int64_t i = 0; i < n; i++) {
		int64_t other = i + (int64_t)(next(&seed) % (uint64_t)(pool - i));
		int32_t page = all[other];

		all[other] = all[i];
		data[i] = all[i] = page;
	}
	delete[] all;
}

// As far above `seq` as the one before is below; the last of an odd number is
// below.
extern "C" void decode_lengths(int32_t *data, uint64_t seed, int64_t batch, int64_t seq, int64_t kv_heads,
			       int64_t group)
{
	int64_t off = 0;

	(void)kv_heads, (void)group;
	for (int64_t i = 0; i < batch; i++) {
		if (i % 2 == 0)
			off = (int64_t)(next(&seed) % (uint64_t)(seq / 4 + 1));
		data[i] = (int32_t)(i % 2 ? seq + off : seq - off);
	}
}
