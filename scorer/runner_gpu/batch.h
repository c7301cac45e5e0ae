/*
 * A batch of launches, timed by events: how a launcher times a plan, and a
 * resident the task's own code. Before a batch the caches are filled with
 * other data, or with `cache: warm` with the inputs and outputs of its
 * launches. Each launch has contents of its own, so that results kept from
 * another launch are useless.
 *
 * A kernel that knows the driver can write where events are written. Therefore
 * the batch of a launcher waits on the card, behind a gate, until all of it is
 * queued, and the host's clock, which no kernel can reach, times it too: from
 * the opening of the gate to the end of the batch.
 *
 * Events then do not contain what the host needs to queue a launch. The task's
 * own code is compared with that, so that the batch of a resident waits as
 * well. If a call turns out to wait for the card, the gate is given up, and
 * launches begin as they are queued.
 *
 * At most one batch of a process has a gate, since a signal may have to open
 * it. A batch lasts until the process ends; there is no release.
 *
 * Functions return NULL, or a sentence that says what failed. The sentence
 * lasts until the next call.
 */
#ifndef RUNNER_GPU_BATCH_H
#define RUNNER_GPU_BATCH_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"

/* ---- the gate ------------------------------------------------------------ */

/*
 * A gate holds all work that is queued after it until the host opens it. The
 * value that opens it and the value that reports the end are drawn for each
 * batch, so that a kernel cannot end a batch early by writing over the
 * driver's own progress counters.
 *
 * A driver may have to wait for the card before it queues more: its queue is
 * full, or a kernel needs a larger stack. The task's own code may wait for the
 * card too. A closed gate would then never open, so it opens by itself after a
 * quarter of a second.
 */

/* Entries that a gate takes in the card's queue. */
#define GATE_OWN_STEPS 4

struct gate {
	struct gpu_device *gpu; /* borrowed */
	CUstream stream;	/* borrowed */
	/* In host memory that the card reads; NULL: no gate, and all gate
	 * functions do nothing. */
	volatile uint32_t *word, *end;
	uint32_t key, end_key[2];
	CUevent before;	   /* the end of what was queued before it */
	double start;	   /* when it was opened; seconds, monotonic */
	volatile bool own; /* opened by itself, since the host was stuck */
};

/* ---- the batch ----------------------------------------------------------- */

/* Entries that each launch takes in the card's queue besides its own. */
#define BATCH_STEPS 3

struct batch {
	struct gpu_device *gpu; /* borrowed */
	CUstream stream;	/* borrowed */
	CUevent event[2 * GPU_IMAGES];
	struct gpu_memory flush;	/* several times the cache */
	struct gpu_addresses addresses; /* of the images */
	bool warm;
	struct gate gate; /* none: launches begin as they are queued */
	bool yields; /* the gate is given up if a launch waits for the card */
	uint32_t gate_steps; /* queue entries that may wait for the gate */
	/* Seconds from the opening of the gate to the end of an empty batch,
	 * summed over the parts of a run of `latency_of` launches; 0:
	 * unknown. */
	double latency;
	uint32_t latency_of;
	uint32_t stuck; /* runs in which the gate opened by itself */
	uint32_t steps; /* queue entries of one launch, at most */
};

/* Queues the launch of an image on the stream of the batch. `begin`: the event
 * that was recorded there just before. */
typedef const char *(*launch_fn)(void *arg, uint32_t image, CUevent begin);

/* *b is all zero. Allocates the flush memory and creates the events; `g` and
 * `stream` are borrowed. `gated`: has a gate that does not yield. This is
 * allowed only if no launch itself waits for the card; the caller must then set
 * `steps` before a run. Without it batch_gate may add a gate that yields. */
const char *batch_open(struct batch *b, struct gpu_device *g, CUstream stream,
		       bool gated);
/* Sets where images are, and whether caches are warm. Needed before a run, and
 * again when the buffers have moved. */
const char *batch_place(struct batch *b, const struct gpu_addresses *p,
			bool warm);
/* Adds a gate that yields. `gate_steps`: queue entries that may wait for it (0:
 * no gate); `steps`: entries that a launch is expected to need. If the gate is
 * new, tries a launch of image 0, and gives the gate up if that waits for the
 * card twice. */
const char *batch_gate(struct batch *b, uint32_t gate_steps, uint32_t steps,
		       launch_fn launch, void *arg);
/* Launches the images of q in their order and waits for them. If the gate
 * opened by itself meanwhile, out->stuck is not 0 and the times are not valid;
 * if that comes again, later runs queue less at once or have no gate. */
const char *batch_run(struct gpu_ran_reply *out, struct batch *b,
		      const struct gpu_run_request *q, launch_fn launch,
		      void *arg);

#endif
