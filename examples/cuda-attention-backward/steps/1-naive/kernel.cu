#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define D     128
#define WARPS 8
#define SCALE 0.08838834764831844055f

using bf16 = __nv_bfloat16;

struct problem {
	const bf16 *q, *k, *v, *o, *go;
	const float *lse;
	float *delta; // of each query and head, as in lse
	int seq, heads;
};

// A lane has four numbers of a row.
static __device__ float4 four(const bf16 *row)
{
	uint2 words = *(const uint2 *)(row + threadIdx.x % 32 * 4);
	float2 low = __bfloat1622float2(*(const __nv_bfloat162 *)&words.x);
	float2 high = __bfloat1622float2(*(const __nv_bfloat162 *)&words.y);

	return make_float4(low.x, low.y, high.x, high.y);
}

static __device__ void put(bf16 *row, float4 v, float scale)
{
	__nv_bfloat162 low = __floats2bfloat162_rn(v.x * scale, v.y * scale);
	__nv_bfloat162 high = __floats2bfloat162_rn(v.z * scale, v.w * scale);
	uint2 words = {*(unsigned *)&low, *(unsigned *)&high};

	*(uint2 *)(row + threadIdx.x % 32 * 4) = words;
}

static __device__ float dot(float4 a, float4 b)
{
	float sum = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;

	for (int n = 16; n; n /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, n);
	return sum;
}

static __device__ void add(float4 &to, float times, float4 v)
{
	to.x += times * v.x;
	to.y += times * v.y;
	to.z += times * v.z;
	to.w += times * v.w;
}

// A warp a token: what its output and the output's gradient are together.
static __global__ void deltas(struct problem p)
{
	int here = blockIdx.x * WARPS + threadIdx.x / 32, head = blockIdx.y;
	long row = (long)blockIdx.z * p.seq + here, at = (row * p.heads + head) * D;

	if (here >= p.seq)
		return;
	float sum = dot(four(p.o + at), four(p.go + at));

	if (threadIdx.x % 32 == 0)
		p.delta[((long)blockIdx.z * p.heads + head) * p.seq + here] = sum;
}

// A warp a query, which goes through the keys that it sees.
static __global__ void of_queries(struct problem p, bf16 *gq)
{
	int here = blockIdx.x * WARPS + threadIdx.x / 32, head = blockIdx.y;
	long step = (long)p.heads * D, at = ((long)blockIdx.z * p.seq * p.heads + head) * D;
	long statistics = ((long)blockIdx.z * p.heads + head) * p.seq + here;

	if (here >= p.seq)
		return;
	float4 q = four(p.q + at + here * step), go = four(p.go + at + here * step), sum = {0, 0, 0, 0};
	float lse = p.lse[statistics], delta = p.delta[statistics];

	for (int j = 0; j <= here; j++) {
		float4 k = four(p.k + at + j * step);
		float weight = __expf(dot(q, k) * SCALE - lse);

		add(sum, weight * (dot(go, four(p.v + at + j * step)) - delta), k);
	}
	put(gq + at + here * step, sum, SCALE);
}

// A warp a key, which goes through the queries that see it.
static __global__ void of_keys(struct problem p, bf16 *gk, bf16 *gv)
{
	int here = blockIdx.x * WARPS + threadIdx.x / 32, head = blockIdx.y;
	long step = (long)p.heads * D, at = ((long)blockIdx.z * p.seq * p.heads + head) * D;
	long statistics = ((long)blockIdx.z * p.heads + head) * p.seq;

	if (here >= p.seq)
		return;
	float4 k = four(p.k + at + here * step), v = four(p.v + at + here * step), sum = {0, 0, 0, 0}, other = sum;

	for (int i = here; i < p.seq; i++) {
		float4 q = four(p.q + at + i * step), go = four(p.go + at + i * step);
		float weight = __expf(dot(q, k) * SCALE - p.lse[statistics + i]);

		add(sum, weight * (dot(go, v) - p.delta[statistics + i]), q);
		add(other, weight, go);
	}
	put(gk + at + here * step, sum, SCALE);
	put(gv + at + here * step, other, 1);
}

extern "C" void attention_backward(const bf16 *q, const bf16 *k, const bf16 *v, const bf16 *o, const float *lse,
				   const bf16 *go, bf16 *gq, bf16 *gk, bf16 *gv, void *work, int batch, int seq,
				   int heads, cudaStream_t stream)
{
	struct problem p = {q, k, v, o, go, lse, (float *)work, seq, heads};
	dim3 grid((unsigned)(seq + WARPS - 1) / WARPS, (unsigned)heads, (unsigned)batch);

	deltas<<<grid, 32 * WARPS, 0, stream>>>(p);
	of_queries<<<grid, 32 * WARPS, 0, stream>>>(p, gq);
	of_keys<<<grid, 32 * WARPS, 0, stream>>>(p, gk, gv);
}
