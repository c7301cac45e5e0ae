/*
 * The GPU in a runner: the driver, opened at run time; memory that other
 * processes can map; the runner's own kernels.
 *
 * Functions return NULL, or a sentence that says what failed; the sentence
 * lasts until the next call. A device is used by one thread, and lasts until
 * the process ends. Sizes are bytes.
 */
#ifndef RUNNER_GPU_GPU_H
#define RUNNER_GPU_GPU_H

#include "core/base/base.h"
#include "scorer/wire/gpu_reach.h"
#include "scorer/runner_gpu/cuda_abi.h"
#include "core/task/layout.h"

struct cuda {
#define X(name, symbol, arguments) CUresult(*name) arguments;
	CUDA_FUNCTIONS(X)
	CUDA_FUNCTIONS_IF_THERE(X)
#undef X
};

/* ---- the scorer's own kernels -------------------------------------------- */

/* A tensor as an argument of a kernel, with the layout that kernels.cu has. */
struct gpu_tensor {
	int64_t shape[TASK_MAX_DIMS], stride[TASK_MAX_DIMS], elements;
	int dtype, size, n_dims, floating;
};

struct gpu_tensor gpu_tensor_of(const struct tensor_layout *t);

/* kernels.cu says what each does. */
enum gpu_kernel {
	GPU_FILL,
	GPU_POISON,
	GPU_LOOK,
	GPU_SPREAD,
	GPU_START,
	GPU_SAME,
	GPU_TOUCH,
	GPU_UNLIKE_OUTPUTS,
	GPU_KERNEL_COUNT
};

/* ---- the device ---------------------------------------------------------- */

/* All zero: not open. */
struct gpu_device {
	struct cuda cuda;
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction kernel[GPU_KERNEL_COUNT];
	size_t granularity; /* of memory that can be mapped */
	size_t l2_bytes;
	unsigned processors;
	enum gpu_reach reach;
	/* Windows of GPU_WINDOW bytes that were reserved; kept until the
	 * end. A rival's processes map memory in those of many scorings. */
	CUdeviceptr window[64];
	size_t n_windows;
	/* The last mapping failed since the driver gave another address than
	 * the one asked for: the caller may draw others. */
	bool moved;
};

/* Opens the driver and a context on the first device; with `own_kernels` also
 * loads the runner's kernels. */
const char *gpu_open(struct gpu_device *g, bool own_kernels);
/* For a process that launches kernels it cannot trust: NULL if kernels cannot
 * reach its memory, else a sentence that says what they could do there
 * (`so`). */
const char *gpu_refuse_reach(const struct gpu_device *g, const char *so);
/* Loads the runner's kernels if gpu_open did not; once. */
const char *gpu_load_kernels(struct gpu_device *g);
/* NULL for success, else "doing: CUDA_ERROR_...". */
const char *gpu_check(struct gpu_device *g, CUresult r, const char *doing);

/* ---- memory -------------------------------------------------------------- */

/* Mapped memory of the card. All zero: none. An address that is asked for lies
 * in a window, which the device reserves and keeps: after the memory is
 * released its addresses fault. gpu_memory_release disposes, after a failure
 * too; what makes or imports memory releases what *out had before. */
struct gpu_memory {
	CUdeviceptr at;
	size_t bytes; /* of the mapping: a multiple of the granularity */
	bool in_window;
	CUmemGenericAllocationHandle handle;
};
/* Allocates memory at this address (0: anywhere); none if `bytes` is 0. *fd
 * (may be NULL) is a descriptor by which other processes map it; the caller
 * closes it. */
const char *gpu_memory_make(struct gpu_memory *out, struct gpu_device *g,
			    size_t bytes, CUdeviceptr at, int *fd);
/* Maps another process's memory at this address. `fd` is borrowed. */
const char *gpu_memory_import(struct gpu_memory *out, struct gpu_device *g,
			      int fd, size_t bytes, CUdeviceptr at,
			      bool writable);
void gpu_memory_release(struct gpu_memory *m, struct gpu_device *g);
/* `bytes` rounded up to a multiple of the granularity. */
size_t gpu_memory_whole(const struct gpu_device *g, size_t bytes);

/* ---- launching the scorer's own kernels ---------------------------------- */

/* Queues a kernel over n items; does not wait. `parameters` point to its
 * arguments, which are copied. Work on one stream (NULL: the default one) runs
 * in order. The kernels must be loaded. */
const char *gpu_queue(struct gpu_device *g, enum gpu_kernel k, uint64_t n,
		      void **parameters, CUstream stream);
/* Waits for all queued work. */
const char *gpu_wait(struct gpu_device *g);
/* Queues a kernel on the default stream and waits for all queued work. */
const char *gpu_run(struct gpu_device *g, enum gpu_kernel k, uint64_t n,
		    void **parameters);

#endif
