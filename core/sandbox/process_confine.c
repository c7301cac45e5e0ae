#include "core/sandbox/process_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sandbox/process_child.h"

/* Room for kernels with more; those that do not exist give EINVAL. */
#define CAPABILITIES_MAX 64

static bool write_text(const char *path, const char *text)
{
	cleanup_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 &&
	       write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Keeps our own ids: an ordinary user may map only that one number. */
static bool map_ids(uid_t uid, gid_t gid)
{
	char users[32], groups[32];

	snprintf(users, sizeof users, "%u %u 1", uid, uid);
	snprintf(groups, sizeof groups, "%u %u 1", gid, gid);
	return write_text("/proc/self/setgroups", "deny") &&
	       write_text("/proc/self/uid_map", users) &&
	       write_text("/proc/self/gid_map", groups);
}

/* CLONE_PARENT: our parent becomes its parent and sees its end. */
static const char *hand_over_to_first(int report_fd)
{
	struct child_report report = {0};
	pid_t pid =
		(pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		return "cannot start in its namespaces";
	if (pid == 0)
		return setsid() < 0 ? "setsid" : NULL;
	report.pid = pid;
	_exit(write(report_fd, &report, sizeof report) < 0 ? 126 : 0);
}

const char *confine_namespaces(int report_fd, bool network)
{
	const int kinds = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID |
			  (network ? 0 : CLONE_NEWNET) | CLONE_NEWIPC |
			  CLONE_NEWUTS | CLONE_NEWCGROUP;
	uid_t uid = geteuid();
	gid_t gid = getegid();

	/* After a change of user, /proc/self belongs to root. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 || unshare(kinds) < 0)
		return "cannot make namespaces";
	if (!map_ids(uid, gid))
		return "cannot map its user";
	return hand_over_to_first(report_fd);
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

static bool drop_capabilities(void)
{
	for (unsigned long c = 0; c < CAPABILITIES_MAX; c++)
		if (prctl(PR_CAPBSET_DROP, c, 0, 0, 0) < 0 && errno != EINVAL)
			return false;
	return clear_capabilities();
}

const char *confine_capabilities(bool only_processes)
{
	/* For our own user namespace, and permanently: raising it again needs a
	 * capability. */
	if (!write_text("/proc/sys/user/max_user_namespaces", "0"))
		return "cannot forbid further namespaces";
	/* Mounted over the whole /proc, which was needed for the step above. */
	if (only_processes &&
	    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  "subset=pid") < 0)
		return "cannot hide in /proc what is the machine's";
	if (sethostname("box", strlen("box")) < 0)
		return "cannot name its machine";
	if (!drop_capabilities())
		return "cannot drop its capabilities";
	return NULL;
}

const char *confine_landlock(int rule_set_fd)
{
	/* A root of a user namespace still has capabilities here. */
	if (!clear_capabilities() ||
	    syscall(SYS_landlock_restrict_self, rule_set_fd, 0) < 0)
		return "cannot apply its Landlock rules";
	return NULL;
}
