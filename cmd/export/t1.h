/*
 * A task's tunables as a space of the autotuning association: T1 in JSON, as
 * KernelTuner/kernel_tuner describes it (kernel_tuner/schema/T1, 1.0.0).
 */
#ifndef CMD_EXPORT_T1_H
#define CMD_EXPORT_T1_H

#include "cmd/session/session.h"

/* Adds the space that the sources of the task's commit declare, and the kernel
 * that it is of, to `out`; *parameters: how many. ERROR_REFUSED if they declare
 * no tunables. */
struct error *t1_write(struct buf *out, size_t *parameters,
		       const struct session *s) MUST_CHECK;

#endif
