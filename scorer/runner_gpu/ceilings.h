/* What comes of the steps of a kernel that measures a card: see roles.h. */
#ifndef RUNNER_GPU_CEILINGS_H
#define RUNNER_GPU_CEILINGS_H

#include "scorer/wire/gpu_protocol.h"

/* Of n steps that each did `work`: the rate over the best 100 ms in a row (all
 * of them where they are less), and that of the median step. Sorts them. */
void ceilings_sum_up(struct gpu_ceiling_reply *out, double *seconds, size_t n,
		     double work);

#endif
