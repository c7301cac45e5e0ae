/*
 * Inside the sandbox module: how one start is prepared. A mechanism turns a
 * sandbox_spec into a plan; starting and ending it is the same for all.
 */
#ifndef CORE_SANDBOX_PLAN_H
#define CORE_SANDBOX_PLAN_H

#include "core/sandbox/process_confine.h"
#include "core/sandbox/sandbox.h"
#include "core/sandbox/seccomp.h"

/* Where files of a spec are, inside a namespace. */
#define PLAN_BOX SANDBOX_BOX
/* What can be written there is memory, and bounded. */
#define PLAN_BOX_BYTES "134217728"
#define PLAN_TMP_BYTES "268435456"
#define PLAN_SHM_BYTES "67108864"

/* What every mechanism lets a program see of the machine. */
extern const struct root_path system_paths[];
extern const size_t n_system_paths;
/* The same for code that is scored: counters of the machine, which another
 * process can make go up, are a way to be told by it. */
extern const struct root_path run_paths[];
extern const size_t n_run_paths;
/* The devices of the two that are our own work. */
extern const char *const system_devices[];
extern const size_t n_system_devices;
/* What a GPU needs; the devices are beside those and a card's own node. */
extern const struct root_path gpu_paths[];
extern const size_t n_gpu_paths;
/* What the machine knows of the network; after system_paths. */
extern const struct root_path network_paths[];
extern const size_t n_network_paths;
extern const char *const gpu_devices[];
extern const size_t n_gpu_devices;

/* What a Landlock rule set begins with, found and held open once: the kernel
 * may forget which file of /proc a rule was for unless it is held open. */
struct landlock {
	int abi; /* 0: not looked for, or not there */
	struct landlock_path {
		int fd;
		uint64_t allowed;
	} * path;
	size_t n, cap;
};

struct sandbox {
	enum sandbox_level level;
	uid_t uid; /* to step down to; 0: we are not root, or cannot */
	bool has_seccomp;
	/* RLIMIT_NPROC counts a user namespace of its own separately. */
	bool counts_namespaces;
	struct filter filter[FILTER_COUNT];
	struct landlock landlock;
	char *bwrap; /* the program that is used; NULL: none */
	char *description;
	char *mend; /* may be NULL */
};

struct sandbox_plan {
	struct process_spec process; /* points into what follows */
	struct strvec argv;
	struct strvec env;
	struct strvec devices; /* all that namespaces of our own show */
	int *fd; /* memfds and pipe ends that bubblewrap gets; owned */
	size_t n_fds, cap_fds;
	int strict_fd; /* the filter a program puts on itself; -1: none */
	cpu_set_t cpus;
	struct sock_fprog filter;
	struct confinement confine;
	struct root root;
	int status_fd;	 /* bubblewrap's report, our end; -1: none */
	int landlock_fd; /* the rule set; -1: none */
	char *folder;	 /* temporary, owned with all in it; may be NULL */
	char *work;	 /* in it */
};

/* One function a mechanism, called by plan_make once it has done what all
 * have alike: limits, descriptors, CPUs, the strict filter. */
struct error *plan_bwrap(struct sandbox_plan *p, const struct sandbox *s,
			 const struct sandbox_spec *spec) MUST_CHECK;
struct error *plan_namespaces(struct sandbox_plan *p, const struct sandbox *s,
			      const struct sandbox_spec *spec) MUST_CHECK;
struct error *plan_landlock(struct sandbox_plan *p, const struct sandbox *s,
			    const struct sandbox_spec *spec) MUST_CHECK;
struct error *plan_none(struct sandbox_plan *p, const struct sandbox *s,
			const struct sandbox_spec *spec) MUST_CHECK;
/* Moves fd to a number above those a program expects and keeps it open in
 * the child; owns it. */
struct error *plan_keep(int *number, struct sandbox_plan *p, int fd) MUST_CHECK;
/* The same, but it ends with the exec and stays its owner's. */
struct error *plan_high(int *number, int fd) MUST_CHECK;
/* A temporary folder that belongs to uid: FOLDER/box with the files, and an
 * empty FOLDER/tmp. */
struct error *plan_folder(struct sandbox_plan *p, const struct fileset *files,
			  uid_t uid) MUST_CHECK;
struct error *plan_make(struct sandbox_plan *out, const struct sandbox *s,
			const struct sandbox_spec *spec) MUST_CHECK;
void plan_release(struct sandbox_plan *p);
/* PATH=/usr/bin:/bin and LC_ALL=C: for whatever the sandbox starts. */
void plan_environment(struct strvec *env);
#define PLAN_INIT                                                   \
	{                                                           \
		.strict_fd = -1, .status_fd = -1, .landlock_fd = -1 \
	}

DEFINE_RELEASE(plan, struct sandbox_plan, plan_release)
#define cleanup_plan CLEANUP(plan)

/* ERROR_NOT_FOUND, with the reason, where the kernel has none. */
struct error *landlock_open(struct landlock *out) MUST_CHECK;
void landlock_release(struct landlock *l);

/* What bubblewrap reports, one JSON object a line: the number under `key`
 * ("child-pid", "exit-code"), false if it is not there. */
bool bwrap_status(const char *text, const char *key, int *value);

#endif
