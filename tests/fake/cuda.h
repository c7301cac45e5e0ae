/*
 * A driver of our own, for machines without a GPU: a libcuda.so.1 with the
 * functions that a runner uses, whose device is the CPU. Memory is shared
 * memory that can be exported, streams run what they are given at once (after a
 * gate: when a caller waits for them),
 * captured streams make graphs, a write to what is mapped read-only is a
 * CUDA_ERROR_ILLEGAL_ADDRESS, events are a clock. Device code is what
 * tests/fake/nvcc makes: an ELF object for the CPU.
 *
 * What it does wrong is linked into it: the text `fake_faults`, a line a
 * fault,
 *
 *     ROLE FUNCTION N ACTION
 *
 * in runners of that role (`spare` from its start on, `launcher` or `capturer`
 * from when it is one; `*`: all; `score`: in the process by which `avogit
 * score` asks what there is), at the Nth call of that function of
 * scorer/runner_gpu/cuda_abi.h (`*`: at each). ACTION is the number of an
 * error, `hang` (its process has that name then), `die` (by a signal), `exit`,
 * or `odd`: what the function gives is not what it should be; `short`: it is no
 * time at all; `full`: it waits until the card has done what it was given;
 * `turn`: it waits until no other process of the machine does this, and then takes
 * 0.12 s, as a driver that opens a card for one at a time;
 * `late`: the process is held up for a fifth of a second first, `slow`: for a
 * whole one, `waits`: for ten, and has that name meanwhile. FUNCTION may also be the name of a kernel, of which any ACTION but
 * those that end something makes one that does nothing; or card_0 or card_1,
 * which then cannot be opened; or hmm or ats: kernels are then said to reach
 * ordinary memory by that. The machine has one card, two where `count` is odd.
 */
#ifndef TESTS_FAKE_CUDA_H
#define TESTS_FAKE_CUDA_H

#include "core/base/base.h"
#include "scorer/runner_gpu/cuda_abi.h"

enum {
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	DEVICE_UNAVAILABLE = 46,
	OPERATING_SYSTEM = 304,
	NOT_FOUND = 500,
	ODD = -1, /* these of fault(), never of a function */
	SHORT = -2,
	FULL = -3,
};

/* ---- faults.c ------------------------------------------------------------ */

/* What this call of `function` answers instead of doing its work; 0: nothing.
 * Where it is to hang or die it does not return. */
int fault(const char *function);
/* The number of the card whose context this process has. */
extern int card_in_use;

/* Runs f(arg) as a kernel: what it touches and may not is an error, and from
 * then on everything is. */
CUresult guarded(void (*f)(void *arg), void *arg);
/* The error that the device is in. */
CUresult device_state(void);

/* The first thing every function does. */
#define ENTER(function)                        \
	int odd = fault(function);             \
	do {                                   \
		if (odd > 0)                   \
			return odd;            \
		if (device_state())            \
			return device_state(); \
	} while (0)

/* ---- kernels.c ------------------------------------------------------------ */

/* A kernel on the CPU: all of its grid at once. */
typedef void (*kernel_fn)(void **parameters);
struct own_kernel {
	const char *name;
	kernel_fn run;
	const unsigned *sizes; /* of its parameters, 0 at the end */
};
/* One of the scorer's own; NULL: none of that name. */
const struct own_kernel *own_kernel(const char *name);

/* ---- cuda.c --------------------------------------------------------------- */

struct CUmod_st {
	void *library; /* NULL: the scorer's own kernels */
};
struct CUfunc_st {
	char name[64];
	kernel_fn run;
	const unsigned *sizes;
};
/* Zeros, or the end of the process. */
void *take(size_t bytes);
/* Where parameter i lies: as C lays out a struct of them. */
size_t offset_of(const struct CUfunc_st *f, size_t i);

#endif
