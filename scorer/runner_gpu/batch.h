/*
 * A batch of launches between events, on caches that hold something else, or
 * with `cache: warm` each launch's own inputs and outputs: how a launcher times
 * a plan, and a resident the task's own code. Warm or cold, every launch has
 * contents of its own: what a kernel kept of another is worth nothing.
 *
 * Events are written where a kernel that knows the driver can write too. A
 * launcher's batch therefore waits on the card until all of it is queued, and
 * is timed by the host's own clock as well, which no kernel can reach: from
 * letting it go to its end.
 *
 * What the host takes for a launch is then in no event. The task's own code is
 * held against that, so a resident's batch waits as well, unless a call waits
 * for the card, which nobody knows before: then the gate is given up, and
 * launches begin as they are queued.
 */
#ifndef RUNNER_GPU_BATCH_H
#define RUNNER_GPU_BATCH_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"

/*
 * What is queued behind a gate waits on the card until the host lets it go, and
 * is timed by the host's clock from there to its end. Nobody can tell ahead of
 * time what the card waits for, nor what it reports at the end: both are drawn
 * anew each time, so that a kernel which writes over the driver's own words for
 * how far the card is does not end it early.
 *
 * A driver may want the card to end what it has before it takes more: its queue
 * is full, or a kernel needs a larger stack. A task's own code may itself wait
 * for the card. Behind a gate that is for ever, so that a gate opens by itself
 * after a while.
 */

/* What it takes of the card's queue. */
#define GATE_OWN_STEPS 4

struct gate {
	struct gpu_device *gpu; /* borrowed */
	CUstream stream;	/* borrowed */
	/* On the host, written from outside; NULL: there is no gate, and the
	 * rest does nothing. */
	volatile uint32_t *word, *end;
	uint32_t key, end_key[2];
	CUevent before;	   /* what was queued before it is over */
	double start;	   /* when it was opened */
	volatile bool own; /* by itself, since the host was stuck */
};

/* What a launch takes of the card's queue beside its own. */
#define BATCH_STEPS 3

struct batch {
	struct gpu_device *gpu; /* borrowed */
	CUstream stream;	/* borrowed */
	CUevent event[2 * GPU_IMAGES];
	struct gpu_memory flush;	/* several times the cache */
	struct gpu_addresses addresses; /* of the images */
	bool warm;
	struct gate gate;    /* none: launches begin as they are queued */
	bool yields;	     /* given up where a launch waits for the card */
	uint32_t gate_steps; /* that fit behind it */
	/* From opening it to the end of nothing, over all parts of a run of so
	 * many launches; 0: not known. */
	double latency;
	uint32_t latency_of;
	uint32_t stuck; /* runs in which it had to open by itself */
	uint32_t steps; /* that one launch takes of the card's queue, at most */
};

typedef const char *(*launch_fn)(void *arg, uint32_t image, CUevent begin);

/* `gated`: only where no launch waits for the card itself. Then `steps` has to
 * be set before a run. Else it may get a gate that yields (batch_gate). */
const char *batch_open(struct batch *b, struct gpu_device *g, CUstream stream,
		       bool gated);
/* Where the images lie from here on. */
const char *batch_place(struct batch *b, const struct gpu_addresses *p,
			bool warm);
/* From now on behind a gate that is given up where it must be: one launch, of
 * image 0, is tried where there was none. So many steps fit behind it (0: no gate), and a launch is
 * taken to need `steps` of them. */
const char *batch_gate(struct batch *b, uint32_t gate_steps, uint32_t steps,
		       launch_fn launch, void *arg);
/* The images of q in their order; waits for them. */
const char *batch_run(struct gpu_ran_reply *out, struct batch *b,
		      const struct gpu_run_request *q, launch_fn launch,
		      void *arg);

#endif
