/*
 * Internal to the sandbox module: preparing one start. A mechanism turns a
 * sandbox_spec into a plan; starting and ending are the same for all.
 */
#ifndef CORE_SANDBOX_PLAN_H
#define CORE_SANDBOX_PLAN_H

#include "core/sandbox/sandbox.h"
#include "core/sandbox/seccomp.h"

/* Where files of a spec are, inside a namespace. */
#define PLAN_BOX SANDBOX_BOX
/* Every writable place there is memory, and these are its limits. */
#define PLAN_BOX_BYTES "134217728"
#define PLAN_TMP_BYTES "268435456"
#define PLAN_SHM_BYTES "67108864"

/* Where bubblewrap makes the root of what it starts, while it works. */
#define BWRAP_ROOT "/newroot"

/* A part of the machine that is visible inside too, read-only, under the same
 * absolute path. It is left out if this machine does not have it. */
struct root_path {
	const char *path;
	bool maybe_link; /* if it is a link: keep the link, not its target */
};

/* The parts of the machine that every mechanism lets a program see. */
extern const struct root_path system_paths[];
extern const size_t n_system_paths;
/* The same for code that is scored. It has no counters of the machine, because
 * another process could pass messages by changing them. */
extern const struct root_path run_paths[];
extern const size_t n_run_paths;
/* The paths that a GPU needs, and its devices apart from a card's own node. */
extern const struct root_path gpu_paths[];
extern const size_t n_gpu_paths;
/* The machine's settings for the network; after system_paths. */
extern const struct root_path network_paths[];
extern const size_t n_network_paths;
extern const char *const gpu_devices[];
extern const size_t n_gpu_devices;

/* The start of a Landlock rule set, found once and held open: otherwise the
 * kernel may forget for which file of /proc a rule was. */
struct landlock {
	int abi; /* 0: not tried, or not available */
	struct landlock_path {
		int fd;
		uint64_t allowed;
	} * path;
	size_t n, cap;
};

struct sandbox {
	enum sandbox_level level;
	uid_t uid; /* the user to change to; 0: we are not root, or cannot */
	bool has_seccomp;
	/* RLIMIT_NPROC counts separately in each user namespace. */
	bool counts_namespaces;
	struct filter filter[FILTER_COUNT];
	struct landlock landlock;
	char *bwrap; /* the program to use; NULL: none */
	/* Of sandbox_spec.alone: can /proc have its one process alone? */
	bool shows_one_process;
	char *description;
	char *mend; /* may be NULL */
};

struct sandbox_plan {
	struct process_spec process; /* points into the members below */
	struct strvec argv;
	struct strvec env;
	int *fd; /* memfds and pipe ends for bubblewrap; owned */
	size_t n_fds, cap_fds;
	int strict_fd; /* the filter that a program loads itself; -1: none */
	cpu_set_t cpus;
	struct sock_fprog filter;
	int status_fd;	 /* bubblewrap's report, our end; -1: none */
	int landlock_fd; /* the rule set; -1: none */
	int bwrap_fd;	 /* of bubblewrap's own file; -1: found by PATH */
	char *folder;	 /* temporary, owned with its contents; may be NULL */
	char *work;	 /* inside the folder */
};

/* One function for each mechanism. plan_make calls it after the steps that all
 * share: limits, descriptors, CPUs, the strict filter. */
struct error *plan_bwrap(struct sandbox_plan *p, const struct sandbox *s,
			 const struct sandbox_spec *spec) MUST_CHECK;
struct error *plan_landlock(struct sandbox_plan *p, const struct sandbox *s,
			    const struct sandbox_spec *spec) MUST_CHECK;
struct error *plan_none(struct sandbox_plan *p, const struct sandbox *s,
			const struct sandbox_spec *spec) MUST_CHECK;
/* Moves fd to a number above those a program expects and keeps it open in the
 * child. Owns it. */
struct error *plan_keep(int *number, struct sandbox_plan *p, int fd) MUST_CHECK;
/* The same, but it closes at the exec, and the caller keeps it. */
struct error *plan_high(int *number, int fd) MUST_CHECK;
/* A temporary folder that belongs to uid: FOLDER/box with the files, and an
 * empty FOLDER/tmp. */
struct error *plan_folder(struct sandbox_plan *p, const struct fileset *files,
			  uid_t uid) MUST_CHECK;
struct error *plan_make(struct sandbox_plan *out, const struct sandbox *s,
			const struct sandbox_spec *spec) MUST_CHECK;
void plan_release(struct sandbox_plan *p);
/* PATH=/usr/bin:/bin and LC_ALL=C: for every program in a sandbox. */
void plan_environment(struct strvec *env);
#define PLAN_INIT                                                    \
	{                                                            \
		.strict_fd = -1, .status_fd = -1, .landlock_fd = -1, \
		.bwrap_fd = -1                                       \
	}

DEFINE_RELEASE(plan, struct sandbox_plan, plan_release)
#define cleanup_plan CLEANUP(plan)

/* ERROR_NOT_FOUND, with the reason, if the kernel has no Landlock. */
struct error *landlock_open(struct landlock *out) MUST_CHECK;
void landlock_release(struct landlock *l);

/* Reads bubblewrap's report, one JSON object per line: the number under `key`
 * ("child-pid", "exit-code"); false if it is missing. */
bool bwrap_status(const char *text, const char *key, int *value);

#endif
