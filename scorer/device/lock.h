/*
 * One comparison at a time on a card, of all programs on the machine: a lock
 * by the card's UUID, held while kernels are timed, profiled or sanitized and
 * while ceilings are measured, and not while anything is compiled. The operating
 * system releases it when its holder dies.
 */
#ifndef SCORER_DEVICE_LOCK_H
#define SCORER_DEVICE_LOCK_H

#include "core/base/error.h"

/* As gpu_lock_take, but does not wait: where another process holds the lock
 * *fd stays as it is. */
struct error *gpu_lock_try(int *fd, const char *folder,
			   const char *uuid) MUST_CHECK;
/* Waits for the lock. *fd holds it until it is closed. `folder` is one that
 * all users of the machine can write: /tmp. ERROR_INTERRUPTED where a signal
 * comes while it waits and *stop_now (may be NULL) is 2. */
struct error *gpu_lock_take(int *fd, const char *folder, const char *uuid,
			    const volatile int *stop_now) MUST_CHECK;

#endif
