/*
 * Starting other programs: with limits, a deadline, bounded output, and the
 * whole process group ended when time is up. Sandboxed ones: sandbox.h.
 */
#ifndef CORE_SANDBOX_PROCESS_H
#define CORE_SANDBOX_PROCESS_H

#include <sched.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/base/strvec.h"

struct process_limits {
	double wall_seconds;   /* then SIGKILL to the group; 0: none */
	uint64_t cpu_seconds;  /* RLIMIT_CPU; 0: none, as for all below */
	uint64_t memory_bytes; /* RLIMIT_AS */
	uint64_t file_bytes;   /* RLIMIT_FSIZE */
	/* RLIMIT_NPROC, inside the sandbox; it counts all of a uid's */
	uint64_t processes;
	uint64_t open_files; /* RLIMIT_NOFILE */
};

struct sock_fprog;
struct confinement; /* process_confine.h */

struct process_spec {
	/* NULL-terminated; argv[0] through the PATH that `env` has */
	const char *const *argv;
	const char *const *env; /* NULL: this process's own */
	const char *dir;	/* NULL: this one */
	struct process_limits limits;
	/* Inherited under these numbers (child_fd, 3 to 39); all others are
	 * closed but 0 (from /dev/null), 1 and 2. */
	struct {
		int fd, child_fd;
	} inherit[16];
	size_t n_inherit;
	/* More of them, under their own numbers: 40 and up. */
	const int *keep;
	size_t n_keep;
	const cpu_set_t *cpus;		 /* NULL: as this process */
	const struct sock_fprog *filter; /* seccomp, loaded last; may be NULL */
	const struct confinement *confine; /* may be NULL */
	uid_t step_down_uid; /* when root: become this uid and gid first; 0: stay */
	bool die_with_parent;
	/* Its group is ended once this is 2 (a signal's flag); may be NULL. */
	const volatile int *stop_now;
};

struct process_result {
	int exit_code; /* -1 when it was ended by a signal */
	int signal;
	bool timed_out;
	bool stopped;	   /* by stop_now */
	struct buf output; /* stdout and stderr as they came, bounded */
	double seconds;
};
void process_result_release(struct process_result *r);
DEFINE_RELEASE(process_result, struct process_result, process_result_release)
#define cleanup_process_result CLEANUP(process_result)

/* Runs to the end. A program that cannot be started is an error; any end of
 * a program that ran is a result. Output beyond `output_limit` is dropped
 * (the program goes on) and result.output.truncated is set. */
struct error *process_run(struct process_result *out,
			  const struct process_spec *spec,
			  size_t output_limit) MUST_CHECK;

/* A process that stays: its stdout and stderr go to out_fd. */
struct error *process_start(pid_t *out, const struct process_spec *spec,
			    int out_fd) MUST_CHECK;
/* SIGKILL to the group and wait for it; for those of it that lost their
 * parents only where this process is PR_SET_CHILD_SUBREAPER. Call it once for
 * every started process, an ended one too (only this lets go of the id). */
void process_kill(pid_t pid);
/* Has it ended? Fills exit_code (-1 by signal) and signal if so. */
bool process_ended(pid_t pid, int *exit_code, int *signal);

#endif
