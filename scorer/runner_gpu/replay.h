/*
 * Replays a plan: finds its kernels in the cubins of the same compile and
 * launches them with the raw parameters of the capture, in parallel if the plan
 * allows it.
 *
 * A plan is hostile input: replay_take checks every count. Functions return
 * NULL, or a sentence that says what failed.
 */
#ifndef RUNNER_GPU_REPLAY_H
#define RUNNER_GPU_REPLAY_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"

#define REPLAY_KERNELS 256
#define REPLAY_MODULES 16
#define REPLAY_LANES   8

struct gpu_replay {
	struct gpu_device *gpu; /* borrowed */
	CUmodule module[REPLAY_MODULES];
	size_t n_modules;
	CUstream lane[REPLAY_LANES]; /* a launch begins and ends on [0] */
	CUevent done[PLAN_NODES];    /* what other lanes wait for */
	struct plan_launch *plan;    /* a copy; owned */
	uint32_t images;
	uint32_t launches; /* of the plan: images, or twice as many */
	struct gpu_memory
		allocation; /* memory that the plan itself allocates */
	bool pristine; /* set before replay_take: leave the allocation unfilled */
	struct {
		const char *name; /* in the plan */
		CUfunction function;
	} kernel[REPLAY_KERNELS];
	size_t n_kernels;
	/* The last plan needs kernels that are not in the cubins, but in a
	 * library. */
	bool foreign;
};

/* NULL or a sentence, as everywhere in the runner. */
const char *replay_open(struct gpu_replay *r, struct gpu_device *g);
/* Loads the device code, once: each piece follows its length in eight bytes. */
const char *replay_load(struct gpu_replay *r, const void *cubins, size_t bytes);
/* Loads a plan of `images` launches; with `prepares`, as many launches follow
 * that prepare them. */
const char *replay_take(struct gpu_replay *r, const void *plan, uint32_t images,
			bool prepares);
/* Queues one node of a launch on a lane (lanes.c). `early`: it need not wait
 * for the end of the kernel before it. */
const char *replay_queue(struct gpu_replay *r, struct plan_node *n,
			 CUstream lane, bool early);
/* Queues one launch: after all that is on lane 0, and before what is queued
 * there later. `begin`: an event recorded on lane 0 just before. */
const char *replay_launch(struct gpu_replay *r, uint32_t image, CUevent begin);
/* The most entries that a launch of the plan takes in the card's queue:
 * kernels, events, waits. */
uint32_t replay_steps(const struct gpu_replay *r);
/* Queues the prepare part of an image; does nothing if the plan has none. */
const char *replay_prepare(struct gpu_replay *r, uint32_t image, CUevent begin);
/* Frees the plan and its memory; another may be loaded. */
void replay_release(struct gpu_replay *r);

#endif
