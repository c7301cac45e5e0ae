/*
 * What the judge on the GPU works on, and how the reference gets at it: the
 * memory of a case, made and filled there, and the task's functions called
 * there. judge.c serves requests on it.
 */
#ifndef RUNNER_GPU_JUDGE_MEMORY_H
#define RUNNER_GPU_JUDGE_MEMORY_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"
#include "scorer/runner_gpu/kernels.h"
#include "scorer/runner_gpu/buffer_pool.h"
#include "scorer/runner/reference.h"

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

#endif
