/*
 * Locks on what is timed. At most one program at a time works on a card with a
 * clock: a lock by the card's UUID, held while kernels are timed, profiled or
 * sanitized and while ceilings are measured, but not while code is compiled. The
 * operating system releases it when its holder dies. The CPUs of a scoring have one each: where
 * there are enough of them two programs time at once, on different ones.
 */
#ifndef SCORER_DEVICE_LOCK_H
#define SCORER_DEVICE_LOCK_H

#include <sched.h>

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

/* CPUs for one scoring: those of the arms, and one for who times them. Of the
 * CPUs of this process the last ones come first. */
struct cpu_lease {
	int *fd; /* of each locked CPU; owned */
	size_t n;
	cpu_set_t arms; /* so many as threads, or all there are */
};

/* Locks, of the CPUs in `ours`, the first group of threads + 1 that no other
 * program has; if there is none it waits for the first group, after a call of
 * `say` (may be NULL). Errors as gpu_lock_take. Where no lock can be made in
 * `folder` the lease is of the first group and locks nothing. */
struct error *cpu_lease_take(struct cpu_lease *out, const char *folder,
			     const cpu_set_t *ours, unsigned threads,
			     const volatile int *stop_now,
			     void (*say)(void *arg), void *arg) MUST_CHECK;
void cpu_lease_release(struct cpu_lease *l);
DEFINE_RELEASE(cpu_lease, struct cpu_lease, cpu_lease_release)
#define cleanup_cpu_lease CLEANUP(cpu_lease)

#endif
