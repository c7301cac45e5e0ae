/*
 * A plan replayed: its kernels found in the cubins of the candidate's own
 * compile, and launched with the raw parameters of the capture, side by side
 * where the plan lets them.
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
	CUstream lane[REPLAY_LANES]; /* [0] is where a launch begins and ends */
	CUevent done[PLAN_NODES];    /* what other lanes wait for */
	struct plan_launch *plan;    /* a copy; owned */
	uint32_t images;
	uint32_t launches; /* of the plan: images, or twice as many */
	struct gpu_memory allocation; /* of the plan's own */
	bool pristine; /* set before a plan is taken: allocation is not filled */
	struct {
		const char *name; /* in the plan */
		CUfunction function;
	} kernel[REPLAY_KERNELS];
	size_t n_kernels;
	/* The last plan needs what is not here: a library's kernels. */
	bool foreign;
};

/* NULL or a sentence, as everywhere in the runner. */
const char *replay_open(struct gpu_replay *r, struct gpu_device *g);
/* The device code, once: each piece behind its length in eight bytes. */
const char *replay_load(struct gpu_replay *r, const void *cubins, size_t bytes);
/* Takes a plan of so many images in: hostile bytes. `prepares`: as many launches
 * that prepare them follow. */
const char *replay_take(struct gpu_replay *r, const void *plan, uint32_t images,
			bool prepares);
/* One node of a launch, where lanes.c says. `early`: it need not wait for
 * the end of the kernel before it. */
const char *replay_queue(struct gpu_replay *r, struct plan_node *n,
			 CUstream lane, bool early);
/* Queues one launch: all of it after what is on lane 0, and before what comes
 * there later. `begin`: an event recorded on lane 0 just before. */
const char *replay_launch(struct gpu_replay *r, uint32_t image, CUevent begin);
/* What a launch of the plan takes of the card's queue, at most: kernels, marks,
 * waits. */
uint32_t replay_steps(const struct gpu_replay *r);
/* The same of what prepares an image; nothing where the plan has none. */
const char *replay_prepare(struct gpu_replay *r, uint32_t image, CUevent begin);
/* Lets go of the plan and its memory; another may be taken. */
void replay_release(struct gpu_replay *r);

#endif
