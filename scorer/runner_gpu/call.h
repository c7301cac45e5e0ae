/*
 * Calls a candidate's host functions on one image of a batch: tensors by their
 * addresses on the card, the stream as the last argument. A call may return
 * before what it launched has ended.
 *
 * Functions return NULL, or a sentence that says why it was not called. What
 * the call itself does wrong is not reported here: the driver says so later.
 */
#ifndef RUNNER_GPU_CALL_H
#define RUNNER_GPU_CALL_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/cuda_abi.h"
#include "scorer/runner/load.h"

/* `image` is below the number of images in *p. */
const char *gpu_call(const struct entry_call *c, const struct gpu_addresses *p,
		     uint32_t image, function entry, CUstream stream);
/* The same for a prepare function, which gets static inputs (`is_static`, by
 * argument) and prepared buffers; every other pointer is NULL. */
const char *gpu_call_prepare(const struct entry_call *c,
			     const struct gpu_addresses *p, uint32_t image,
			     const bool *is_static, function prepare,
			     CUstream stream);

#endif
