/*
 * Looking round tensors where the card has them: guards that somebody wrote,
 * elements that nobody did.
 */
#ifndef RUNNER_GPU_POISON_H
#define RUNNER_GPU_POISON_H

#include "scorer/runner_gpu/judge_memory.h"

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
