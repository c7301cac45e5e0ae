/*
 * Hopper's matrix units by wgmma: both operands in shared memory, in rows of
 * 128 bytes swizzled as TMA leaves them; what lies there is random, so that
 * where an element is does not matter, only that no bank is asked twice.
 * Two warpgroups a block, one block a processor.
 */
#include "ceilings_random.cuh"

#define STAGES	2 /* more take the driver long to compile */
#define A_BYTES (64 * 128)
#define B_BYTES (256 * 128)
#define STEPS	4 /* of 32 bytes in a row of 128 */

/* K-major, 128 byte swizzle, 1024 bytes from eight rows to the next eight. */
static __device__ u64 descriptor(unsigned at)
{
	return ((u64)(at & 0x3ffff) >> 4) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

#define R8(n) "%" #n "0,%" #n "1,%" #n "2,%" #n "3,%" #n "4,%" #n "5,%" #n "6,%" #n "7,%" #n "8,%" #n "9,"
#define REGISTERS                                                                                                \
	"{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9," R8(1) R8(2) R8(3) R8(4) R8(5) R8(6) R8(7) R8(8) R8(9) R8(10) R8(11) \
	"%120,%121,%122,%123,%124,%125,%126,%127}"
#define O4(c, i)  c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define O16(c, i) O4(c, i), O4(c, i + 4), O4(c, i + 8), O4(c, i + 12)
#define O64(c, i) O16(c, i), O16(c, i + 16), O16(c, i + 32), O16(c, i + 48)
#define WGMMA(shape, more, c, a, b)                                                                \
	asm volatile("wgmma.mma_async.sync.aligned." shape " " REGISTERS ", %128, %129, 1" more ";" \
		     : O64(c, 0), O64(c, 64)                                                       \
		     : "l"(a), "l"(b))

/* The stages of operands, each kind in its place. */
template <typename F>
static __device__ void fill(unsigned char *shared, F random)
{
	unsigned *word = (unsigned *)shared;

	for (unsigned i = threadIdx.x; i < STAGES * (2 * A_BYTES + B_BYTES) / 4; i += blockDim.x)
		word[i] = random(i);
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
}

/* A round is STAGES * STEPS products a warpgroup. */
#define LOOP(shape, more, c)                                                                 \
	for (u64 r = 0; r < rounds; r++) {                                                   \
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                      \
		_Pragma("unroll") for (int s = 0; s < STAGES; s++)                           \
			_Pragma("unroll") for (int k = 0; k < STEPS; k++)                    \
				WGMMA(shape, more, c, a + s * (2 * A_BYTES >> 4) + 2 * k,    \
				      b + s * (B_BYTES >> 4) + 2 * k);                       \
		asm volatile("wgmma.commit_group.sync.aligned;\n"                            \
			     "wgmma.wait_group.sync.aligned 0;" ::: "memory");               \
	}

#define KERNEL(name, T, random, shape, more, c)                                                          \
	extern "C" __global__ void __launch_bounds__(256, 1) name(T *sink, u64 rounds)                   \
	{                                                                                                \
		extern __shared__ __align__(1024) unsigned char shared[];                                \
		unsigned at = (unsigned)__cvta_generic_to_shared(shared);                                \
		u64 a = descriptor(at + threadIdx.x / 128 * A_BYTES);                                    \
		u64 b = descriptor(at + STAGES * 2 * A_BYTES);                                           \
		T d[128];                                                                                \
                                                                                                         \
		fill(shared, random);                                                                    \
		_Pragma("unroll") for (int i = 0; i < 128; i++) d[i] = 0;                                \
		LOOP(shape, more, c)                                                                     \
		if (!sink)                                                                               \
			return;                                                                          \
		_Pragma("unroll") for (int i = 0; i < 128; i++) sink[threadIdx.x] += d[i];               \
	}

KERNEL(avogit_ceiling_wgmma_bf16, float, random_bf16s, "m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0", "+f")
KERNEL(avogit_ceiling_wgmma_f8, float, random_f8s, "m64n256k32.f32.e4m3.e4m3", ", 1, 1", "+f")
KERNEL(avogit_ceiling_wgmma_i8, int, random_i8s, "m64n256k32.s32.s8.s8", "", "+r")

/* sm_90 has a larger product in f64, and full speed only by that: 8 sums of
 * 4096 operations a warp and round. */
extern "C" __global__ void __launch_bounds__(256) avogit_ceiling_mma90_f64(double *sink, u64 rounds)
{
	double d[8][4] = {}, a[8], b[4];

	for (int i = 0; i < 8; i++)
		a[i] = (double)(mix(threadIdx.x * 16 + i) >> 11) / 9007199254740992.0 - 0.5;
	for (int i = 0; i < 4; i++)
		b[i] = (double)(mix(threadIdx.x * 16 + 8 + i) >> 11) / 9007199254740992.0 - 0.5;
	for (u64 r = 0; r < rounds; r++)
#pragma unroll
		for (int i = 0; i < 8; i++)
			asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
				     "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
				     : "+d"(d[i][0]), "+d"(d[i][1]), "+d"(d[i][2]), "+d"(d[i][3])
				     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]),
				       "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
	if (!sink)
		return;
	for (int i = 0; i < 32; i++)
		sink[threadIdx.x] += d[i / 4][i % 4];
}
