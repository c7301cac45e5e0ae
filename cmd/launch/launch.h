/*
 * Has another machine measure what of the local runs it has not measured yet
 * (docs/launch.md): one job (core/run/job.h) is handed to a command of the
 * user's own configuration (command.h), and its answer is checked before any of
 * it is written.
 */
#ifndef CMD_LAUNCH_LAUNCH_H
#define CMD_LAUNCH_LAUNCH_H

#include "cmd/launch/pending.h"

/* `name` is NAME. *whole: every candidate of the job was answered. If the
 * answer was cut off, what of it is whole is written before the error. */
struct error *launch_pending(bool *whole, struct pending *p,
			     const char *name) MUST_CHECK;

#endif
