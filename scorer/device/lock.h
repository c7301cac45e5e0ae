/*
 * Locks on what is timed, so that two programs do not disturb each other.
 *
 * A GPU has one lock, by its UUID. It is held while kernels are timed, profiled
 * or sanitized and while ceilings are measured, but not while code is compiled.
 * Every CPU has a lock too: where there are enough CPUs two programs time at
 * once, on different ones.
 *
 * A lock is an empty file in `folder`, which all users of the machine must be
 * able to write (/tmp). A descriptor holds it until it is closed; the operating
 * system closes it when its holder dies.
 *
 * A wait looks five times a second whether it is to end, whichever thread is in
 * it. For that it catches SIGURG, which is ignored otherwise.
 */
#ifndef SCORER_DEVICE_LOCK_H
#define SCORER_DEVICE_LOCK_H

#include <sched.h>

#include "core/base/error.h"

/* ---- the lock of a GPU --------------------------------------------------- */

/* As gpu_lock_take, but does not wait: if another process holds the lock, *fd
 * is unchanged. */
struct error *gpu_lock_try(int *fd, const char *folder,
			   const char *uuid) MUST_CHECK;
/* Waits for the lock; *fd holds it, the caller closes it. `uuid`: of the card,
 * "" if unknown. ERROR_INTERRUPTED if *stop_now (may be NULL) is 2 before the
 * wait or during it. ERROR_REFUSED if there is something
 * else than a file in the lock's path. */
struct error *gpu_lock_take(int *fd, const char *folder, const char *uuid,
			    const volatile int *stop_now) MUST_CHECK;

/* ---- the locks of CPUs --------------------------------------------------- */

/* CPUs for one scoring: those of the arms, and one for the scorer, which times
 * them. */
struct cpu_lease {
	int *fd; /* of each locked CPU; owned */
	size_t n;
	cpu_set_t arms; /* as many as threads, or all that there are */
};

/* A wait for CPUs: what ends it, and who is told. Any may be NULL. */
struct lock_wait {
	const volatile int *stop_now; /* ends it when 2 */
	/* Ends it when not 0: a command that finishes its attempt first has
	 * nothing to finish while it waits. */
	const volatile int *stop;
	void (*say)(void *arg);
	void *arg;
};

/* Divides the CPUs in `ours`, the last one first, into groups of threads + 1
 * and locks the first group that no other program has. If every group is in
 * use, calls w->say and waits for the first one. ERROR_INTERRUPTED if *w says so
 * before the wait or during it; any other failure to lock is
 * not an error: the lease is then of the first group, perhaps without locks.
 * cpu_lease_release disposes. */
struct error *cpu_lease_take(struct cpu_lease *out, const char *folder,
			     const cpu_set_t *ours, unsigned threads,
			     const struct lock_wait *w) MUST_CHECK;
void cpu_lease_release(struct cpu_lease *l);
DEFINE_RELEASE(cpu_lease, struct cpu_lease, cpu_lease_release)
#define cleanup_cpu_lease CLEANUP(cpu_lease)

#endif
