/*
 * The memory of a case as the judge has it, and where it keeps that of cases
 * that will come again: taking gigabytes from the driver takes ten to thirty
 * milliseconds, and a comparison goes from case to case. What is kept is not
 * clean: its contents are whatever was written there last, so that whoever takes
 * it fills all of it. Memory of class isolated is never kept: nobody there gets
 * what somebody else had.
 */
#ifndef RUNNER_GPU_BUFFER_POOL_H
#define RUNNER_GPU_BUFFER_POOL_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"

struct judge_buffers {
	uint32_t slots; /* 0: none */
	/* What is looked at. Apart (class isolated): nobody else maps it, and
	 * the others see copies, others for every launch (judge_buffers_show). */
	struct gpu_memory inputs, outputs[GPU_SLOTS];
	bool apart;
	struct gpu_memory shown_inputs[GPU_SLOTS], shown_outputs[GPU_SLOTS];
	int shown[2]; /* of the slot that was shown last; owned */
	/* What others map it by, as an allocated_reply has them; owned. */
	int given[GPU_GIVEN];
	uint32_t n_given;
};

/* Makes inputs of so many bytes, and outputs of so many for each of 1 to GPU_SLOTS
 * slots. NULL or a sentence, as everywhere in the runner; judge_buffers_release
 * disposes in either case. */
const char *judge_buffers_make(struct judge_buffers *r, struct gpu_device *g,
			       size_t inputs, size_t outputs, uint32_t slots,
			       bool apart);
/* Memory that no other process ever had, to be filled and then handed over by
 * r->shown: inputs and outputs of a slot of buffers that are apart. */
const char *judge_buffers_show(struct judge_buffers *r, struct gpu_device *g,
			       uint32_t slot);
void judge_buffers_release(struct judge_buffers *r, struct gpu_device *g);

#define BUFFER_POOL_MAX 16

struct buffer_pool {
	struct judge_buffers buffers[BUFFER_POOL_MAX]; /* the oldest first */
	size_t n;
};

/* Takes what `r` has, which has nothing after that; lets go of it at once where
 * it may not be kept. */
void buffer_pool_put(struct buffer_pool *s, struct judge_buffers *r,
		     struct gpu_device *g);
/* One like that into *r, which has nothing; false: there is none. */
bool buffer_pool_take(struct judge_buffers *r, struct buffer_pool *s,
		      const struct gpu_device *g, size_t inputs, size_t outputs,
		      uint32_t slots);
/* Lets go of the oldest until all that is kept is an eighth of the card's memory
 * at most, and half of that is free. */
void buffer_pool_trim(struct buffer_pool *s, struct gpu_device *g);
void buffer_pool_clear(struct buffer_pool *s, struct gpu_device *g);

#endif
