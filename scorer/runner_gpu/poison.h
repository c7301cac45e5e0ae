/*
 * Looking round tensors where the card has them: guards that somebody wrote,
 * elements that nobody did.
 */
#ifndef RUNNER_GPU_POISON_H
#define RUNNER_GPU_POISON_H

#include "scorer/runner_gpu/judge_memory.h"

/* What kernels count into j->found: two numbers and the smallest of a third.
 * Begin sets them, end waits for the kernels and brings what they counted. */
const char *look_begin(struct gpu_bench *j);
const char *look_end(uint64_t found[3], struct gpu_bench *j);

/* One tensor of a region that begins at `at`, poisoned from `seed`. */
const char *look_tensor(struct answer *a, struct gpu_bench *j, CUdeviceptr at,
			const struct tensor_layout *t, uint64_t seed);
/* All that was to be written in all images of outputs, the first at `image`;
 * what is wrong in the first where something is. Image `idle`, if there is one
 * of that number, nobody was to write. */
const char *look_images(struct answer *a, struct gpu_bench *j,
			CUdeviceptr image, uint32_t idle, uint64_t seed);

#endif
