/*
 * Where code from a repository runs: compilers, references, candidates.
 *
 * Whatever the machine has, at every level: never the machine's root, no
 * capability, no network, a deny-list of system calls, limits, a private
 * folder, no descriptor but those named, and the whole process tree gone at
 * the deadline, what has made itself a daemon too.
 *
 * SANDBOX_BWRAP, SANDBOX_NAMESPACES: also only /usr and what is handed in,
 * no other process in sight, nothing that can be written but memory, and that
 * bounded. Bubblewrap makes the namespaces: the machine's, or else the one that
 * a bundle of avogit carries (dist/bundle.sh). Where neither works we do it
 * ourselves. The program is process 1 of its own, so that all ends with it.
 *
 * SANDBOX_LANDLOCK, where the machine allows no user namespaces: also no
 * reading of files but the system's and its own, and no writing but of its
 * own. Names, sizes and owners of other files can be seen, so can the list of
 * processes; its folder is on the disk under /tmp, bounded only file by file.
 * As with SANDBOX_NONE its processes are ended as one group, which none of
 * them can leave.
 *
 * SANDBOX_NONE: nothing but the first. What every user may read can be read.
 *
 * Which it is, sandbox_describe says, and that must be written into the
 * measurement: nothing pretends. A level whose every part cannot be had is
 * not taken.
 */
#ifndef CORE_SANDBOX_SANDBOX_H
#define CORE_SANDBOX_SANDBOX_H

#include "core/base/fileset.h"
#include "core/sandbox/process.h"

/* From weak to strong. */
enum sandbox_level {
	SANDBOX_NONE,	    /* limits, seccomp and, from root, a lesser uid */
	SANDBOX_LANDLOCK,   /* these and Landlock (Linux 5.13) */
	SANDBOX_NAMESPACES, /* namespaces (Linux 5.12), seccomp */
	SANDBOX_BWRAP,	    /* the same by bubblewrap */
};

/*
 * SANDBOX_RUN: the filter that the program must put on itself. A filter that
 * forbids execve cannot be loaded before the program is there, so a program
 * of this profile starts under the filter of SANDBOX_BUILD and finds the
 * strict one at this descriptor (which is closed only where the kernel has no
 * seccomp; sandbox_describe says so): a sealed memfd, read offset 0, holding
 * an array of struct sock_filter and nothing else. Just before it loads code
 * it does not trust, with one thread only, it reads that, calls
 *     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){n, f})
 * (no_new_privs is set already) and closes the descriptor. A failure of any
 * of these must end the program. From then on it cannot start processes,
 * execute files, send signals, open sockets, send descriptors or, with one
 * thread allowed, start threads (EAGAIN); what no kernel has a reason to call
 * ends it by SIGSYS; system calls not on the list give ENOSYS.
 */
#define SANDBOX_FILTER_FD 15
/* Descriptors of sandbox_spec.inherit lie below it, from 3 up. */

/* What kind of code: the filter of system calls differs. */
enum sandbox_profile {
	SANDBOX_BUILD, /* may start processes (a compiler driver does) */
	SANDBOX_RUN,   /* one process; see SANDBOX_FILTER_FD */
};

struct sandbox_spec {
	enum sandbox_profile profile;
	/* SANDBOX_RUN: it may use so many CPUs (the last ones of ours), and
	 * start threads only if above 1: then so many beside its first where
	 * they can be counted (a namespace, Linux 5.14), else any number. */
	unsigned threads;
	/* The device nodes of the cards that it may use, NULL-terminated;
	 * NULL: no card. With them come NVIDIA's other devices and what its
	 * driver reads; not with SANDBOX_RUN, whose filter a driver cannot
	 * live with. */
	const char *const *gpu;
	/* Seen from inside; argv[0] through PATH (/usr/bin:/bin). The program
	 * gets nothing else but LC_ALL=C, HOME and TMPDIR (a private folder). */
	const char *const *argv;
	/* Files put in the working directory (/box where there are
	 * namespaces: name them by relative paths), gone at the end. May be
	 * NULL. Not everywhere may it write there; always to $TMPDIR. */
	const struct fileset *files;
	struct process_limits limits;
	/* More of the machine, read-only under the same absolute paths: where
	 * a compiler lies that is not in /usr. NULL-terminated, may be NULL.
	 * One that is not there is an error. SANDBOX_NAMESPACES has nothing
	 * of /tmp. */
	const char *const *folders;
	struct {
		int fd, child_fd;
	} inherit[8];
	size_t n_inherit;
	/* The three below (env only where there is no gpu) are for programs
	 * that a person has agreed to (cmd/session/trust.h), with
	 * SANDBOX_BUILD at SANDBOX_NAMESPACES and above; at other levels
	 * ERROR_REFUSED. With the network come the machine's names and
	 * certificates, and what else listens on this machine. */
	bool network;
	/* Folders of this machine under other names; `to` may be the working
	 * directory (SANDBOX_BOX), which is `from` then. Not below /tmp, of
	 * which SANDBOX_NAMESPACES has nothing. */
	const struct sandbox_bind {
		const char *from, *to;
		bool writable;
	} * binds;
	size_t n_binds;
	const char *const *env; /* NULL-terminated "NAME=VALUE"; may be NULL */
};
#define SANDBOX_BOX "/box"

struct sandbox; /* what this machine can do, found out once */

/* Whom a sandboxed program is to the machine, where that is another user than
 * we are; 0: it is not. Such a folder of ours must be his to be writable. */
uid_t sandbox_uid(const struct sandbox *s);
/* Tries the strongest level first, by one start, and no other if that works.
 * AVOGIT_SANDBOX in the environment (none, landlock, namespaces, bwrap) asks
 * for a level, which then is tried alone: ERROR_REFUSED if it does not work
 * here. */
struct error *sandbox_probe(struct sandbox **out) MUST_CHECK;
enum sandbox_level sandbox_level(const struct sandbox *s);
/* "bubblewrap 0.8.0, seccomp, uid 61234", "namespaces, seccomp, uid 61234",
 * "Landlock ABI 7, seccomp, uid 61234", or "none: ..." with the reason. */
const char *sandbox_describe(const struct sandbox *s);
/* What this machine lacks for a stronger level and what to do about it; NULL
 * when there is nothing to mend, or a level was asked for. */
const char *sandbox_mend(const struct sandbox *s);
void sandbox_free(struct sandbox *s);

/* Runs to the end; nothing it started is left. A sandbox that could not be
 * set up is an error. An exit status of 128 + n reads as signal n: bubblewrap
 * does not tell the two apart. */
struct error *sandbox_run(struct process_result *out, const struct sandbox *s,
			  const struct sandbox_spec *spec,
			  size_t output_limit) MUST_CHECK;

/* A sandboxed process that stays. All zero: none, and safe to kill. */
struct sandboxed {
	pid_t outer;   /* our child: bubblewrap, or the program itself */
	pid_t inner;   /* the program, as seen from here */
	int inner_fd;  /* pidfd of inner; -1: it ended before we had one */
	int status_fd; /* bubblewrap reports here; -1 without */
	char *folder;  /* its files, where there is no namespace; else NULL */
};
/* limits.wall_seconds does not apply: the caller keeps the clock. */
struct error *sandbox_start(struct sandboxed *out, const struct sandbox *s,
			    const struct sandbox_spec *spec,
			    int out_fd) MUST_CHECK;
/* Stops every thread (SIGSTOP) and returns once that is seen in /proc;
 * an error if it cannot be seen within ten seconds; ERROR_NOT_FOUND if it has
 * ended. For SANDBOX_RUN. */
struct error *sandboxed_freeze(const struct sandboxed *p) MUST_CHECK;
/* CPU seconds of all its threads, those that ended too: exact while it is
 * frozen; a thread that runs is counted up to some milliseconds ago. */
double sandboxed_cpu_seconds(const struct sandboxed *p);
/* Bytes of its own that are in memory or swap, with the tables that map them.
 * Not what it shares by open files; addresses without memory do not count. 0
 * if it is gone. */
uint64_t sandboxed_memory(const struct sandboxed *p);
struct error *sandboxed_thaw(const struct sandboxed *p) MUST_CHECK;
/* Has it ended? exit_code and signal as in process_result. */
bool sandboxed_ended(const struct sandboxed *p, int *exit_code, int *signal);
/* Tells it to end and does not wait for that: sandboxed_kill does. What takes
 * the machine a while, as giving back a GPU, goes on for several at once. */
void sandboxed_doom(const struct sandboxed *p);
/* Ends it, waits, and disposes of what *p owns; *p is then all zero. */
void sandboxed_kill(struct sandboxed *p);

DEFINE_CLEANUP(sandbox, struct sandbox, sandbox_free)
#define cleanup_sandbox CLEANUP(sandbox)

#endif
