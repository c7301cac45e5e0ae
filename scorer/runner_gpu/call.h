/* Calling an entry on one image of a batch: tensors at their addresses on the
 * card, the stream last. */
#ifndef RUNNER_GPU_CALL_H
#define RUNNER_GPU_CALL_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/cuda_abi.h"
#include "scorer/runner/load.h"

const char *gpu_call(const struct entry_call *c, const struct gpu_addresses *p,
		     uint32_t image, function entry, CUstream stream);
/* A prepare function is shown static inputs and prepared buffers: every other
 * pointer is NULL. */
const char *gpu_call_prepare(const struct entry_call *c,
			     const struct gpu_addresses *p, uint32_t image,
			     const bool *is_static, function prepare,
			     CUstream stream);

#endif
