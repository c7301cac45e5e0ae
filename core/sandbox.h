/*
 * Where code from a repository runs: compilers, references, candidates.
 * No network, only /usr and what is handed in, a private /tmp, no other
 * process in sight, no capability, never host uid 0, a deny-list of system
 * calls, and the whole process tree gone at the deadline.
 *
 * The mechanism is bubblewrap with a libseccomp filter. Where the machine
 * does not let it (no user namespaces) what is left is said by
 * sandbox_describe and must be written into the measurement: nothing pretends.
 */
#ifndef CORE_SANDBOX_H
#define CORE_SANDBOX_H

#include "core/fileset.h"
#include "core/process.h"

/* From weak to strong. */
enum sandbox_level {
	SANDBOX_NONE,  /* limits, seccomp and, from root, a lesser uid */
	SANDBOX_BWRAP, /* bubblewrap, namespaces, seccomp */
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
 * execute files, signal anybody, open sockets, send descriptors or, with one
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
	 * start threads only if above 1. */
	unsigned threads;
	/* Seen from inside; argv[0] through PATH (/usr/bin:/bin). The program
	 * gets nothing else but LC_ALL=C, HOME and TMPDIR (a private folder). */
	const char *const *argv;
	/* Files put in the working directory (/box where there is a
	 * namespace: name them by relative paths), gone at the end. May be
	 * NULL. Not everywhere may it write there; always to $TMPDIR. */
	const struct fileset *files;
	struct process_limits limits;
	struct {
		int fd, child_fd;
	} inherit[8];
	size_t n_inherit;
};

struct sandbox; /* what this machine can do, found out once */

/* Probes by starting bubblewrap once. AVOGIT_SANDBOX=none in the environment
 * leaves bubblewrap out. */
struct error *sandbox_probe(struct sandbox **out) MUST_CHECK;
enum sandbox_level sandbox_level(const struct sandbox *s);
/* "bubblewrap 0.8.0, seccomp, uid 61234" or "none: ..." with the reason. */
const char *sandbox_describe(const struct sandbox *s);
/* What to do about a level of NONE; NULL when there is nothing to mend. */
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
 * an error if it cannot be seen within a second; ERROR_NOT_FOUND if it has
 * ended. For SANDBOX_RUN. */
struct error *sandboxed_freeze(const struct sandboxed *p) MUST_CHECK;
struct error *sandboxed_thaw(const struct sandboxed *p) MUST_CHECK;
/* Has it ended? exit_code and signal as in process_result. */
bool sandboxed_ended(const struct sandboxed *p, int *exit_code, int *signal);
/* Ends it, waits, and disposes of what *p owns; *p is then all zero. */
void sandboxed_kill(struct sandboxed *p);

DEFINE_CLEANUP(sandbox, struct sandbox, sandbox_free)
#define cleanup_sandbox CLEANUP(sandbox)

#endif
