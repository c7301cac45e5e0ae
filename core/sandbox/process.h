/*
 * Starts other programs, with limits, a deadline and bounded output; at the
 * deadline the whole process group is killed. Sandboxed programs: sandbox.h.
 */
#ifndef CORE_SANDBOX_PROCESS_H
#define CORE_SANDBOX_PROCESS_H

#include <sched.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/base/strvec.h"

struct process_limits {
	double wall_seconds;   /* then SIGKILL to the group; 0: no deadline */
	uint64_t cpu_seconds;  /* RLIMIT_CPU; 0: no limit, as for all below */
	uint64_t memory_bytes; /* RLIMIT_AS */
	uint64_t file_bytes;   /* RLIMIT_FSIZE */
	/* RLIMIT_NPROC, inside the sandbox; it counts all processes of a uid */
	uint64_t processes;
	uint64_t open_files; /* RLIMIT_NOFILE */
};

struct sock_fprog;

struct process_spec {
	/* NULL-terminated; argv[0] is searched in the PATH of `env` */
	const char *const *argv;
	const char *const *env; /* NULL: the one of this process */
	const char *dir;	/* NULL: the one of this process */
	struct process_limits limits;
	/* Inherited under these numbers (child_fd, 3 to 39). All others are
	 * closed except 0 (/dev/null), 1 and 2. */
	struct {
		int fd, child_fd;
	} inherit[16];
	size_t n_inherit;
	/* Also inherited, under their own numbers: 40 and up. */
	const int *keep;
	size_t n_keep;
	const cpu_set_t *cpus;		 /* NULL: those of this process */
	const struct sock_fprog *filter; /* seccomp, loaded last; may be NULL */
	int landlock_fd;		 /* a rule set, 40 or above; 0: none */
	bool opens_own_process; /* with a rule set: its map, its threads */
	uid_t step_down_uid;	/* if root: change to this uid and gid; 0: do
			      * not */
	bool die_with_parent;
	/* If this becomes 2 (a signal's flag), its group is killed; may be
	 * NULL. */
	const volatile int *stop_now;
};

struct process_result {
	int exit_code; /* -1 if a signal ended it */
	int signal;
	bool timed_out;
	bool stopped;	   /* by stop_now */
	struct buf output; /* stdout and stderr in their order, bounded */
	double seconds;
};
void process_result_release(struct process_result *r);
DEFINE_RELEASE(process_result, struct process_result, process_result_release)
#define cleanup_process_result CLEANUP(process_result)

/* Runs a program to its end. Failure to start it is an error; every end of a
 * program that ran is a result. Output beyond `output_limit` is dropped (the
 * program goes on) and result.output.truncated is set. */
struct error *process_run(struct process_result *out,
			  const struct process_spec *spec,
			  size_t output_limit) MUST_CHECK;

/* Starts a process that keeps running: its stdout and stderr go to out_fd. */
struct error *process_start(pid_t *out, const struct process_spec *spec,
			    int out_fd) MUST_CHECK;
/* Kills the group (SIGKILL) and waits for it; for members that lost their
 * parents only if this process is PR_SET_CHILD_SUBREAPER. Call it once for
 * every started process, also an ended one: only this frees its id. */
void process_kill(pid_t pid);
/* Has it ended? Fills exit_code (-1 by signal) and signal if so. */
bool process_ended(pid_t pid, int *exit_code, int *signal);

#endif
