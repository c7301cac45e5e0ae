#include "core/base/dtype.h"

#include <math.h>

static const struct {
	const char *name;
	size_t bytes;
	bool floating;
} dtypes[] = {
#define X(id, name, bytes, floating) [id] = {name, bytes, floating},
	DTYPES(X)
#undef X
};

const char *dtype_name(enum dtype t)
{
	return dtypes[t].name;
}

size_t dtype_bytes(enum dtype t)
{
	return dtypes[t].bytes;
}

bool dtype_is_float(enum dtype t)
{
	return dtypes[t].floating;
}

bool dtype_parse(enum dtype *t, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dtypes); i++) {
		if (!str_eq(dtypes[i].name, name))
			continue;
		*t = (enum dtype)i;
		return true;
	}
	return false;
}

double dtype_epsilon(enum dtype t)
{
	switch (t) {
	case DTYPE_F64:
		return 0x1p-52;
	case DTYPE_F32:
		return 0x1p-23;
	case DTYPE_F16:
		return 0x1p-10;
	case DTYPE_BF16:
		return 0x1p-7;
	case DTYPE_F8E4M3:
		return 0x1p-3;
	case DTYPE_F8E5M2:
		return 0x1p-2;
	default:
		return 0;
	}
}

/* A small float: `width` bits including the sign, `bits` of fraction, exponents
 * from `lowest` (of subnormals) to `highest`. If it has no infinity, the
 * highest exponent is like the others, except that its last code is NaN. */
struct small {
	int width, bits, lowest, highest;
	bool finite;
};
static const struct small half = {16, 10, -14, 15, false};
static const struct small brain = {16, 7, -126, 127, false};
static const struct small e4m3 = {8, 3, -6, 8, true};
static const struct small e5m2 = {8, 2, -14, 15, false};

static int sign_bit(const struct small *f)
{
	return 1 << (f->width - 1);
}

/* The first code that is not finite: infinity, or the only NaN. */
static int end_of(const struct small *f)
{
	return f->finite ? sign_bit(f) - 1
			 : (f->highest - f->lowest + 2) << f->bits;
}

/* Inputs are made and outputs compared element by element: these three are what
 * ldexp, nearbyint and frexp do, at a tenth of the price. For the same reason
 * what converts small floats is made for each of them, with its numbers known,
 * and no copy has a size that is only known at run time. */
#define FOR_EACH_TYPE static inline __attribute__((always_inline))

/* 2^k, for normal numbers. */
static double power_of_two(int k)
{
	uint64_t bits = (uint64_t)(k + 1023) << 52;
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

/* To the nearest integer, ties to the even one: beyond 2^52 all doubles are
 * integers, so adding that rounds. */
static double rounded(double v)
{
	const double all = 0x1p52;

	if (!(fabs(v) < all))
		return v;
	return v < 0 ? v - all + all : v + all - all;
}

/* The power of two just below v > 0; below all others of subnormal ones. */
static int exponent_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return (int)(bits >> 52 & 0x7ff) - 1023;
}

FOR_EACH_TYPE double small_load(const struct small *f, uint16_t x)
{
	int code = x & (sign_bit(f) - 1);
	int fraction = code & ((1 << f->bits) - 1);
	int exponent = code >> f->bits;
	double sign = x & sign_bit(f) ? -1 : 1, v;
	uint64_t bits;

	if (code >= end_of(f))
		return f->finite || fraction ? (double)NAN
					     : sign * (double)INFINITY;
	if (exponent == 0)
		return sign * fraction * power_of_two(f->lowest - f->bits);
	/* A double has more of both: the same fraction, another exponent. */
	bits = (uint64_t)(exponent - 1 + f->lowest + 1023) << 52 |
	       (uint64_t)fraction << (52 - f->bits) |
	       (uint64_t)(x & sign_bit(f)) << (64 - f->width);
	memcpy(&v, &bits, sizeof v);
	return v;
}

FOR_EACH_TYPE uint16_t small_store(const struct small *f, double v)
{
	int end = end_of(f), sign = signbit(v) ? sign_bit(f) : 0;
	int beyond = f->finite ? end - 1 : end;
	int exponent, code;

	if (isnan(v))
		return (uint16_t)(sign | end |
				  (f->finite ? 0 : 1 << (f->bits - 1)));
	v = fabs(v);
	if (isinf(v))
		return (uint16_t)(sign | beyond);
	exponent = MAX(exponent_of(v), f->lowest);
	if (v == 0 || exponent > f->highest)
		return (uint16_t)(sign | (v == 0 ? 0 : beyond));
	/* In units of the last place. A carry into the next exponent, or into
	 * infinity, gives the right code. */
	code = (int)rounded(v * power_of_two(f->bits - exponent));
	code += (exponent - f->lowest) << f->bits;
	return (uint16_t)(sign | MIN(code, beyond));
}

static uint16_t two_bytes(const unsigned char *p)
{
	uint16_t x;

	memcpy(&x, p, sizeof x);
	return x;
}

#define LOAD(type)                       \
	do {                             \
		type v;                  \
                                         \
		memcpy(&v, p, sizeof v); \
		return (double)v;        \
	} while (0)

FOR_EACH_TYPE double load_one(enum dtype t, const unsigned char *p)
{
	switch (t) {
	case DTYPE_F32:
		LOAD(float);
	case DTYPE_F64:
		LOAD(double);
	case DTYPE_F16:
		return small_load(&half, two_bytes(p));
	case DTYPE_BF16:
		return small_load(&brain, two_bytes(p));
	case DTYPE_F8E4M3:
		return small_load(&e4m3, *p);
	case DTYPE_F8E5M2:
		return small_load(&e5m2, *p);
	case DTYPE_I8:
		LOAD(int8_t);
	case DTYPE_I16:
		LOAD(int16_t);
	case DTYPE_I32:
		LOAD(int32_t);
	case DTYPE_I64:
		LOAD(int64_t);
	case DTYPE_U8:
		LOAD(uint8_t);
	case DTYPE_U16:
		LOAD(uint16_t);
	case DTYPE_U32:
		LOAD(uint32_t);
	case DTYPE_U64:
		LOAD(uint64_t);
	case DTYPE_COUNT:
		break;
	}
	return 0;
}
#undef LOAD

double dtype_load(enum dtype t, const void *array, size_t i)
{
	return load_one(t, (const unsigned char *)array + i * dtype_bytes(t));
}

/* The first 16 bits of a float. */
FOR_EACH_TYPE double load_brain(const unsigned char *p)
{
	uint32_t bits = (uint32_t)two_bytes(p) << 16;
	float v;

	memcpy(&v, &bits, sizeof v);
	return (double)v;
}

/* Without a branch, and without a product of subnormal numbers, which is slow. A
 * subnormal one is made as 2^-14 * 1.f, less the 1. */
FOR_EACH_TYPE double load_half(const unsigned char *p)
{
	uint64_t x = two_bytes(p), exponent = x & 0x7c00;
	uint64_t small = (exponent - 1) >> 63, end = (exponent + 0x400) >> 15;
	uint64_t bits = ((x & 0x7fff) << 42) + ((1008 + small) << 52);
	uint64_t one = small * ((uint64_t)1009 << 52), sign = x >> 15 << 63;
	double v, less;

	/* The largest exponent, of infinity and NaN, is the largest again. */
	bits |= end * ((uint64_t)0x7ff << 52);
	memcpy(&v, &bits, sizeof v);
	memcpy(&less, &one, sizeof less);
	v -= less;
	memcpy(&bits, &v, sizeof bits);
	bits |= sign;
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* The type is known in each of these loops. */
#define EACH(load)                                               \
	do {                                                     \
		for (size_t i = 0; i < n; i++, p += step * size) \
			out[i] = (load);                         \
		return;                                          \
	} while (0)

FOR_EACH_TYPE void load_run(double *out, enum dtype t, const unsigned char *p,
			    size_t step, size_t n)
{
	size_t size = dtypes[t].bytes;

	switch (t) {
	case DTYPE_F32:
		size = sizeof(float);
		EACH(load_one(DTYPE_F32, p));
	case DTYPE_F64:
		size = sizeof(double);
		EACH(load_one(DTYPE_F64, p));
	case DTYPE_F16:
		size = sizeof(uint16_t);
		EACH(load_half(p));
	case DTYPE_BF16:
		size = sizeof(uint16_t);
		EACH(load_brain(p));
	case DTYPE_F8E4M3:
		EACH(load_one(DTYPE_F8E4M3, p));
	case DTYPE_F8E5M2:
		EACH(load_one(DTYPE_F8E5M2, p));
	default:
		EACH(load_one(t, p));
	}
}
#undef EACH

void dtype_load_all(double *out, enum dtype t, const void *array, size_t step,
		    size_t n)
{
	if (step == 1)
		load_run(out, t, array, 1, n);
	else
		load_run(out, t, array, step, n);
}

static bool is_signed(enum dtype t)
{
	return t >= DTYPE_I8 && t <= DTYPE_I64;
}

/* The two's complement bits of v, saturated to the type; NaN is zero. */
static uint64_t integer_bits(enum dtype t, double v)
{
	int bits = (int)dtype_bytes(t) * 8;
	double top = power_of_two(is_signed(t) ? bits - 1 : bits);
	double bottom = is_signed(t) ? -top : 0;

	if (isnan(v))
		return 0;
	v = rounded(v);
	if (v >= top)
		return is_signed(t) ? (UINT64_C(1) << (bits - 1)) - 1
				    : UINT64_MAX;
	if (v <= bottom)
		return is_signed(t) ? UINT64_C(1) << (bits - 1) : 0;
	return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

void dtype_store(enum dtype t, void *array, size_t i, double value)
{
	unsigned char *p = (unsigned char *)array + i * dtype_bytes(t);
	float f32 = (float)value;
	uint16_t small;
	uint64_t bits;

	switch (t) {
	case DTYPE_F32:
		memcpy(p, &f32, sizeof f32);
		break;
	case DTYPE_F64:
		memcpy(p, &value, sizeof value);
		break;
	case DTYPE_F16:
		small = small_store(&half, value);
		memcpy(p, &small, sizeof small);
		break;
	case DTYPE_BF16:
		small = small_store(&brain, value);
		memcpy(p, &small, sizeof small);
		break;
	case DTYPE_F8E4M3:
		*p = (unsigned char)small_store(&e4m3, value);
		break;
	case DTYPE_F8E5M2:
		*p = (unsigned char)small_store(&e5m2, value);
		break;
	default:
		/* Low bytes first: avogit needs a little-endian machine. */
		bits = integer_bits(t, value);
		memcpy(p, &bits, dtype_bytes(t));
	}
}
