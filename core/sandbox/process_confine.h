/*
 * What a new process shuts itself in with, between fork and exec: namespaces
 * with a root of their own, or a Landlock rule set. As in process_child.c
 * nothing here may allocate. Every function gives NULL, or what could not be
 * done with errno set: a string that the parent has at the same address, a
 * path where that could not be made inside. Nothing is left out silently.
 */
#ifndef CORE_SANDBOX_PROCESS_CONFINE_H
#define CORE_SANDBOX_PROCESS_CONFINE_H

#include <sys/types.h>

#include "core/base/fileset.h"

/* A piece of the machine that is there inside too, read-only, under the same
 * absolute path. What this machine does not have is left out. */
struct root_path {
	const char *path;
	bool maybe_link; /* where it is a link: the link, not what it names */
};

/* A folder of memory that can be written. */
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
	const char *box;	     /* one of these: the files are put in it */
	const struct fileset *files; /* may be NULL */
	bool network;		     /* the machine's own is there too */
	bool only_processes;	     /* in /proc: nothing of the machine */
};

struct confinement {
	const struct root *root; /* namespaces with this root; NULL: none */
	int landlock_fd;	 /* a rule set, 40 or above; 0: none */
};

/* Namespaces of every kind, of the network unless that is wanted. Returns in another process than it was called in:
 * the first one of the new pid namespace, a child of our parent, with every
 * capability there. Ours has written the other's id to `report_fd` as a
 * struct child_report, and has ended. */
const char *confine_namespaces(int report_fd, bool network) MUST_CHECK;
/* In that process: a root made of memory, with `root` in it and nothing else;
 * what was the root is gone. Then no capability is left, nor any way to make
 * a namespace, nor, where only processes may be seen, the rest of /proc. */
const char *confine_root(const struct root *root) MUST_CHECK;
const char *confine_capabilities(bool only_processes) MUST_CHECK;
const char *confine_landlock(int rule_set_fd) MUST_CHECK;

#endif
