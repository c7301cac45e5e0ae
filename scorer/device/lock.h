/*
 * At most one program at a time works on a card with a clock: a lock by the
 * card's UUID, held while kernels are timed, profiled or sanitized and while
 * ceilings are measured, but not while code is compiled. The operating system
 * releases it when its holder dies.
 */
#ifndef SCORER_DEVICE_LOCK_H
#define SCORER_DEVICE_LOCK_H

#include "core/base/error.h"

/* As gpu_lock_take, but does not wait: if another process holds the lock, *fd
 * is unchanged. */
struct error *gpu_lock_try(int *fd, const char *folder,
			   const char *uuid) MUST_CHECK;
/* Waits for the lock. *fd holds it until it is closed. `folder` must be
 * writable for all users of the machine: /tmp. ERROR_INTERRUPTED if a signal
 * comes during the wait and *stop_now (may be NULL) is 2. */
struct error *gpu_lock_take(int *fd, const char *folder, const char *uuid,
			    const volatile int *stop_now) MUST_CHECK;

#endif
