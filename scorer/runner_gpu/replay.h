/*
 * Replays a plan: finds its kernels in the cubins of the same compile, or in
 * those that the plan itself holds, and launches them with the raw parameters of the capture, in parallel if the plan
 * allows it.
 *
 * In this order: replay_open, replay_load, then replay_take for each plan. What
 * is queued runs after all that lane 0 held before, and lane 0 waits for it.
 *
 * A plan is hostile input: replay_take checks every count. Functions return
 * NULL, or a sentence that says what failed; the sentence lasts until the next
 * call.
 */
#ifndef RUNNER_GPU_REPLAY_H
#define RUNNER_GPU_REPLAY_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"

#define REPLAY_KERNELS	   256
#define REPLAY_MODULES	   16
#define REPLAY_OWN_MODULES PLAN_NODES
#define REPLAY_LANES	   8

struct gpu_replay {
	struct gpu_device *gpu;		 /* borrowed */
	CUmodule module[REPLAY_MODULES]; /* of the build */
	size_t n_modules;
	CUmodule own[REPLAY_OWN_MODULES]; /* of the plan */
	size_t n_own;
	CUstream lane[REPLAY_LANES]; /* a launch begins and ends on [0] */
	CUevent done[PLAN_NODES];    /* what other lanes wait for */
	struct plan_launch *plan;    /* a copy; owned */
	uint32_t images;
	uint32_t launches; /* of the plan: images, or twice as many */
	/* Memory that the plan itself allocates, 8 GiB at most. It is filled
	 * with bytes that no kernel wrote, unless the caller has set `pristine`
	 * before replay_take. */
	struct gpu_memory allocation;
	bool pristine;
	struct {
		const char *name; /* in the plan */
		uint32_t module;  /* of plan_node */
		CUfunction function;
	} kernel[REPLAY_KERNELS];
	size_t n_kernels;
	/* The last plan needs kernels that are not in the cubins, but in a
	 * library. */
	bool foreign;
};

/* ---- the device code and the plan: replay.c ------------------------------ */

/* *r is all zero but for `pristine`. Makes lanes and events; borrows `g`. */
const char *replay_open(struct gpu_replay *r, struct gpu_device *g);
/* Loads the device code of the build, once: each piece follows its length in
 * eight bytes. The caller keeps `cubins`. */
const char *replay_load(struct gpu_replay *r, const void *cubins, size_t bytes);
/* Copies and checks a plan of `images` launches, in place of the one before;
 * with `prepares`, as many launches follow that prepare them. `plan` must be as
 * large as these, and `code_bytes` of device code follow (PLAN_CODE_BYTES).
 * replay_release disposes, after a failure too. */
const char *replay_take(struct gpu_replay *r, const void *plan, uint32_t images,
			bool prepares, size_t code_bytes);
/* Queues one node of a launch on a lane (lanes.c). `early`: it need not wait
 * for the end of the kernel before it. */
const char *replay_queue(struct gpu_replay *r, struct plan_node *n,
			 CUstream lane, bool early);

/* ---- launches: lanes.c --------------------------------------------------- */

/* Queues one launch: after all that is on lane 0, and before what is queued
 * there later. `begin`: an event recorded on lane 0 just before. `image` is
 * below the number of images of the plan. */
const char *replay_launch(struct gpu_replay *r, uint32_t image, CUevent begin);
/* The most entries that a launch of the plan takes in the card's queue:
 * kernels, events, waits. */
uint32_t replay_steps(const struct gpu_replay *r);
/* Queues the prepare part of an image; does nothing if the plan has none. */
const char *replay_prepare(struct gpu_replay *r, uint32_t image, CUevent begin);
/* Frees the plan and its memory; another may be taken. Device code stays. */
void replay_release(struct gpu_replay *r);

#endif
