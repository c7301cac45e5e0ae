// What is right, in double; and the same plainly, rounded to bf16 after every
// operator. A block a token and head: as a query for its gradient first, then
// as a key for the other two. Scores are made anew each time.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define D	128
#define THREADS 256
#define CHUNK	1024
#define SCALE	0.08838834764831844055

using bf16 = __nv_bfloat16;

struct problem {
	const bf16 *q, *k, *v, *o, *go;
	const float *lse;
	int seq, heads;
};

template <typename T> static __device__ T as_plain(T v)
{
	return v;
}

template <> __device__ float as_plain(float v)
{
	return __bfloat162float(__float2bfloat16(v));
}

static __device__ float number(const bf16 *p)
{
	return __bfloat162float(*p);
}

// Of a row in shared memory and one of a tensor.
template <typename T> static __device__ T dot(const T *a, const bf16 *b)
{
	const uint4 *words = (const uint4 *)b;
	T sum = 0;

	for (int i = 0; i < D / 8; i++) {
		uint4 eight = words[i];

#pragma unroll
		for (int j = 0; j < 8; j++)
			sum += a[8 * i + j] * (T)number((const bf16 *)&eight + j);
	}
	return as_plain<T>(sum);
}

// Of an output and its gradient.
template <typename T> static __device__ T dot(const bf16 *a, const bf16 *b)
{
	const uint4 *words = (const uint4 *)a, *others = (const uint4 *)b;
	T sum = 0;

	for (int i = 0; i < D / 8; i++) {
		uint4 eight = words[i], other = others[i];

#pragma unroll
		for (int j = 0; j < 8; j++)
			sum += as_plain<T>((T)number((const bf16 *)&eight + j) * (T)number((const bf16 *)&other + j));
	}
	return as_plain<T>(sum);
}

template <typename T> static __device__ T weight(T score, float lse)
{
	return as_plain<T>(exp(as_plain<T>(score * (T)SCALE) - (T)lse));
}

// The gradient of a score before it was scaled.
template <typename T> static __device__ T slope(T p, T gp, T delta)
{
	return as_plain<T>(as_plain<T>(p * as_plain<T>(gp - delta)) * (T)SCALE);
}

// Each half of the block has a sum for each of D columns.
template <typename T, typename Out> static __device__ void put(T sum, T *room, Out *out)
{
	__syncthreads();
	room[threadIdx.x] = sum;
	__syncthreads();
	if (threadIdx.x < D)
		out[threadIdx.x] = (Out)(room[threadIdx.x] + room[threadIdx.x + D]);
	__syncthreads();
}

template <typename T, typename Out>
static __global__ void __launch_bounds__(THREADS)
	backward_rows(struct problem p, Out *gq, Out *gk, Out *gv, long begin)
{
	__shared__ T a[D], b[D], weights[CHUNK], slopes[CHUNK], room[THREADS];
	long row = begin + blockIdx.x, first = row - row % p.seq, step = (long)p.heads * D;
	int head = blockIdx.y, here = (int)(row - first), d = threadIdx.x % D, part = threadIdx.x / D;
	const float *lse = p.lse + (first / p.seq * p.heads + head) * p.seq;
	long at = (first * p.heads + head) * D, mine = at + here * step;
	T sum = 0, other = 0, delta = dot<T>(p.o + mine, p.go + mine);

	if (threadIdx.x < D) {
		a[d] = (T)number(p.q + mine + d);
		b[d] = (T)number(p.go + mine + d);
	}
	for (int start = 0; start <= here; start += CHUNK) {
		int count = min(CHUNK, here + 1 - start);

		__syncthreads();
		for (int j = threadIdx.x; j < count; j += THREADS) {
			long key = at + (start + j) * step;

			slopes[j] = slope<T>(weight<T>(dot<T>(a, p.k + key), lse[here]), dot<T>(b, p.v + key), delta);
		}
		__syncthreads();
		for (int j = part; j < count; j += THREADS / D)
			sum += slopes[j] * (T)number(p.k + at + (start + j) * step + d);
	}
	put(sum, room, gq + mine);
	if (threadIdx.x < D) {
		a[d] = (T)number(p.k + mine + d);
		b[d] = (T)number(p.v + mine + d);
	}
	sum = 0;
	for (int start = here; start < p.seq; start += CHUNK) {
		int count = min(CHUNK, p.seq - start);

		__syncthreads();
		for (int j = threadIdx.x; j < count; j += THREADS) {
			long query = at + (start + j) * step;

			weights[j] = weight<T>(dot<T>(a, p.q + query), lse[start + j]);
			slopes[j] = slope<T>(weights[j], dot<T>(b, p.go + query),
					     dot<T>(p.o + query, p.go + query));
		}
		__syncthreads();
		for (int j = part; j < count; j += THREADS / D) {
			long query = at + (start + j) * step + d;

			sum += slopes[j] * (T)number(p.q + query);
			other += weights[j] * (T)number(p.go + query);
		}
	}
	put(sum, room, gk + mine);
	put(other, room, gv + mine);
}

extern "C" void backward_reference(const bf16 *q, const bf16 *k, const bf16 *v, const bf16 *o, const float *lse,
				   const bf16 *go, double *gq, double *gk, double *gv, void *work, int batch, int seq,
				   int heads, long begin, long end, cudaStream_t stream)
{
	struct problem p = {q, k, v, o, go, lse, seq, heads};

	(void)batch, (void)work;
	backward_rows<double>
		<<<dim3((unsigned)(end - begin), (unsigned)heads), THREADS, 0, stream>>>(p, gq, gk, gv, begin);
}

extern "C" void backward_plain(const bf16 *q, const bf16 *k, const bf16 *v, const bf16 *o, const float *lse,
			       const bf16 *go, bf16 *gq, bf16 *gk, bf16 *gv, void *work, int batch, int seq, int heads,
			       long begin, long end, cudaStream_t stream)
{
	struct problem p = {q, k, v, o, go, lse, seq, heads};

	(void)batch, (void)work;
	backward_rows<float>
		<<<dim3((unsigned)(end - begin), (unsigned)heads), THREADS, 0, stream>>>(p, gq, gk, gv, begin);
}
