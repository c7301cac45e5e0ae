/* The runner as a launcher: replays a plan on the scorer's memory. Holds no
 * code of the candidate's but the kernels themselves. */
#ifndef RUNNER_GPU_LAUNCH_H
#define RUNNER_GPU_LAUNCH_H

#include "scorer/runner/channel.h"
#include "scorer/runner_gpu/gpu.h"

/* `gpu` is open; `cubins` are what it is to launch, and are closed. */
void launch_serve(union runner_request *r, const struct gpu_device *gpu,
		  int cubins);

#endif
