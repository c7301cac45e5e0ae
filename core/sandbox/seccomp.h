/*
 * Filters of system calls for the sandbox, made with libseccomp. Foreign
 * architectures (32-bit and x32 calls on x86_64) end the process.
 */
#ifndef CORE_SANDBOX_SECCOMP_H
#define CORE_SANDBOX_SECCOMP_H

#include <linux/filter.h>

#include "core/base/error.h"

struct filter {
	struct sock_filter *code;
	unsigned short n;
};

enum filter_kind {
	/* For compilers, and for programs that will load a strict filter: calls
	 * that reach out of a sandbox give EPERM, all others are allowed. */
	FILTER_BUILD,
	/* The same, but sockets of the internet are allowed. */
	FILTER_NETWORK,
	/* FILTER_BUILD without leaving the process group, signals, sockets and
	 * all else that reaches what a namespace would hide: if there is no
	 * namespace. */
	FILTER_BUILD_GROUP,
	/* The same for a program that opens a GPU. It can listen on a local
	 * socket, as the driver does, and connect to none. */
	FILTER_DRIVER_GROUP,
	/* For candidates, a list of allowed calls: SIGSYS for calls that no
	 * candidate needs, ENOSYS for the rest. */
	FILTER_RUN_SINGLE, /* starting a thread gives EAGAIN */
	FILTER_RUN_THREADS,
	FILTER_COUNT
};

/* filter_release disposes of *out. */
struct error *filter_make(struct filter *out, enum filter_kind kind) MUST_CHECK;
void filter_release(struct filter *f);

DEFINE_RELEASE(filter, struct filter, filter_release)
#define cleanup_filter CLEANUP(filter)

#endif
