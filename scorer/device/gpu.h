/*
 * Finds the GPUs of the machine. A separate process asks the driver through
 * libcuda.so.1. avogit is not linked to CUDA and never opens it, so it starts
 * without a driver, and a driver that crashes or hangs does not affect it.
 *
 * AVOGIT_LIBCUDA in the environment is the path of a library to use instead of
 * libcuda.so.1, also in runners.
 *
 * Of several GPUs the first is used, or the one that is chosen (gpus_choose).
 * CUDA_VISIBLE_DEVICES chooses, too, as for all CUDA programs (a number or a
 * UUID; a scheduler sets it): the driver itself reads it. A runner sees only
 * that card.
 */
#ifndef SCORER_DEVICE_GPU_H
#define SCORER_DEVICE_GPU_H

#include "core/base/error.h"
#include "scorer/wire/gpu_reach.h"
#include "core/base/strvec.h"

#define GPU_MAX 16

struct gpu {
	char name[128];	  /* "NVIDIA H200" */
	char uuid[48];	  /* "GPU-8a4f..."; "" if the driver cannot say */
	int node;	  /* N of its /dev/nvidiaN; -1: unknown */
	int major, minor; /* compute capability */
	uint64_t memory;  /* bytes */
	enum gpu_reach reach;
};

struct gpus {
	struct gpu gpu[GPU_MAX]; /* in the driver's order */
	size_t n;
	int cuda; /* what the driver supports, 13000 for 13.0; 0: unknown */
	/* If n is 0, one sentence: "libcuda.so.1 cannot be opened: ...", "the
	 * driver says 100 (no device)"; else empty. */
	char why[256];
};

/* Fills *out; to find no GPU is not an error. Takes as long as the driver's
 * start (half a second), or a few milliseconds without a driver. */
struct error *gpu_probe(struct gpus *out) MUST_CHECK;
/* The same, including the cards that CUDA_VISIBLE_DEVICES hides. */
struct error *gpu_probe_all(struct gpus *out) MUST_CHECK;
/* Opens a memfd with the library that AVOGIT_LIBCUDA names, for a runner's
 * RUNNER_DRIVER_FD: a sandbox does not show its place; -1 if it is not set. */
struct error *gpu_driver_open(int *fd) MUST_CHECK;

#define GPU_ARCH_SIZE 16
/* The architecture to compile for: "sm_90a", "sm_80". */
void gpu_arch(char out[GPU_ARCH_SIZE], const struct gpu *g);
/* If the first card cannot run code for this architecture, empties *gpus and
 * sets `why`. */
void gpus_keep_for(struct gpus *gpus, const char *arch);

/* Leaves the one card that `word` names: its number in *gpus (from 0), or the
 * beginning of its UUID. ERROR_USAGE if it names none or several, ERROR_REFUSED
 * if there is no card. */
struct error *gpus_choose(struct gpus *gpus, const char *word) MUST_CHECK;
/* Can a program be made to see only this card? Not without its UUID, and not a
 * part of a card (MIG), whose name the driver does not give. */
bool gpu_can_be_alone(const struct gpu *g);

/* ---- which cards a program sees ---------------------------------------- */

/* The environment variable by which a user or a scheduler chooses cards. */
#define GPU_VISIBLE "CUDA_VISIBLE_DEVICES"

/* Adds the variable that makes the driver choose this card, whatever the user
 * set. If it cannot be named, or is NULL: the variables by which the user
 * chooses cards, so that programs with their own environment see the same cards
 * in the same order. */
void gpu_visible(struct strvec *env, const struct gpu *g);
/* For a program that may use only this card: the variables that make the driver
 * choose it, whatever the user set, and its device node. If the card's name or
 * node is unknown: the user's variables, and all nodes. */
void gpu_alone(struct strvec *env, struct strvec *nodes, const struct gpu *g);

#endif
