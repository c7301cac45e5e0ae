/* The runner as a judge on the GPU: owns the memory that launchers map, makes
 * inputs and poison there, runs the task's reference there, and compares. */
#ifndef RUNNER_GPU_JUDGE_H
#define RUNNER_GPU_JUDGE_H

#include "scorer/runner/channel.h"
#include "scorer/runner/reference.h"

void gpu_judge_serve(union request *r, const struct functions *f);

#endif
