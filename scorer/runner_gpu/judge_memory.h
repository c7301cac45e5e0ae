/*
 * The memory of the judge on the GPU: buffers of a case, made and filled
 * there, and how the task's reference is called on them. judge.c serves
 * requests with it.
 *
 * The judge owns all memory of a case; other processes map it by descriptors.
 * An image is the inputs, or the outputs, of one launch of a batch; images lie
 * one after another. A slot is one process's outputs. Sizes are bytes; a seed
 * says with which bytes memory is poisoned.
 *
 * Functions return NULL, or a sentence that says what failed; the sentence
 * lasts until the next call.
 */
#ifndef RUNNER_GPU_JUDGE_MEMORY_H
#define RUNNER_GPU_JUDGE_MEMORY_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"
#include "scorer/runner/reference.h"
#include "scorer/runner/value_memory.h"

/* ---- buffers of a case: buffer_pool.c ------------------------------------ */

/* Buffers of one case. Apart (class isolated): no other process maps `inputs`
 * and `outputs`; each launch gets a copy in new memory (judge_buffers_show).
 * All zero: none. */
struct judge_buffers {
	uint32_t slots; /* 0: none */
	/* What the judge fills and checks. */
	struct gpu_memory inputs, outputs[GPU_SLOTS];
	bool apart;
	struct gpu_memory shown_inputs[GPU_SLOTS], shown_outputs[GPU_SLOTS];
	int shown[2]; /* descriptors of the slot shown last; owned */
	/* Descriptors by which others map it, in the order of an
	 * allocated_reply; owned. */
	int given[GPU_GIVEN];
	uint32_t n_given;
};

/* Allocates `inputs` bytes, and `outputs` bytes for each of 1 to GPU_SLOTS
 * slots, in place of what *r had; contents are undefined. judge_buffers_release
 * disposes, after a failure too. */
const char *judge_buffers_make(struct judge_buffers *r, struct gpu_device *g,
			       size_t inputs, size_t outputs, uint32_t slots,
			       bool apart);
/* For buffers that are apart: allocates inputs and outputs of a slot that no
 * process has mapped before. The caller fills them and then hands r->shown
 * over. */
const char *judge_buffers_show(struct judge_buffers *r, struct gpu_device *g,
			       uint32_t slot);
void judge_buffers_release(struct judge_buffers *r, struct gpu_device *g);

/* ---- the pool of buffers: buffer_pool.c ---------------------------------- */

/* Buffers that are kept for cases that come again: the driver takes ten to
 * thirty milliseconds to allocate gigabytes, and a comparison visits its cases
 * in turn. Kept buffers hold old data: the caller must fill all of them before
 * it uses them. Buffers that are apart are never kept: in class isolated no
 * process may get memory that another one had. */
#define BUFFER_POOL_MAX 16

struct buffer_pool {
	struct judge_buffers buffers[BUFFER_POOL_MAX]; /* oldest first */
	size_t n;
};

/* Moves *r into the pool and empties it; frees it if it must not be kept. A
 * full pool frees its oldest buffers. */
void buffer_pool_put(struct buffer_pool *s, struct judge_buffers *r,
		     struct gpu_device *g);
/* Moves buffers of these sizes from the pool into *r, which must be empty.
 * False if the pool has none. */
bool buffer_pool_take(struct judge_buffers *r, struct buffer_pool *s,
		      const struct gpu_device *g, size_t inputs, size_t outputs,
		      uint32_t slots);
/* Frees the oldest until the pool holds at most an eighth of the card's memory,
 * and half as much is free. */
void buffer_pool_trim(struct buffer_pool *s, struct gpu_device *g);
void buffer_pool_clear(struct buffer_pool *s, struct gpu_device *g);

/* ---- the judge, and contents: judge_memory.c ----------------------------- */

struct judge_memory {
	struct elsewhere elsewhere; /* first: callbacks cast it back */
	struct gpu_device gpu;
	struct reference reference;
	struct entry_call call;
	struct judge_buffers buffers; /* of the current case */
	struct buffer_pool pool;
	struct gpu_memory spare; /* inputs of a launch that is not timed */
	/* What the reference and `plain` (enum side) are called with, by
	 * argument. */
	struct gpu_memory array[2][TASK_MAX_ARGS];
	struct gpu_memory found;     /* counts of avogit_look */
	struct mapping outputs_copy; /* rows of one image, at their offsets */
	/* What the task's generators made, in another process; NULL: they are
	 * in this one. Borrowed. */
	unsigned char *generated;
	/* Where reference and plain are in other processes. */
	struct value_memory values;
};

/* How the reference reaches this memory: see struct elsewhere. */
struct elsewhere judge_memory_elsewhere(void);
/* The same where reference and plain are in other processes, which get a copy
 * of the inputs in j->values. */
struct elsewhere judge_memory_by_runners(void);
/* Fills `bytes` bytes (whole words of eight) with poison; waits. */
const char *judge_memory_poison(struct judge_memory *j, CUdeviceptr at,
				size_t bytes, uint64_t seed);
/* Fills every image of the inputs, and the gaps between tensors with poison. */
const char *judge_memory_fill(struct judge_memory *j,
			      const struct recipe *recipe);
/* The same, but leaves the gaps between tensors unchanged. */
const char *judge_memory_fill_tensors(struct judge_memory *j,
				      const struct recipe *recipe);
/* Prepares the outputs of a slot for a launch (the shown copy, if buffers are
 * apart): poison, then judge_memory_begin_outputs for each image. */
const char *judge_memory_poison_outputs(struct judge_memory *j, uint32_t slot,
					uint64_t seed);
/* Image k of outputs, which begins at `image`: writes the initial contents of
 * inout arguments, and zeros in workspaces that ask for them. */
const char *judge_memory_begin_outputs(struct judge_memory *j,
				       CUdeviceptr image, uint32_t k);
/* Queues the contents of argument i for one tensor in image k; does not wait. */
const char *judge_memory_fill_one(struct judge_memory *j, CUdeviceptr at,
				  const struct tensor_layout *t,
				  const struct recipe *recipe, size_t i,
				  uint32_t k);
/* Is argument i an output, or inout? Workspaces are not. */
bool entry_call_is_output(const struct entry_call *c, size_t i);
/* Sets the range from the first element of a segment (NULL: the whole tensor)
 * to its last, in bytes of an array with elements of `size` bytes. */
void tensor_span(size_t *at, size_t *bytes, const struct tensor_layout *t,
		 size_t size, const struct segment *s);

/* ---- guards and poison: poison.c ----------------------------------------- */

/* Finds guards that were written and elements that were not, on the card.
 * Kernels count into j->found: guard bytes that changed, elements that nothing
 * wrote, and the first such element. `begin` clears the counts; `end` waits for
 * the kernels and copies them. */
const char *gpu_poison_count_begin(struct judge_memory *j);
const char *gpu_poison_count_end(uint64_t found[3], struct judge_memory *j);

/* Checks one tensor of a region that begins at `at` and was poisoned from
 * `seed`. Sets *a if something is wrong. */
const char *gpu_poison_check_tensor(struct judge_answer *a,
				    struct judge_memory *j, CUdeviceptr at,
				    const struct tensor_layout *t,
				    uint64_t seed);
/* Checks all images of outputs, the first at `image`; *a says what is wrong in
 * the first wrong image. Image `idle` (GPU_NO_IMAGE: none) was not launched and
 * must be untouched. */
const char *gpu_poison_check_images(struct judge_answer *a,
				    struct judge_memory *j, CUdeviceptr image,
				    uint32_t idle, uint64_t seed);

#endif
