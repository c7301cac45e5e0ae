/*
 * What the judge on the GPU works on, and how the reference gets at it: the
 * memory of a case, made and filled there, and the task's functions called
 * there. judge.c serves requests on it.
 */
#ifndef RUNNER_GPU_JUDGE_MEMORY_H
#define RUNNER_GPU_JUDGE_MEMORY_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"
#include "scorer/runner/reference.h"

/*
 * The memory of a case as the judge has it, and where it keeps that of cases
 * that will come again: taking gigabytes from the driver takes ten to thirty
 * milliseconds, and a comparison goes from case to case. What is kept is not
 * clean: its contents are whatever was written there last, so that whoever takes
 * it fills all of it. Memory of class isolated is never kept: nobody there gets
 * what somebody else had.
 */

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

struct judge_memory {
	struct elsewhere elsewhere; /* first: its callbacks cast back */
	struct gpu_device gpu;
	struct reference reference;
	struct entry_call call;
	struct judge_buffers buffers; /* of this call */
	struct buffer_pool pool;
	struct gpu_memory spare; /* inputs of a launch nobody times */
	struct gpu_memory array[2][TASK_MAX_ARGS];
	struct gpu_memory found;     /* what avogit_look counts */
	struct mapping outputs_copy; /* rows of one image, at their places */
};

/* The reference's way there: see struct elsewhere. */
struct elsewhere judge_memory_elsewhere(void);
/* Spreads poison over so many bytes. */
const char *judge_memory_poison(struct judge_memory *j, CUdeviceptr at,
				size_t bytes, uint64_t seed);
/* Contents for every image of the inputs; what lies between is poison. */
const char *judge_memory_fill(struct judge_memory *j,
			      const struct recipe *recipe);
/* The same, and nothing is written between. */
const char *judge_memory_fill_tensors(struct judge_memory *j,
				      const struct recipe *recipe);
/* Poison in the outputs of a slot (in what is shown, where that is apart),
 * zeros in workspaces that ask for them, and what inout arguments begin with. */
const char *judge_memory_poison_outputs(struct judge_memory *j, uint32_t slot,
					uint64_t seed);
/* That, and zeros in workspaces that ask for them. */
const char *judge_memory_begin_outputs(struct judge_memory *j,
				       CUdeviceptr image, uint32_t k);
/* What argument i of a recipe holds, in one tensor: queued, not waited for. */
const char *judge_memory_fill_one(struct judge_memory *j, CUdeviceptr at,
				  const struct tensor_layout *t,
				  const struct recipe *recipe, size_t i,
				  uint32_t k);
bool entry_call_is_output(const struct entry_call *c, size_t i);
/* The bytes from the first element of a segment (NULL: everything) to its
 * last, in an array of elements of `size`. */
void tensor_span(size_t *at, size_t *bytes, const struct tensor_layout *t,
		 size_t size, const struct segment *s);

/* ---- guards and poison: poison.c ----------------------------------------- */

/*
 * Looking round tensors where the card has them: guards that somebody wrote,
 * elements that nobody did.
 */

/* What kernels count into j->found: two numbers and the smallest of a third.
 * Begin sets them, end waits for the kernels and brings what they counted. */
const char *gpu_poison_count_begin(struct judge_memory *j);
const char *gpu_poison_count_end(uint64_t found[3], struct judge_memory *j);

/* One tensor of a region that begins at `at`, poisoned from `seed`. */
const char *gpu_poison_check_tensor(struct judge_answer *a,
				    struct judge_memory *j, CUdeviceptr at,
				    const struct tensor_layout *t,
				    uint64_t seed);
/* All that was to be written in all images of outputs, the first at `image`;
 * what is wrong in the first where something is. Image `idle`, if there is one
 * of that number, nobody was to write. */
const char *gpu_poison_check_images(struct judge_answer *a,
				    struct judge_memory *j, CUdeviceptr image,
				    uint32_t idle, uint64_t seed);

#endif
