/* The arguments of the scorer's own kernels, as kernels.cu has them. */
#ifndef RUNNER_GPU_KERNELS_H
#define RUNNER_GPU_KERNELS_H

#include "core/task/layout.h"

struct gpu_tensor {
	int64_t shape[TASK_MAX_DIMS], stride[TASK_MAX_DIMS], elements;
	int dtype, size, n_dims, floating;
};

struct gpu_tensor gpu_tensor_of(const struct tensor_layout *t);

#endif
