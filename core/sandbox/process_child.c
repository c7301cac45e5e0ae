#include "core/sandbox/process_child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Descriptors are first moved up to here, so that they are not in the way of
 * the numbers they will get. */
#define PARKING_MIN 40

static _Noreturn void fail(int complain, const char *step)
{
	struct child_report report = {.step = step, .saved_errno = errno};

	if (write(complain, &report, sizeof report) < 0)
		_exit(126);
	_exit(127);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool limit(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit now, r = {soft, hard};

	if (getrlimit((__rlimit_resource_t)resource, &now) < 0)
		return false;
	/* A hard limit cannot be raised; a lower one is enough. */
	r.rlim_max = MIN(r.rlim_max, now.rlim_max);
	r.rlim_cur = MIN(r.rlim_cur, r.rlim_max);
	return setrlimit((__rlimit_resource_t)resource, &r) == 0;
}

static bool set_limits(const struct process_limits *l)
{
	const struct {
		int resource;
		uint64_t value;
	} table[] = {
		{RLIMIT_AS, l->memory_bytes},
		{RLIMIT_FSIZE, l->file_bytes},
		{RLIMIT_NPROC, l->processes},
		{RLIMIT_NOFILE, l->open_files},
	};

	if (!limit(RLIMIT_CORE, 0, 0))
		return false;
	/* SIGXCPU first; a process that ignores it gets SIGKILL a second later. */
	if (l->cpu_seconds &&
	    !limit(RLIMIT_CPU, l->cpu_seconds, l->cpu_seconds + 1))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].value &&
		    !limit(table[i].resource, table[i].value, table[i].value))
			return false;
	return true;
}

static bool step_down(uid_t uid)
{
	if (!uid || geteuid() != 0)
		return true;
	return setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 &&
	       setresuid(uid, uid, uid) == 0;
}

/* Kernels before 5.11 cannot mark a whole range. */
static void close_others_on_exec(void)
{
	struct rlimit files;

	if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		files.rlim_cur = 1024;
	for (rlim_t fd = 3; fd < MIN(files.rlim_cur, 65536); fd++)
		fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

static int park(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, PARKING_MIN);
}

static bool arrange_files(const struct process_spec *spec, int null_fd,
			  int out_fd)
{
	int parked[ARRAY_SIZE(spec->inherit)];

	for (size_t i = 0; i < spec->n_inherit; i++)
		if ((parked[i] = park(spec->inherit[i].fd)) < 0)
			return false;
	close_others_on_exec();
	if (dup2(null_fd, 0) < 0 || dup2(out_fd, 1) < 0 || dup2(out_fd, 2) < 0)
		return false;
	for (size_t i = 0; i < spec->n_inherit; i++)
		if (dup2(parked[i], spec->inherit[i].child_fd) < 0)
			return false;
	for (size_t i = 0; i < spec->n_keep; i++)
		if (fcntl(spec->keep[i], F_SETFD, 0) < 0)
			return false;
	return true;
}

static bool die_with(pid_t parent)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

static bool load_filter(const struct sock_fprog *filter)
{
	if (!filter)
		return true;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter) == 0;
}

static bool clear_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
	       syscall(SYS_capset, &header, none) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/* A root of a user namespace still has capabilities here. */
static bool apply_landlock(int rule_set_fd)
{
	return clear_capabilities() &&
	       syscall(SYS_landlock_restrict_self, rule_set_fd, 0) == 0;
}

/* The last restrictions: only the exec may follow. */
static void confine_last(const struct process_spec *spec, int complain)
{
	if (spec->opens_own_process &&
	    !landlock_add_own_process(spec->landlock_fd))
		fail(complain, "cannot name its own process");
	if (spec->landlock_fd && !apply_landlock(spec->landlock_fd))
		fail(complain, "cannot apply its Landlock rules");
	if (!load_filter(spec->filter))
		fail(complain, "cannot load the system call filter");
}

_Noreturn void process_child(const struct process_spec *spec, int null_fd,
			     int out_fd, int complain, pid_t parent)
{
	int complain_high;

	/* First, because process_kill needs the group. */
	if (setsid() < 0)
		fail(complain, "setsid");
	reset_signals();
	complain_high = park(complain);
	null_fd = park(null_fd);
	out_fd = park(out_fd);
	if (complain_high < 0 || null_fd < 0 || out_fd < 0)
		fail(complain, "too many open files");
	if (!arrange_files(spec, null_fd, out_fd))
		fail(complain_high, "cannot hand over files");
	if (spec->cpus &&
	    sched_setaffinity(0, sizeof *spec->cpus, spec->cpus) < 0)
		fail(complain_high, "cannot choose the CPUs");
	if (!step_down(spec->step_down_uid))
		fail(complain_high, "cannot become another user");
	if (!set_limits(&spec->limits))
		fail(complain_high, "cannot set the limits");
	/* After the change of user, which would clear the setting. */
	if (spec->die_with_parent && !die_with(parent))
		fail(complain_high, "the program that started it is gone");
	if (spec->dir && chdir(spec->dir) < 0)
		fail(complain_high, "cannot go to its folder");
	confine_last(spec, complain_high);
	if (spec->env)
		environ = (char **)(uintptr_t)spec->env;
	execvp(spec->argv[0], (char *const *)(uintptr_t)spec->argv);
	fail(complain_high, "cannot be executed");
}
