/* The runner as a launcher: replays a plan on the scorer's memory. Holds no
 * code of the candidate's but the kernels themselves, and before it is given
 * those nothing of anybody's: so it can be started ahead. */
#ifndef RUNNER_GPU_LAUNCH_H
#define RUNNER_GPU_LAUNCH_H

#include "scorer/runner/channel.h"

void launch_serve(union request *r);

#endif
