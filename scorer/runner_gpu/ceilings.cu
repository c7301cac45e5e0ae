/*
 * What any card can do: memory, and plain multiply-adds. Loops over registers
 * leave their sum where `sink` says, if that is not NULL, which it is: a
 * compiler cannot know. Travels as PTX, as kernels.cu does.
 */
#include "ceilings_random.cuh"

#define EACH(i, n) \
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (u64)gridDim.x * blockDim.x)

extern "C" __global__ void avogit_ceiling_fill(u64 *words, u64 n)
{
	EACH (i, n)
		words[i] = mix(i);
}

/* 16 bytes a thread and four of them in flight; n is a multiple of what a
 * block turns over. */
extern "C" __global__ void __launch_bounds__(512) avogit_ceiling_copy(uint4 *to, const uint4 *from, u64 n)
{
	u64 step = 4ull * blockDim.x;

	for (u64 at = blockIdx.x * step + threadIdx.x; at < n; at += gridDim.x * step) {
		uint4 v[4];

#pragma unroll
		for (int k = 0; k < 4; k++)
			v[k] = __ldcs(&from[at + k * blockDim.x]);
#pragma unroll
		for (int k = 0; k < 4; k++)
			__stcs(&to[at + k * blockDim.x], v[k]);
	}
}

extern "C" __global__ void __launch_bounds__(512) avogit_ceiling_read(uint4 *sink, const uint4 *from, u64 n)
{
	u64 step = 4ull * blockDim.x;
	uint4 sum = {0, 0, 0, 0};

	for (u64 at = blockIdx.x * step + threadIdx.x; at < n; at += gridDim.x * step) {
#pragma unroll
		for (int k = 0; k < 4; k++) {
			uint4 v = __ldcs(&from[at + k * blockDim.x]);

			sum.x ^= v.x, sum.y ^= v.y, sum.z ^= v.z, sum.w ^= v.w;
		}
	}
	if (sink)
		sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static __device__ float multiply_add(float a, float b, float c)
{
	return __fmaf_rn(a, b, c);
}

static __device__ double multiply_add(double a, double b, double c)
{
	return __fma_rn(a, b, c);
}

/* Points that go round a circle: the values change and never run away. A
 * round is 2 * PAIRS multiply-adds a thread. */
#define PAIRS 8
template <typename T>
static __device__ void turn(T *sink, u64 rounds)
{
	T x[PAIRS], y[PAIRS], t = (T)0.37;

	for (int i = 0; i < PAIRS; i++) {
		u64 h = mix(threadIdx.x * PAIRS + i);

		x[i] = (T)((double)(h >> 11) / 9007199254740992.0);
		y[i] = (T)((double)(mix(h) >> 11) / 9007199254740992.0);
	}
#pragma unroll 8
	for (u64 r = 0; r < rounds; r++)
#pragma unroll
		for (int i = 0; i < PAIRS; i++) {
			x[i] = multiply_add(-t, y[i], x[i]);
			y[i] = multiply_add(t, x[i], y[i]);
		}
	if (!sink)
		return;
	for (int i = 0; i < PAIRS; i++)
		sink[threadIdx.x] += x[i] + y[i];
}

extern "C" __global__ void __launch_bounds__(256) avogit_ceiling_f32(float *sink, u64 rounds)
{
	turn(sink, rounds);
}

extern "C" __global__ void __launch_bounds__(256) avogit_ceiling_f64(double *sink, u64 rounds)
{
	turn(sink, rounds);
}
