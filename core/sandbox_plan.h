/*
 * Inside the sandbox module: how one start is prepared. A mechanism turns a
 * sandbox_spec into a plan; starting and ending it is the same for all.
 */
#ifndef CORE_SANDBOX_PLAN_H
#define CORE_SANDBOX_PLAN_H

#include "core/sandbox.h"
#include "core/seccomp.h"

struct sandbox {
	enum sandbox_level level;
	uid_t uid; /* to step down to; 0: we are not root, or cannot */
	bool has_seccomp;
	struct filter filter[FILTER_COUNT];
	char *description;
	char *mend; /* may be NULL */
};

struct plan {
	struct process_spec process; /* points into what follows */
	struct strvec argv;
	struct strvec env;
	int *fd; /* memfds and pipe ends that bubblewrap gets; owned */
	size_t n_fds, cap_fds;
	int strict_fd; /* the filter a program puts on itself; -1: none */
	cpu_set_t cpus;
	struct sock_fprog filter;
	int status_fd; /* bubblewrap's report, our end; -1: none */
	char *folder;  /* temporary, owned with all in it; may be NULL */
	char *work;    /* in it */
};

/* One function a mechanism, called by plan_make once it has done what all
 * have alike: limits, descriptors, CPUs, the strict filter. */
struct error *plan_bwrap(struct plan *p, const struct sandbox *s,
			 const struct sandbox_spec *spec) MUST_CHECK;
struct error *plan_none(struct plan *p, const struct sandbox *s,
			const struct sandbox_spec *spec) MUST_CHECK;
/* Moves fd to a number above those a program expects and keeps it open in
 * the child; owns it. */
struct error *plan_keep(int *number, struct plan *p, int fd) MUST_CHECK;
/* A temporary folder that belongs to uid: FOLDER/work with the files, and an
 * empty FOLDER/tmp. */
struct error *plan_folder(struct plan *p, const struct fileset *files,
			  uid_t uid) MUST_CHECK;
struct error *plan_make(struct plan *out, const struct sandbox *s,
			const struct sandbox_spec *spec) MUST_CHECK;
void plan_release(struct plan *p);
/* PATH=/usr/bin:/bin and LC_ALL=C: for whatever the sandbox starts. */
void plan_environment(struct strvec *env);
#define PLAN_INIT                                \
	{                                        \
		.strict_fd = -1, .status_fd = -1 \
	}

DEFINE_RELEASE(plan, struct plan, plan_release)
#define cleanup_plan CLEANUP(plan)

/* What bubblewrap reports, one JSON object a line: the number under `key`
 * ("child-pid", "exit-code"), false if it is not there. */
bool bwrap_status(const char *text, const char *key, int *value);

#endif
