/*
 * The scorer's own kernels, for the judge, and one
 * for launches on warm caches. They travel as PTX
 * (kernels.ptx, made by `make gpu-kernels`), so that building avogit needs
 * no CUDA compiler.
 *
 * A driver compiles all of it in every judge, while a score waits: a loop that is
 * written out where that gains little costs more here than it saves, and so does
 * a division of 64 bits.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "scorer/runner/contents.h"

typedef unsigned long long u64;
typedef long long i64;

/* As in scorer/runner_gpu/gpu.h. */
struct gpu_tensor {
	i64 shape[8], stride[8], elements;
	int dtype, size, n_dims, floating;
};

enum { F32, F64, F16, BF16, I8, I16, I32, I64, U8, U16, U32, U64, F8E4M3, F8E5M2 };
/* Of poison: who sees a page may work its seed out, which is of no other page. */
static __device__ u64 mix(u64 seed, u64 k)
{
	u64 x = seed + (k + 1) * 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static __device__ void store_wide(char *data, i64 at, int dtype, double v)
{
	switch (dtype) {
	case F64: ((double *)data)[at] = v; break;
	case BF16: ((__nv_bfloat16 *)data)[at] = __double2bfloat16(v); break;
	case I8:
	case U8: data[at] = (char)(i64)v; break;
	case I16:
	case U16: ((short *)data)[at] = (short)(i64)v; break;
	case I32:
	case U32: ((int *)data)[at] = (int)(i64)v; break;
	case I64: ((i64 *)data)[at] = (i64)v; break;
	default: ((u64 *)data)[at] = (u64)v; break; /* all ones from 2^64 on */
	}
}

static __device__ double load(const char *data, i64 at, int dtype)
{
	switch (dtype) {
	case F32: return ((const float *)data)[at];
	case F64: return ((const double *)data)[at];
	case F16: return __half2float(((const __half *)data)[at]);
	case BF16: return __bfloat162float(((const __nv_bfloat16 *)data)[at]);
	case F8E4M3: return __half2float(__half(__nv_cvt_fp8_to_halfraw((unsigned char)data[at], __NV_E4M3)));
	case F8E5M2: return __half2float(__half(__nv_cvt_fp8_to_halfraw((unsigned char)data[at], __NV_E5M2)));
	default: return 0;
	}
}

/* By so many bits a number of bytes is shifted, to be one of elements. */
static __device__ int size_bits(const gpu_tensor &t)
{
	return __ffs(t.size) - 1;
}

/* No gaps between its elements? A division of 64 bits takes as long as all the
 * rest that is done for an element. */
static __device__ bool is_dense(const gpu_tensor &t)
{
	i64 stride = 1;

#pragma unroll 1
	for (int d = t.n_dims - 1; d >= 0; d--) {
		if (t.stride[d] != stride)
			return false;
		stride *= t.shape[d];
	}
	return true;
}

/* Where element i lies, in elements from element 0. ptxas makes of a division of 64
 * bits one of 32 where that will do. */
static __device__ i64 place(const gpu_tensor &t, i64 i, bool dense)
{
	u64 rest = (u64)i;
	i64 at = 0;

	if (dense)
		return i;
#pragma unroll 1
	for (int d = t.n_dims - 1; d >= 0; d--) {
		u64 next = rest / (u64)t.shape[d];

		at += (i64)(rest - next * (u64)t.shape[d]) * t.stride[d];
		rest = next;
	}
	return at;
}

#define EACH(i, n)          \
	_Pragma("unroll 1") \
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (u64)gridDim.x * blockDim.x)

/* Rounded to the nearest, ties to even: of what is finite. Before compute_80 there
 * has no instruction for it. */
static __device__ unsigned short bf16_of(float v)
{
	unsigned bits = __float_as_uint(v);

	return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static __device__ void store_float(char *data, i64 at, int dtype, float v)
{
	switch (dtype) {
	case F32: ((float *)data)[at] = v; break;
	case F16: ((__half *)data)[at] = __float2half(v); break;
	case BF16: ((unsigned short *)data)[at] = bf16_of(v); break;
	case F8E4M3: data[at] = (char)__nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3); break;
	default: data[at] = (char)__nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E5M2); break;
	}
}

/* A block of ChaCha8, as chacha_block() makes it. */
static __device__ void chacha(unsigned x[CHACHA_WORDS], const struct chacha_key &k, u64 block)
{
	unsigned start[CHACHA_WORDS];

	chacha_start(x, &k, block, 0);
#pragma unroll 1
	for (int i = 0; i < CHACHA_FAST; i += 2)
		CHACHA_TWO_ROUNDS(x);
	chacha_start(start, &k, block, 0);
	for (int i = 0; i < CHACHA_WORDS; i++)
		x[i] += start[i];
}

/* Of integers that these hold a float holds all, too. */
static __device__ bool is_narrow(int dtype)
{
	return dtype == F32 || dtype == F16 || dtype == F8E4M3 || dtype == F8E5M2;
}

static __device__ void store_contents(char *data, const gpu_tensor &t, bool dense, const contents &c, u64 i,
				      unsigned word)
{
	struct contents_row row = contents_row(&c, contents_has_rows(&c) ? i / c.row : 0);
	struct contents_draw d = contents_draw(word);
	i64 at = place(t, (i64)i, dense);
	float v;

	if (!c.wide) {
		v = contents_float(&c, row, d);
	} else {
		double wide = contents_double(&c, row, d);

		if (!is_narrow(t.dtype)) {
			store_wide(data, at, t.dtype, wide);
			return;
		}
		v = (float)wide;
	}
	store_float(data, at, t.dtype, v);
}

/* contents_normal() to the bit; one instruction adds two numbers of 16 bits. */
static __device__ float normal(unsigned word)
{
	struct contents_draw d = contents_draw(word);
	int sum = (int)__dp2a_lo(d.a, 0x0101u, __dp2a_lo(d.b, 0x0101u, (unsigned)-131070));
	int low = (int)((d.a ^ (d.b << 7)) * 0x9e3779b9u) >> 12;

	return ((float)sum + (float)low * (1.0f / 1048576.0f)) * (float)(1 / CONTENTS_DEVIATION);
}

/* Has this group normal numbers alone? Asked by a whole warp, of which each thread
 * looks at the row of an element: of a row of 32 or more, some thread does. */
static __device__ bool is_normal(const contents &c, u64 group)
{
	u64 i = group * CONTENTS_GROUP + threadIdx.x % 32 * (CONTENTS_GROUP - 1) / 31;

	if (c.kind != FILL_STRAY_ROWS || c.row < 32)
		return c.kind == FILL_NORMAL;
	return __all_sync(~0u, contents_row(&c, i / c.row).kind == FILL_NORMAL);
}

/* What kernels are mostly timed with. Written out for each word, as nothing else
 * is: the driver compiles this text in each judge, while a score waits for it. */
static __device__ void fill_normal(char *data, int dtype, u64 first, const unsigned x[CHACHA_WORDS])
{
	float v[CONTENTS_EACH];

#pragma unroll
	for (int k = 0; k < CONTENTS_EACH; k++)
		v[k] = normal(x[k]);
	if (dtype == F32) {
#pragma unroll
		for (int k = 0; k < CONTENTS_EACH; k++)
			((float *)data)[first + k * CONTENTS_LANES] = v[k];
	} else if (dtype == BF16) {
#pragma unroll
		for (int k = 0; k < CONTENTS_EACH; k++)
			((unsigned short *)data)[first + k * CONTENTS_LANES] = bf16_of(v[k]);
	} else {
#pragma unroll
		for (int k = 0; k < CONTENTS_EACH; k++)
			((__half *)data)[first + k * CONTENTS_LANES] = __float2half(v[k]);
	}
}

#define FILL_THREADS 256 /* of a block, as gpu_queue() has them */

extern "C" __global__ void __launch_bounds__(FILL_THREADS)
	avogit_fill(char *data, const __grid_constant__ gpu_tensor t, const __grid_constant__ contents c)
{
	__shared__ unsigned word[CONTENTS_EACH][FILL_THREADS];
	u64 blocks = ((u64)t.elements + CONTENTS_GROUP - 1) / CONTENTS_GROUP * CONTENTS_LANES;
	bool dense = is_dense(t), plain = dense && !c.wide && (t.dtype == F32 || t.dtype == BF16 || t.dtype == F16);

	EACH (block, blocks) {
		u64 group = block / CONTENTS_LANES, first = group * CONTENTS_GROUP + block % CONTENTS_LANES;
		unsigned x[CHACHA_WORDS];

		chacha(x, c.key, block);
		if (plain && (group + 1) * CONTENTS_GROUP <= (u64)t.elements && is_normal(c, group)) {
			fill_normal(data, t.dtype, first, x);
			continue;
		}
#pragma unroll
		for (int k = 0; k < CONTENTS_EACH; k++)
			word[k][threadIdx.x] = x[k];
#pragma unroll 1
		for (int k = 0; k < CONTENTS_EACH; k++)
			if (first + k * CONTENTS_LANES < (u64)t.elements)
				store_contents(data, t, dense, c, first + k * CONTENTS_LANES, word[k][threadIdx.x]);
	}
}

/* The word of the poison page that belongs at byte 8 * i of a region. */
static __device__ u64 poison_word(u64 seed, u64 i)
{
	return 0x7ff07ff07ff07ff0ull ^ (mix(seed, i % 512) & 0x800e800e800e800eull);
}

static __device__ unsigned char poison_byte(u64 seed, u64 at)
{
	return (unsigned char)(poison_word(seed, at / 8) >> 8 * (at % 8));
}

extern "C" __global__ void avogit_poison(u64 *region, u64 words, u64 seed)
{
	EACH (i, words)
		region[i] = poison_word(seed, i);
}

static __device__ bool left(const char *region, u64 at, int bytes, u64 seed)
{
#pragma unroll 1
	for (int b = 0; b < bytes; b++)
		if ((unsigned char)region[at + b] != poison_byte(seed, at + b))
			return false;
	return true;
}

/* Does byte `at` of the span of a tensor belong to an element? For strides
 * that fall from the first dimension to the last. */
static __device__ bool owned(const gpu_tensor &t, u64 at)
{
	i64 rest = (i64)(at >> size_bits(t));

#pragma unroll 1
	for (int d = 0; d < t.n_dims; d++) {
		i64 n = rest / t.stride[d];

		if (n >= t.shape[d])
			return false;
		rest -= n * t.stride[d];
	}
	return rest == 0;
}

/* Adds up over a warp first: all of a tensor may be counted, and the card does
 * additions to one place one after another. Of all threads together. */
static __device__ void add_up(u64 *sum, u64 mine)
{
	for (int apart = 16; apart; apart /= 2)
		mine += __shfl_down_sync(~0u, mine, apart);
	if (threadIdx.x % 32 == 0 && mine)
		atomicAdd(sum, mine);
}

static __device__ void keep_least(u64 *least, u64 mine)
{
	for (int apart = 16; apart; apart /= 2)
		mine = min(mine, __shfl_down_sync(~0u, mine, apart));
	if (threadIdx.x % 32 == 0 && mine != ~0ull)
		atomicMin(least, mine);
}

struct unwritten {
	u64 n, first;
};

static __device__ void note(unwritten *u, u64 element)
{
	u->n++;
	u->first = min(u->first, element);
}

/* Element i, wherever it lies. What poison may equal counts in groups of eight bytes
 * of elements, of which the last ends with the tensor: around them lies poison. A
 * tensor of fewer bytes never counts: only what is right there is compared. */
static __device__ void look_at_element(unwritten *u, const char *region, const gpu_tensor &t, bool dense, u64 offset,
				       u64 i, u64 seed)
{
	u64 n = (u64)t.elements, group = t.floating ? 1 : 8u >> size_bits(t), from = i & ~(group - 1);

	if (n < group)
		return;
	from = min(from, n - group);
#pragma unroll 1
	for (u64 k = from; k < from + group; k++)
		if (!left(region, offset + (u64)place(t, (i64)k, dense) * t.size, t.size, seed))
			return;
	note(u, i);
}

/* Of a tensor without gaps at bytes `offset` to `stop`: a word of eight bytes at
 * a time, and what is left over at both ends one by one. */
static __device__ void look_at_words(unwritten *u, const char *region, const gpu_tensor &t, u64 offset, u64 stop,
				     u64 seed)
{
	u64 low = (offset + 7) / 8, high = stop / 8, size = (u64)t.size;
	int bits = size_bits(t);
	u64 before = (low * 8 - offset) >> bits, after = (stop - high * 8) >> bits;
	u64 element = t.size == 8 ? ~0ull : (1ull << 8 * t.size) - 1;

	EACH (k, high - low) {
		u64 w = low + k, changed = ((const u64 *)region)[w] ^ poison_word(seed, w);
		u64 i = (w * 8 - offset) >> bits;

		if (!t.floating && changed)
			continue;
#pragma unroll 1
		for (u64 e = 0; e < 8u >> bits; e++)
			if (!(changed >> 8 * size * e & element))
				note(u, i + e);
	}
	EACH (k, before + after) {
		u64 i = k < before ? k : (u64)t.elements - after + (k - before);

		look_at_element(u, region, t, true, offset, i, seed);
	}
}

static __device__ u64 changed_bytes(const char *region, u64 from, u64 to, u64 seed)
{
	u64 changed = 0;

	EACH (i, to - from)
		changed += (unsigned char)region[from + i] != poison_byte(seed, from + i);
	return changed;
}

/* found: [0] bytes around the tensor that changed, [1] elements that no kernel
 * wrote, [2] the first of them. */
extern "C" __global__ void avogit_look(const char *region, gpu_tensor t, u64 begin, u64 offset, u64 bytes, u64 end,
				       u64 seed, int elements_too, u64 *found)
{
	bool dense = is_dense(t);
	u64 changed = changed_bytes(region, begin, offset, seed) + changed_bytes(region, offset + bytes, end, seed);
	unwritten u = {0, ~0ull};

	if ((u64)t.elements * t.size != bytes)
		EACH (i, bytes)
			if (!owned(t, i) && (unsigned char)region[offset + i] != poison_byte(seed, offset + i))
				changed++;
	add_up(&found[0], changed);
	if (!elements_too)
		return;
	/* A word holds whole elements only where they are aligned. */
	if (dense && (u64)t.elements * t.size == bytes && (offset & (u64)(t.size - 1)) == 0 && bytes >= 16)
		look_at_words(&u, region, t, offset, offset + bytes, seed);
	else
		EACH (i, (u64)t.elements)
			look_at_element(&u, region, t, dense, offset, i, seed);
	add_up(&found[1], u.n);
	keep_least(&found[2], u.first);
}

/* Reads three ranges, so that the cache holds them. The sum is not used: it is
 * there so that the reads are. */
extern "C" __global__ void avogit_touch(const u64 *a, u64 n_a, const u64 *b, u64 n_b, const u64 *c, u64 n_c, u64 *sum)
{
	u64 all = 0;

	EACH (i, n_a)
		all += __ldcg(a + i);
	EACH (i, n_b)
		all += __ldcg(b + i);
	EACH (i, n_c)
		all += __ldcg(c + i);
	if (all == 1)
		*sum = all;
}

extern "C" __global__ void avogit_spread(u64 *words, u64 n, u64 value)
{
	EACH (i, n)
		words[i] = value;
}

/* The elements of one tensor into another of the same strides; `wide`: as
 * doubles, for the reference. */
extern "C" __global__ void avogit_start(char *to, const char *from, gpu_tensor t, int wide)
{
	bool dense = is_dense(t);

	EACH (i, (u64)t.elements) {
		i64 at = place(t, (i64)i, dense);

		if (wide)
			((double *)to)[at] = load(from, at, t.dtype);
		else
			for (int b = 0; b < t.size; b++)
				to[at * t.size + b] = from[at * t.size + b];
	}
}

struct stretch {
	double peak, difference; /* the largest of either */
};

static __device__ void add_pair(stretch *s, double a, double b)
{
	if (isfinite(a) && isfinite(b)) {
		s->peak = fmax(s->peak, fmax(fabs(a), fabs(b)));
		s->difference = fmax(s->difference, fabs(a - b));
	} else if (isnan(a) ? !isnan(b) : a != b) {
		s->difference = 1.0 / 0.0;
	}
}

static __device__ bool same_bits(const char *a, const char *b, int size)
{
#pragma unroll 1
	for (int k = 0; k < size; k++)
		if (a[k] != b[k])
			return false;
	return true;
}

/* Elements `begin` to `end` of both, the lanes of a warp side by side. */
static __device__ void add_elements(stretch *s, const char *a, const char *b, const gpu_tensor &t, bool dense,
				    u64 begin, u64 end)
{
#pragma unroll 1
	for (u64 i = begin + threadIdx.x % 32; i < end; i += 32) {
		i64 at = place(t, (i64)i, dense);

		if (same_bits(a + at * t.size, b + at * t.size, t.size))
			continue;
		if (t.floating)
			add_pair(s, load(a, at, t.dtype), load(b, at, t.dtype));
		else
			s->difference = 1.0 / 0.0;
	}
}

/* Of what a lane loads at a time, so many before it looks at the first: a card
 * brings memory as fast as it can only if much of it is on its way. */
#define WORDS 4

static __device__ void add_eight(stretch *s, u64 x, u64 y, const gpu_tensor &t)
{
	int each = 8 * t.size, n = 8 >> size_bits(t);
	u64 element = t.size == 8 ? ~0ull : (1ull << each) - 1;

#pragma unroll 1
	for (int e = 0; e < n; e++) {
		u64 mine = x >> each * e & element, other = y >> each * e & element;

		if (mine == other)
			continue;
		if (t.floating)
			add_pair(s, load((const char *)&mine, 0, t.dtype), load((const char *)&other, 0, t.dtype));
		else
			s->difference = 1.0 / 0.0;
	}
}

static __device__ void add_word(stretch *s, ulonglong2 x, ulonglong2 y, const gpu_tensor &t)
{
#pragma unroll 1
	for (int half = 0; half < 2; half++) {
		if (x.x != y.x)
			add_eight(s, x.x, y.x, t);
		x.x = x.y;
		y.x = y.y;
	}
}

/* The same of tensors without gaps: bytes `begin` to `end`, whole words of memory. */
static __device__ void add_words(stretch *s, const char *a, const char *b, const gpu_tensor &t, u64 begin, u64 end)
{
	const u64 step = 32 * sizeof(ulonglong2);

#pragma unroll 1
	for (u64 at = begin + threadIdx.x % 32 * sizeof(ulonglong2); at < end; at += WORDS * step) {
		ulonglong2 x[WORDS], y[WORDS];
		int differ = 0;

#pragma unroll
		for (int k = 0; k < WORDS; k++) {
			u64 w = at + k * step < end ? at + k * step : at;

			x[k] = *(const ulonglong2 *)(a + w);
			y[k] = *(const ulonglong2 *)(b + w);
		}
#pragma unroll
		for (int k = 0; k < WORDS; k++)
			differ |= (x[k].x != y[k].x || x[k].y != y[k].y) << k;
		/* From the cache now: this is written out once, and not so often. */
#pragma unroll 1
		for (u64 w = at; differ && w < end; w += step, differ >>= 1)
			if (differ & 1)
				add_word(s, *(const ulonglong2 *)(a + w), *(const ulonglong2 *)(b + w), t);
	}
}

/* Can words of both be held against each other? */
static __device__ bool is_wordly(const char *a, const char *b, const gpu_tensor &t, bool dense)
{
	u64 from = (u64)a, to = (u64)b;

	return dense && (from ^ to) % sizeof(ulonglong2) == 0 && (from & (u64)(t.size - 1)) == 0;
}

/* Of elements `begin` to `end`, which are whole words of memory: from *low to *high. */
static __device__ void words_of(u64 *low, u64 *high, const char *a, const gpu_tensor &t, u64 begin, u64 end)
{
	u64 size = sizeof(ulonglong2), askew = (u64)a % size;
	int bits = size_bits(t);
	u64 from = ((begin << bits) + askew + size - 1) / size, to = ((end << bits) + askew) / size;

	if (from >= to)
		return;
	*low = (from * size - askew) >> bits;
	*high = (to * size - askew) >> bits;
}

static __device__ double of_warp(double v)
{
	for (int apart = 16; apart; apart /= 2)
		v = fmax(v, __shfl_xor_sync(~0u, v, apart));
	return v;
}

/* Where two outputs differ most: found[0] becomes the largest, over all launches,
 * of the difference relative to the largest value beside it (as a float, whose
 * bits have its order), `image` in 6 bits and the tile in 26. A tile of so many
 * elements is looked at in parts, a warp each; tiles beyond 26 bits are the last
 * that fits. */
extern "C" __global__ void avogit_unlike(const char *a, const char *b, gpu_tensor t, u64 tile, u64 part, u64 image,
					 u64 *found)
{
	bool dense = is_dense(t), words = is_wordly(a, b, t, dense);
	u64 parts = (tile + part - 1) / part, tiles = ((u64)t.elements + tile - 1) / tile;
	u64 warps = (u64)gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;

	for (u64 w = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32; w < tiles * parts; w += warps) {
		u64 which = w / parts, begin = which * tile + w % parts * part;
		u64 end = min(min(begin + part, (which + 1) * tile), (u64)t.elements);
		u64 low = end, high = end; /* between them words are looked at */
		stretch s = {0, 0};

		if (words)
			words_of(&low, &high, a, t, begin, end);
		add_words(&s, a, b, t, low << size_bits(t), high << size_bits(t));
#pragma unroll 1
		for (int after = 0; after < 2; after++)
			add_elements(&s, a, b, t, dense, after ? high : begin, after ? end : low);
		s.peak = of_warp(s.peak);
		s.difference = of_warp(s.difference);
		if (lane || !(s.difference > 0))
			continue;
		float most = isinf(s.difference) ? (float)s.difference : (float)(s.difference / s.peak);

		atomicMax(found, (u64)__float_as_uint(most) << 32 | image << 26 | min(which, (1ull << 26) - 1));
	}
}

/* found[0]: elements whose bits differ. */
extern "C" __global__ void avogit_same(const char *a, const char *b, gpu_tensor t, u64 *found)
{
	bool dense = is_dense(t);

	EACH (i, (u64)t.elements) {
		i64 at = place(t, (i64)i, dense) * t.size;

		for (int k = 0; k < t.size; k++)
			if (a[at + k] != b[at + k]) {
				atomicAdd(found, 1ull);
				break;
			}
	}
}
