/*
 * Runs that failed before their first attempt. There is nothing in them to go on
 * from: whoever mends the kernel, the task or the machine and starts the run
 * again means a new one of that name.
 */
#ifndef CMD_SESSION_FAILED_START_H
#define CMD_SESSION_FAILED_START_H

#include "core/run/population.h"
#include "gitstore/gitstore.h"

/* Has the run nothing scored but its base, and did that fail? */
bool failed_start_is(const struct population *p);
/* Removes the run, so that another of its name can begin. The caller holds its
 * lock. Refuses if another clone has a part in it, or it is more than that by
 * now. */
struct error *failed_start_remove(struct gitstore *g,
				  const char *run) MUST_CHECK;

#endif
