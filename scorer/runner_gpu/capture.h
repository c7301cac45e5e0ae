/* The runner as the home of a CUDA candidate's host code: it is called on
 * stand-in memory, then captured, and what it launched goes into a plan; what
 * its `prepare` (may be NULL) launched, too. */
#ifndef RUNNER_GPU_CAPTURE_H
#define RUNNER_GPU_CAPTURE_H

#include "scorer/runner/channel.h"
#include "scorer/runner_gpu/gpu.h"
#include "scorer/runner/load.h"

/* `gpu` is open. */
void capture_serve(union runner_request *r, const struct gpu_device *gpu,
		   function entry, function prepare);

#endif
