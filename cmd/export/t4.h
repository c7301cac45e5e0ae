/*
 * A run as results of the autotuning association: T4, version 1.0.0 of the
 * schema in KernelTuner/kernel_tuner (kernel_tuner/schema/T4), with the names of
 * times that Kernel Tuner's own writer uses beside the schema's.
 */
#ifndef CMD_EXPORT_T4_H
#define CMD_EXPORT_T4_H

#include "cmd/session/session.h"

struct t4_count {
	size_t written;
	size_t other_code;    /* differ from the best in more than tunables */
	size_t other_machine; /* measured on another kind */
	size_t no_result;     /* in flight, lost, or never run */
};

/* The attempts of `run` that differ from the champion (the start, if there is
 * none) in their tunables only and were measured on the same kind of machine,
 * as JSON added to `out`. Times are milliseconds: "time" is the geometric mean
 * over the cases with their weights, "runtimes" the median of each case.
 * ERROR_REFUSED if the sources declare no tunables. */
struct error *t4_write(struct buf *out, struct t4_count *count,
		       struct session *s, const char *run) MUST_CHECK;

#endif
