/*
 * The role that measures what a card can do at most: kernels of the runner's
 * own (gpu_ceilings*.cu), each for as long as it is asked. What it has no
 * kernel for it answers with zeros.
 */
#ifndef RUNNER_GPU_CEILINGS_H
#define RUNNER_GPU_CEILINGS_H

#include "scorer/runner/channel.h"

/* Of n steps that each did `work`: the rate over the best 100 ms in a row (all
 * of them where they are less), and that of the median step. Sorts them. */
void ceilings_sum_up(struct gpu_ceiling_reply *out, double *seconds, size_t n,
		     double work);
void ceilings_serve(union request *r);

#endif
