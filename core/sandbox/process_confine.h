/*
 * The confinement of a new process, between fork and exec: namespaces with a
 * root of their own, or a Landlock rule set. As in process_child.c nothing here
 * may allocate. Every function returns NULL, or with errno set what failed: a
 * string that the parent has at the same address, or a path if that could not
 * be made inside. No step is skipped silently.
 */
#ifndef CORE_SANDBOX_PROCESS_CONFINE_H
#define CORE_SANDBOX_PROCESS_CONFINE_H

#include <sys/types.h>

#include "core/base/fileset.h"

/* A part of the machine that is visible inside too, read-only, under the same
 * absolute path. It is left out if this machine does not have it. */
struct root_path {
	const char *path;
	bool maybe_link; /* if it is a link: keep the link, not its target */
};

/* A writable folder in memory. */
struct root_memory {
	const char *path;
	const char *options; /* of tmpfs: its size */
};

struct sandbox_bind;

struct root {
	const struct root_path *system;
	size_t n_system;
	const char *const *device;
	size_t n_devices;
	const struct root_memory *memory;
	size_t n_memory;
	const char *const *folder; /* NULL-terminated, as `system`; or NULL */
	const struct sandbox_bind *bind; /* sandbox.h */
	size_t n_binds;
	const char *box;	     /* the memory folder that gets the files */
	const struct fileset *files; /* may be NULL */
	bool network;		     /* with the network of the machine */
	bool only_processes;	     /* in /proc: no files of the machine */
};

struct confinement {
	const struct root *root; /* namespaces with this root; NULL: none */
	int landlock_fd;	 /* a rule set, 40 or above; 0: none */
};

/* Makes namespaces of every kind; of the network only if `network` is false.
 * Returns in another process than the caller's: the first one of the new pid
 * namespace, a child of our parent, with every capability in it. The calling
 * process has written that process's id to `report_fd` as a struct
 * child_report, and has ended. */
const char *confine_namespaces(int report_fd, bool network) MUST_CHECK;
/* In that process. confine_root makes a root in memory with only `root` in it;
 * the old root is gone. confine_capabilities drops every capability, forbids
 * further namespaces and, if only processes may be seen, hides the rest of
 * /proc. */
const char *confine_root(const struct root *root) MUST_CHECK;
const char *confine_capabilities(bool only_processes) MUST_CHECK;
const char *confine_landlock(int rule_set_fd) MUST_CHECK;

#endif
