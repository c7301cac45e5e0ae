/* Contents for the loops of runner_gpu/ceilings*.cu: a card that multiplies
 * zeros takes little power and is faster than it ever is at work. */
typedef unsigned long long u64;

static __device__ u64 mix(u64 k)
{
	u64 x = (k + 1) * 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

/* Two bf16 of any sign and mantissa, from 2^-8 to 2. */
static __device__ unsigned random_bf16s(u64 k)
{
	return ((unsigned)mix(k) & 0x83ff83ffu) | 0x3c003c00u;
}

/* Four e4m3 below 2: none is a NaN. */
static __device__ unsigned random_f8s(u64 k)
{
	return (unsigned)mix(k) & 0xbfbfbfbfu;
}

static __device__ unsigned random_i8s(u64 k)
{
	return (unsigned)mix(k);
}
