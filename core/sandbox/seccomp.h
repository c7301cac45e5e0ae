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
	/* For compilers and for programs about to load a strict filter: what
	 * reaches out of a sandbox gives EPERM, all else is allowed. */
	FILTER_BUILD,
	/* The same, with sockets of the internet. */
	FILTER_NETWORK,
	/* The same, and no leaving the process group, no signals, no sockets,
	 * nothing else that reaches what a namespace would hide: for where
	 * there is none. */
	FILTER_BUILD_GROUP,
	/* For candidates: a list of what is allowed, SIGSYS for what no
	 * kernel needs, ENOSYS for the rest. */
	FILTER_RUN_SINGLE, /* starting a thread gives EAGAIN */
	FILTER_RUN_THREADS,
	FILTER_COUNT
};

struct error *filter_make(struct filter *out, enum filter_kind kind) MUST_CHECK;
void filter_release(struct filter *f);

DEFINE_RELEASE(filter, struct filter, filter_release)
#define cleanup_filter CLEANUP(filter)

#endif
