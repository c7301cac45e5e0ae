/* Installs the strict filter, loads the shared object, reports its faults. */
#ifndef RUNNER_LOAD_H
#define RUNNER_LOAD_H

#include "scorer/wire/protocol.h"

/* Installs the filter of system calls from SANDBOX_FILTER_FD, if there is one,
 * before any code of the object runs. NULL or what went wrong. */
const char *load_filter(void);
/* From now on a FAULT is sent before a signal ends the process. `sequence`
 * points to that of the request being served. Must be called near the stack's
 * top, since an overflow is recognised by the distance from there. */
void load_fault_reports(const uint32_t *sequence);
typedef void (*function)(void);
/* Functions of the object; all but entry may be NULL. */
struct functions {
	function entry, prepare, plain;
	function generator[TASK_MAX_ARGS];
};
/* Loads the object from RUNNER_OBJECT_FD, which runs its constructors, finds the
 * functions that the request names, and calls its setup. NULL or what went
 * wrong. */
const char *load_functions(struct functions *f, const struct start_request *q);

#endif
