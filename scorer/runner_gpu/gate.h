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
#ifndef RUNNER_GPU_GATE_H
#define RUNNER_GPU_GATE_H

#include "scorer/runner_gpu/gpu.h"

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

/* One a process. */
const char *gate_make(struct gate *g, struct gpu_device *gpu, CUstream stream);
CUresult gate_close(struct gate *g);
/* The last behind it. */
CUresult gate_queue_end(struct gate *g);
/* In any case, once what was queued before is over: the card would wait for
 * ever. */
CUresult gate_open(struct gate *g);
/* Once the driver says that all is over: is it? */
CUresult gate_await_end(struct gate *g);
double gate_now(void);

#endif
