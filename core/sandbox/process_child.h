/* The steps of a new process between fork and exec. Only process.c calls it.
 * Nothing here may allocate, because another thread may have held the lock of
 * the allocator at the fork. */
#ifndef CORE_SANDBOX_PROCESS_CHILD_H
#define CORE_SANDBOX_PROCESS_CHILD_H

#include "core/sandbox/process.h"

/* Adds rules for the map and the threads of the process that calls it, which are other
 * files for each process. Does not allocate. */
bool landlock_add_own_process(int rule_set);

/* Sent to the parent through `complain`: a step that failed. `step` points to a
 * string that both processes have. */
struct child_report {
	const char *step;
	int saved_errno;
};

_Noreturn void process_child(const struct process_spec *spec, int null_fd,
			     int out_fd, int complain, pid_t parent);

#endif
