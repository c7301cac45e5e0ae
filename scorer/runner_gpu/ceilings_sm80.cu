/*
 * Matrix units by mma.sync, from sm_80 on: operands in registers, ACCS
 * independent sums a warp.
 */
#include "ceilings_random.cuh"

#define ACCS 8

static __device__ void mma_bf16(float d[4], const unsigned a[4], const unsigned b[2])
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
		     "{%0,%1,%2,%3};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

static __device__ void mma_i8(int d[4], const unsigned a[4], const unsigned b[2])
{
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
		     "{%0,%1,%2,%3};"
		     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* A round is ACCS products a warp: of 4096 (bf16) or 8192 (i8) operations. */
extern "C" __global__ void __launch_bounds__(256) avogit_ceiling_mma_bf16(float *sink, u64 rounds)
{
	float d[ACCS][4] = {};
	unsigned a[2][4], b[ACCS][2];

	for (int i = 0; i < 8; i++)
		a[i / 4][i % 4] = random_bf16s(threadIdx.x * 64 + i);
	for (int i = 0; i < 2 * ACCS; i++)
		b[i / 2][i % 2] = random_bf16s(threadIdx.x * 64 + 8 + i);
#pragma unroll 2
	for (u64 r = 0; r < rounds; r++)
#pragma unroll
		for (int i = 0; i < ACCS; i++)
			mma_bf16(d[i], a[i % 2], b[i]);
	if (!sink)
		return;
	for (int i = 0; i < 4 * ACCS; i++)
		sink[threadIdx.x] += d[i / 4][i % 4];
}

extern "C" __global__ void __launch_bounds__(256) avogit_ceiling_mma_i8(int *sink, u64 rounds)
{
	int d[ACCS][4] = {};
	unsigned a[2][4], b[ACCS][2];

	for (int i = 0; i < 8; i++)
		a[i / 4][i % 4] = random_i8s(threadIdx.x * 64 + i);
	for (int i = 0; i < 2 * ACCS; i++)
		b[i / 2][i % 2] = random_i8s(threadIdx.x * 64 + 8 + i);
#pragma unroll 2
	for (u64 r = 0; r < rounds; r++)
#pragma unroll
		for (int i = 0; i < ACCS; i++)
			mma_i8(d[i], a[i % 2], b[i]);
	if (!sink)
		return;
	for (int i = 0; i < 4 * ACCS; i++)
		sink[threadIdx.x] += d[i / 4][i % 4];
}

static __device__ double random_double(u64 k)
{
	return (double)(mix(k) >> 11) / 9007199254740992.0 - 0.5;
}

/* A round is ACCS products of 512 operations a warp. */
extern "C" __global__ void __launch_bounds__(256) avogit_ceiling_mma_f64(double *sink, u64 rounds)
{
	double d[ACCS][2] = {}, a[2], b[ACCS];

	for (int i = 0; i < 2; i++)
		a[i] = random_double(threadIdx.x * 64 + i);
	for (int i = 0; i < ACCS; i++)
		b[i] = random_double(threadIdx.x * 64 + 8 + i);
#pragma unroll 2
	for (u64 r = 0; r < rounds; r++)
#pragma unroll
		for (int i = 0; i < ACCS; i++)
			asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
				     : "+d"(d[i][0]), "+d"(d[i][1])
				     : "d"(a[i % 2]), "d"(b[i]));
	if (!sink)
		return;
	for (int i = 0; i < 2 * ACCS; i++)
		sink[threadIdx.x] += d[i / 2][i % 2];
}
