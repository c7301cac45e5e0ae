/*
 * Runs code from a repository: compilers, references, candidates.
 *
 * At every level, on every machine: never the machine's root, no capability, no
 * network, a deny-list of system calls, limits, a private folder, only the
 * descriptors that are named. At the deadline the whole process tree is ended,
 * including daemons.
 *
 * SANDBOX_BWRAP: also, only /usr and what is handed in is visible, and no other
 * process; only memory can be written, and it is bounded. Bubblewrap makes the
 * namespaces: the machine's, or else the one in a bundle of avogit
 * (dist/bundle.sh). The program is process 1 of its namespace, so that all ends
 * with it.
 *
 * SANDBOX_LANDLOCK, if the machine allows no user namespaces: also, of files
 * only the system's and its own can be read, and only its own written. Names,
 * sizes and owners of other files are visible, and so is the list of processes;
 * its folder is on the disk under /tmp, bounded only file by file. As with
 * SANDBOX_NONE its processes are ended as one group, which none of them can
 * leave.
 *
 * SANDBOX_NONE: only what every level has. Files that every user may read can
 * be read.
 *
 * sandbox_describe gives the actual level, which must be written into the
 * measurement, so that no measurement claims more. A level is used only if all
 * of its parts work.
 */
#ifndef CORE_SANDBOX_SANDBOX_H
#define CORE_SANDBOX_SANDBOX_H

#include "core/base/fileset.h"
#include "core/sandbox/process.h"

/* From weak to strong. */
enum sandbox_level {
	SANDBOX_NONE,	  /* limits, seccomp and, from root, a lesser uid */
	SANDBOX_LANDLOCK, /* these and Landlock (Linux 5.13) */
	SANDBOX_BWRAP,	  /* these and namespaces by bubblewrap, no Landlock */
};

/*
 * SANDBOX_RUN: the filter that the program must load itself. A filter that
 * forbids execve cannot be loaded before the program is started. So a program
 * of this profile starts under the filter of SANDBOX_BUILD and finds the strict
 * one at this descriptor (closed only if the kernel has no seccomp;
 * sandbox_describe says so): a sealed memfd, read offset 0, with only an array
 * of struct sock_filter. Just before it loads code it does not trust, while it
 * has one thread, it reads the array, calls prctl(PR_SET_SECCOMP,
 * SECCOMP_MODE_FILTER, &(struct sock_fprog){n, f}) (no_new_privs is set
 * already) and closes the descriptor. If any of these fails, the program must
 * end. From then on it cannot start processes, execute files, send signals,
 * open sockets, send descriptors or, with one thread allowed, start threads
 * (EAGAIN). Calls that a candidate never needs end it by SIGSYS; system calls
 * not on the list give ENOSYS.
 */
#define SANDBOX_FILTER_FD 15
/* Descriptors of sandbox_spec.inherit must be below it, from 3 up. */

/* The kind of code, which decides the filter of system calls. */
enum sandbox_profile {
	SANDBOX_BUILD, /* may start processes (a compiler driver does) */
	SANDBOX_RUN,   /* one process; see SANDBOX_FILTER_FD */
};

struct sandbox_spec {
	enum sandbox_profile profile;
	/* SANDBOX_RUN: how many CPUs it may use (the last ones of ours). Only
	 * above 1 may it start threads: so many besides its first if they can
	 * be counted (a namespace, Linux 5.14), else any number. */
	unsigned threads;
	const cpu_set_t *cpus; /* SANDBOX_RUN: these instead; may be NULL */
	/* SANDBOX_RUN: it sees in /proc/cpuinfo what kind of CPUs there are,
	 * and nothing that changes. */
	bool shows_cpus;
	/* It starts no other process, before it loads the strict filter either.
	 * With SANDBOX_BWRAP its /proc then has its own process and no file
	 * besides (/proc/thread-self neither), and a start costs less. Not
	 * with shows_cpus. */
	bool alone;
	/* The device nodes of the cards that it may use, NULL-terminated; NULL:
	 * no card. NVIDIA's other devices and the files its driver reads come
	 * with them. Not with SANDBOX_RUN, because a driver does not work under
	 * its filter. */
	const char *const *gpu;
	/* As seen from inside; argv[0] through PATH (/usr/bin:/bin). Besides,
	 * the program gets only LC_ALL=C, HOME and TMPDIR (a private
	 * folder). */
	const char *const *argv;
	/* Files for the working directory (/box if there are namespaces: use
	 * relative paths), removed at the end. May be NULL. The program can
	 * always write to $TMPDIR, but not always to the working directory. */
	const struct fileset *files;
	struct process_limits limits;
	/* More of the machine, read-only under the same absolute paths: for
	 * example the folder of a compiler outside /usr, or a single file. NULL-terminated, may
	 * be NULL. A missing one is an error. SANDBOX_BWRAP shows nothing
	 * of /tmp. */
	const char *const *folders;
	struct {
		int fd, child_fd;
	} inherit[8];
	size_t n_inherit;
	/* The three below (env only if there is no gpu) are for programs that a
	 * person has agreed to (cmd/session/trust.h), with SANDBOX_BUILD at
	 * SANDBOX_BWRAP; at other levels ERROR_REFUSED. The
	 * network includes the machine's names and certificates, and other
	 * servers on this machine. */
	bool network;
	/* Folders of this machine under other names. If `to` is the working
	 * directory (SANDBOX_BOX), `from` takes its place. Not below /tmp, of
	 * which SANDBOX_BWRAP shows nothing. */
	const struct sandbox_bind {
		const char *from, *to;
		bool writable;
	} * binds;
	size_t n_binds;
	const char *const *env; /* NULL-terminated "NAME=VALUE"; may be NULL */
	/* sandbox_run: if this becomes 2, the program is ended; may be NULL. */
	const volatile int *stop_now;
};
#define SANDBOX_BOX "/box"

struct sandbox; /* what this machine can do, determined once */

/* The last n CPUs of this process: the parent and the interrupts use the first
 * ones. Fewer, where it has no more. */
struct error *sandbox_last_cpus(cpu_set_t *out, unsigned n) MUST_CHECK;

/* The user id of a sandboxed program on the machine, if it is not ours; else 0.
 * It can write to a folder of ours only if the folder belongs to that user. */
uid_t sandbox_uid(const struct sandbox *s);
/* Tries the strongest level first, by one start, and stops at the first that
 * works. AVOGIT_SANDBOX in the environment (none, landlock, bwrap)
 * asks for one level: only that is tried, and ERROR_REFUSED if it does not work
 * here. */
struct error *sandbox_probe(struct sandbox **out) MUST_CHECK;
enum sandbox_level sandbox_level(const struct sandbox *s);
/* "bubblewrap 0.8.0, seccomp, uid 61234",
 * "Landlock ABI 7, seccomp, uid 61234", or "none: ..." with the reason. */
const char *sandbox_describe(const struct sandbox *s);
/* What this machine lacks for a stronger level, and the remedy; NULL if nothing
 * is lacking, or if a level was asked for. Borrowed. */
const char *sandbox_mend(const struct sandbox *s);
void sandbox_free(struct sandbox *s);

/* Is it the path of a program of the system, which every sandbox shows? */
bool sandbox_shows(const char *path);

/* Runs a program to its end; no process that it started remains. An error if
 * the sandbox could not be set up, ERROR_INTERRUPTED if it was stopped. An exit
 * status of 128 + n is reported as signal n, because bubblewrap does not
 * distinguish the two. */
struct error *sandbox_run(struct process_result *out, const struct sandbox *s,
			  const struct sandbox_spec *spec,
			  size_t output_limit) MUST_CHECK;

/* A sandboxed process that keeps running. All zero: none, and safe to kill. */
struct sandboxed {
	pid_t outer;   /* our child: bubblewrap, or the program itself */
	pid_t inner;   /* the program, as seen from here */
	int inner_fd;  /* pidfd of inner; -1: it ended before we opened one */
	int status_fd; /* bubblewrap reports here; -1 without bubblewrap */
	char *folder;  /* its files, if there is no namespace; else NULL */
};
/* limits.wall_seconds is ignored: the caller watches the time. */
struct error *sandbox_start(struct sandboxed *out, const struct sandbox *s,
			    const struct sandbox_spec *spec,
			    int out_fd) MUST_CHECK;
/* Stops every thread (SIGSTOP) and returns when /proc shows that; an error if
 * it does not within ten seconds; ERROR_NOT_FOUND if the process has ended. Of
 * the process that was started, and of no child that it has. */
struct error *sandboxed_freeze(const struct sandboxed *p) MUST_CHECK;
/* Begins to stop it, so that several stop at the same time; sandboxed_freeze
 * waits. */
void sandboxed_send_stop(const struct sandboxed *p);
/* CPU seconds of all its threads, including ended ones: exact while it is
 * frozen; a running thread is counted up to some milliseconds ago. */
double sandboxed_cpu_seconds(const struct sandboxed *p);
/* Bytes of its own in memory or swap, including the tables that map them.
 * Without memory that it shares through open files; addresses without memory do
 * not count. 0 if it has ended. */
uint64_t sandboxed_memory(const struct sandboxed *p);
/* SANDBOX_RUN, of a program that is not ours: do all its threads have the strict
 * filter (SANDBOX_FILTER_FD), as far as the number of filters tells (Linux 5.9;
 * before, true)? Was it left without any other process? For one that is
 * frozen. */
bool sandboxed_is_strict(const struct sandboxed *p, const struct sandbox *s);
bool sandboxed_is_alone(const struct sandboxed *p);
struct error *sandboxed_thaw(const struct sandboxed *p) MUST_CHECK;
/* For SANDBOX_BUILD: also stops what it has started, as far as its parents or its
 * session show whose that is (with SANDBOX_BWRAP always). Nothing to do if it has
 * ended. False if it could not within ten seconds: a thread that waits in the
 * kernel for a child of its own (vfork) is not stopped, and what starts others
 * without end is never all of it. */
bool sandboxed_halt(const struct sandboxed *p) MUST_CHECK;
void sandboxed_go_on(const struct sandboxed *p);
/* Has it ended? exit_code and signal as in process_result. */
bool sandboxed_ended(const struct sandboxed *p, int *exit_code, int *signal);
/* Kills it without waiting; sandboxed_kill waits. Lets several processes that
 * end slowly, as when they release a GPU, end at the same time. */
void sandboxed_send_kill(const struct sandboxed *p);
/* Ends it, waits, and releases what *p owns; *p is then all zero. */
void sandboxed_kill(struct sandboxed *p);

DEFINE_CLEANUP(sandbox, struct sandbox, sandbox_free)
#define cleanup_sandbox CLEANUP(sandbox)

#endif
