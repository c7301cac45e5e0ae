/*
 * One launch of an arm, with its inputs in memory that was mapped before and is
 * filled while the arm's process is stopped: so neither mapping nor the first
 * touch of a page is in its time, and nothing of the inputs can be seen before
 * the clock starts, which is when the process goes on.
 */
#ifndef SCORER_HOST_LAUNCH_H
#define SCORER_HOST_LAUNCH_H

#include "scorer/host/arm.h"
#include "scorer/host/judge.h"

/* Launches on a set that the judge filled, in buffers that buffers_open made:
 * maps them here and in the arm, lets the judge poison the outputs and hand the
 * inputs out, and times it (arm_launch). */
struct error *launch_timed(double *seconds, struct score_outcome *o,
			   struct arm *arm, struct judge *judge,
			   const struct input_set *s,
			   struct buffers *b) MUST_CHECK;
/* Launches once more in the buffers of the arm's last launch, which also was the
 * last that the judge handed inputs out for: other contents and poison, at the same
 * addresses. The set has the same layout; arm_may_stay. */
struct error *launch_again(double *seconds, struct score_outcome *o,
			   struct arm *arm, struct judge *judge,
			   const struct input_set *s, uint64_t poison,
			   struct buffers *b) MUST_CHECK;

#endif
