/*
 * The element types of arguments. f8e4m3 is that of NVIDIA and OCP (without
 * infinity: beyond 448 it gives NaN, or with saturation 448); f8e5m2 is IEEE's
 * binary16 without its last eight bits.
 */
#ifndef CORE_BASE_DTYPE_H
#define CORE_BASE_DTYPE_H

#include "core/base/base.h"

/* X(enumerator, name in task files, bytes, is floating) */
#define DTYPES(X)                          \
	X(DTYPE_F32, "f32", 4, true)       \
	X(DTYPE_F64, "f64", 8, true)       \
	X(DTYPE_F16, "f16", 2, true)       \
	X(DTYPE_BF16, "bf16", 2, true)     \
	X(DTYPE_I8, "i8", 1, false)        \
	X(DTYPE_I16, "i16", 2, false)      \
	X(DTYPE_I32, "i32", 4, false)      \
	X(DTYPE_I64, "i64", 8, false)      \
	X(DTYPE_U8, "u8", 1, false)        \
	X(DTYPE_U16, "u16", 2, false)      \
	X(DTYPE_U32, "u32", 4, false)      \
	X(DTYPE_U64, "u64", 8, false)      \
	X(DTYPE_F8E4M3, "f8e4m3", 1, true) \
	X(DTYPE_F8E5M2, "f8e5m2", 1, true)

enum dtype {
#define X(id, name, bytes, floating) id,
	DTYPES(X)
#undef X
		DTYPE_COUNT
};

const char *dtype_name(enum dtype t);
size_t dtype_bytes(enum dtype t);
bool dtype_is_float(enum dtype t);
bool dtype_parse(enum dtype *t, const char *name);
/* Distance from 1 to the next larger value; 0 for integers. */
double dtype_epsilon(enum dtype t);
/* Element i of an array of this type, as a double. */
double dtype_load(enum dtype t, const void *array, size_t i);
/* Elements 0, step, 2 * step, ..., n of them: several at a time where a CPU can. */
void dtype_load_all(double *out, enum dtype t, const void *array, size_t step,
		    size_t n);
/* Rounds to nearest even. Integers saturate, and so does f8e4m3 (CUDA's
 * default), because it has no infinity. */
void dtype_store(enum dtype t, void *array, size_t i, double value);

#endif
