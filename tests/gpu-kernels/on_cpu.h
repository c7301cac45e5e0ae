/*
 * What scorer/runner_gpu/kernels.cu needs of CUDA, for a C++ compiler: 32
 * threads that take turns are a warp, and the only one there is. Conversions
 * are those of core/base/dtype.h.
 */
#ifndef TESTS_GPU_KERNELS_ON_CPU_H
#define TESTS_GPU_KERNELS_ON_CPU_H

#include <algorithm>
#include <cmath>
#include <cstring>

using std::isfinite;
using std::isinf;
using std::isnan;
using std::max;
using std::min;

#define __global__
#define __device__
#define __grid_constant__
#define __launch_bounds__(threads)
#define __shared__ static

struct of_three {
	unsigned x;
};
struct alignas(16) ulonglong2 {
	unsigned long long x, y;
};
extern of_three threadIdx;
static const of_three blockIdx = {0}, blockDim = {32}, gridDim = {1};

/* What all threads of the warp bring, in the order of their numbers. */
struct warp_words {
	unsigned long long word[32];
};
warp_words exchange(unsigned long long mine);

static inline bool __all_sync(unsigned, bool mine)
{
	warp_words w = exchange(mine);

	return std::all_of(w.word, w.word + 32,
			   [](unsigned long long x) { return x != 0; });
}

static inline unsigned long long __shfl_down_sync(unsigned,
						  unsigned long long mine,
						  int apart)
{
	unsigned from = threadIdx.x + (unsigned)apart;

	return exchange(mine).word[from < 32 ? from : threadIdx.x];
}

static inline double __shfl_xor_sync(unsigned, double mine, int apart)
{
	unsigned long long bits;
	warp_words w;

	memcpy(&bits, &mine, sizeof bits);
	w = exchange(bits);
	memcpy(&mine, &w.word[threadIdx.x ^ (unsigned)apart], sizeof mine);
	return mine;
}

static inline void atomicAdd(unsigned long long *sum, unsigned long long mine)
{
	*sum += mine;
}

static inline void atomicMin(unsigned long long *least, unsigned long long mine)
{
	*least = min(*least, mine);
}

static inline void atomicMax(unsigned long long *most, unsigned long long mine)
{
	*most = max(*most, mine);
}

static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum)
{
	return sum + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}

static inline int __ffs(int v)
{
	return __builtin_ffs(v);
}

static inline unsigned __float_as_uint(float v)
{
	unsigned bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static inline unsigned long long __ldcg(const unsigned long long *p)
{
	return *p;
}

/* ---- types ---------------------------------------------------------------- */

extern "C" {
enum dtype : unsigned;
double dtype_load(dtype t, const void *array, size_t i);
void dtype_store(dtype t, void *array, size_t i, double value);
}

/* As core/base/dtype.h counts them. */
template <typename bits, unsigned type> struct small_float {
	bits v;

	small_float() = default;
	explicit small_float(double value)
	{
		dtype_store((dtype)type, &v, 0, value);
	}
	double wide() const
	{
		return dtype_load((dtype)type, &v, 0);
	}
};
typedef small_float<unsigned short, 2> __half;
typedef small_float<unsigned short, 3> __nv_bfloat16;
enum { __NV_SATFINITE };
enum { __NV_E4M3 = 12, __NV_E5M2 };

static inline __half __float2half(float v)
{
	return __half((double)v);
}

static inline float __half2float(__half v)
{
	return (float)v.wide();
}

static inline __nv_bfloat16 __double2bfloat16(double v)
{
	return __nv_bfloat16(v);
}

static inline float __bfloat162float(__nv_bfloat16 v)
{
	return (float)v.wide();
}

static inline unsigned char __nv_cvt_float_to_fp8(float v, int, int type)
{
	unsigned char out[2];

	dtype_store((dtype)type, out, 0, (double)v);
	return out[0];
}

static inline __half __nv_cvt_fp8_to_halfraw(unsigned char v, int type)
{
	const unsigned char bytes[2] = {v, 0};

	return __half(dtype_load((dtype)type, bytes, 0));
}

#endif
