/*
 * What a scoring waits for: with AVOGIT_TRACE=FILE in the environment a line is
 * added to FILE for each request that a runner answered, or did not,
 *
 *     ASKED WAITED ANSWERED PID ROLE REQUEST
 *
 * in seconds of the monotonic clock: when it was sent, when the scorer began to
 * wait, when the wait was over. For people who look for lost time; nothing reads
 * it. A spare is named after what it was started as.
 */
#ifndef SCORER_HOST_RUNNER_TRACE_H
#define SCORER_HOST_RUNNER_TRACE_H

#include "scorer/host/runner_process.h"

/* Is there a file to write to? Then of a request. */
void runner_trace_sent(struct runner *r, uint32_t request);
/* The wait that began at `waited` is over. */
void runner_trace_answered(const struct runner *r, double waited);

#endif
