/* The strict filter, the shared object, and what it says when it faults. */
#ifndef RUNNER_LOAD_H
#define RUNNER_LOAD_H

#include "scorer/wire/protocol.h"

/* Installs the filter of system calls from SANDBOX_FILTER_FD, where there is
 * one. Must come before any code of the object. NULL or what went wrong. */
const char *load_filter(void);
/* Sends a FAULT before the process dies of a signal. `sequence` points to
 * that of the request being served. To be called from near the stack's top,
 * which is how an overflow is told. */
void load_fault_reports(const uint32_t *sequence);
typedef void (*function)(void);
/* Of the object; all but entry may be NULL. */
struct functions {
	function entry, prepare, plain;
	function generator[TASK_MAX_ARGS];
};
/* Loads the object from RUNNER_OBJECT_FD; its constructors run here. Those of
 * its functions that the request names. */
const char *load_functions(struct functions *f, const struct start_request *q);

#endif
