/*
 * Which GPUs are there. Asked of the driver by a process of its own, which
 * opens libcuda.so.1: avogit is not linked to CUDA and never opens it, so
 * that it starts where there is none, and a driver that crashes or hangs does
 * not take it along.
 *
 * AVOGIT_LIBCUDA in the environment is the path of another library than
 * libcuda.so.1; runners get it too.
 *
 * Of several the first is used. CUDA_VISIBLE_DEVICES chooses, as it does for
 * all programs in CUDA (a number or a UUID; a scheduler sets it): the driver
 * itself reads it. A runner sees that one card alone.
 */
#ifndef SCORER_DEVICE_GPU_H
#define SCORER_DEVICE_GPU_H

#include "core/base/error.h"
#include "scorer/wire/gpu_reach.h"
#include "core/base/strvec.h"

#define GPU_MAX 16

struct gpu {
	char name[128];	  /* "NVIDIA H200" */
	char uuid[48];	  /* "GPU-8a4f..."; "" where the driver cannot say */
	int node;	  /* N of its /dev/nvidiaN; -1 where not known */
	int major, minor; /* compute capability */
	uint64_t memory;  /* bytes */
	enum gpu_reach reach;
};

struct gpus {
	struct gpu gpu[GPU_MAX]; /* in the driver's order */
	size_t n;
	int cuda; /* what the driver can do, 13000 for 13.0; 0: unknown */
	/* Where n is 0, one sentence: "libcuda.so.1 cannot be opened: ...",
	 * "the driver says 100 (no device)"; else empty. */
	char why[256];
};

/* Finding none is no error. Takes as long as the driver's start (half a
 * second), a few milliseconds where there is no driver. */
struct error *gpu_probe(struct gpus *out) MUST_CHECK;
/* The same with the cards that CUDA_VISIBLE_DEVICES hides. */
struct error *gpu_probe_all(struct gpus *out) MUST_CHECK;
/* A memfd of the library that AVOGIT_LIBCUDA names, for a runner's
 * RUNNER_DRIVER_FD, since a sandbox does not show where it lies; -1 without. */
struct error *gpu_driver_open(int *fd) MUST_CHECK;

#define GPU_ARCH_SIZE 16
/* The architecture to compile for: "sm_90a", "sm_80". */
void gpu_arch(char out[GPU_ARCH_SIZE], const struct gpu *g);
/* Empties *gpus, with a sentence in `why`, where the first card cannot run
 * code for this architecture. */
void gpus_keep_for(struct gpus *gpus, const char *arch);

/* ---- what a program sees of the cards ------------------------------------ */

/* The variable of the environment by which a user, or a scheduler, chooses cards. */
#define GPU_VISIBLE "CUDA_VISIBLE_DEVICES"

/* Adds the variables by which the user chooses cards: for programs that get an
 * environment of their own, so that they see the same cards in the same order. */
void gpu_environment(struct strvec *env);
/* For a program that may use this card and no other: the variables by which
 * the driver takes it, whatever the user's own say, and its device node. Where
 * the card's name or node is not known: the user's variables, and all nodes. */
void gpu_alone(struct strvec *env, struct strvec *nodes, const struct gpu *g);

#endif
