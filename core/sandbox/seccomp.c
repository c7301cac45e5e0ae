#include "core/sandbox/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"

/* Families of sockets below this are filtered singly; others are refused. */
#define FAMILIES 64

/* By name: a name that this libseccomp or this architecture does not know is
 * skipped. A filter that lists what is allowed then answers it with ENOSYS. */
typedef const char *const names[];

/* Calls that reach out of a sandbox, or into young parts of the kernel. */
static names hostile = {
	/* other processes */
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise",
	"process_mrelease", "pidfd_getfd", "kcmp", "migrate_pages",
	"move_pages",
	/* the kernel's own programs, queues and counters */
	"bpf", "perf_event_open", "io_uring_setup", "io_uring_enter",
	"io_uring_register", "userfaultfd", "lookup_dcookie", "fanotify_init",
	"fanotify_mark",
	/* keys */
	"add_key", "request_key", "keyctl",
	/* mounts and namespaces */
	"mount", "umount", "umount2", "pivot_root", "chroot", "move_mount",
	"open_tree", "open_tree_attr", "fsopen", "fsmount", "fsconfig",
	"fspick", "mount_setattr", "unshare", "setns", "open_by_handle_at",
	"name_to_handle_at",
	/* the machine */
	"kexec_load", "kexec_file_load", "init_module", "finit_module",
	"delete_module", "create_module", "query_module", "quotactl",
	"quotactl_fd", "acct", "swapon", "swapoff", "reboot", "syslog", "iopl",
	"ioperm", "modify_ldt", "vm86", "vm86old", "settimeofday",
	"clock_settime", "clock_settime64", "clock_adjtime", "clock_adjtime64",
	"adjtimex", "stime", "sethostname", "setdomainname", "vhangup",
	"nfsservctl", "uselib", "ustat", "sysfs", "_sysctl", "bdflush",
	/* layouts and limits that would survive an exec */
	"personality"};

/* Allowed to compilers, but not needed by a candidate. */
static names hostile_to_run = {
	/* other programs */
	"fork", "vfork", "execve", "execveat", "setsid", "setpgid",
	"pidfd_open", "pidfd_send_signal", "setrlimit",
	/* other processes to talk to; the scorer's own socket is there already
	 * and needs recvmsg and send, but must not send descriptors */
	"socket", "socketpair", "connect", "bind", "listen", "accept",
	"accept4", "sendmsg", "sendmmsg", "shmget", "shmat", "msgget", "semget",
	"mq_open", "mknod", "mknodat",
	/* other rights */
	"seccomp", "setuid", "setgid", "setresuid", "setresgid", "setreuid",
	"setregid", "setgroups", "capset"};

/* Refused to compilers too if no namespace hides what these reach: all of a
 * user's processes, services, files and shared memory. (The calls below for
 * file modes and times take a path; for an open file they are allowed.) */
static names reaching_out = {
	/* ends and groups: all processes are ended as one group */
	"setsid", "setpgid", "kill", "tkill", "tgkill", "rt_sigqueueinfo",
	"rt_tgsigqueueinfo", "pidfd_open", "pidfd_send_signal", "setpriority",
	"ioprio_set",
	/* names that all programs share */
	"shmget", "shmat", "msgget", "semget", "mq_open", "mq_unlink",
	"inotify_init", "inotify_init1",
	/* unknown to Landlock, or to its first versions */
	"truncate", "truncate64", "chmod", "fchmodat", "fchmodat2", "chown",
	"chown32", "lchown", "lchown32", "fchownat", "setxattr", "lsetxattr",
	"setxattrat", "removexattr", "lremovexattr", "removexattrat", "utime",
	"utimes", "futimesat", "file_setattr"};

static names allowed_to_run = {
	/* memory */
	"brk", "munmap", "mremap", "mprotect", "msync", "mlock", "mlock2",
	"munlock", "membarrier", "pkey_alloc", "pkey_free", "pkey_mprotect",
	/* existing files and private ones */
	"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv",
	"pwritev", "open", "openat", "openat2", "close", "close_range", "lseek",
	"_llseek", "dup", "dup2", "dup3", "fstat", "fstat64", "stat", "stat64",
	"lstat", "lstat64", "newfstatat", "fstatat64", "statx", "statfs",
	"statfs64", "fstatfs", "fstatfs64", "access", "faccessat", "faccessat2",
	"readlink", "readlinkat", "getdents", "getdents64", "getcwd",
	"ftruncate", "ftruncate64", "fallocate", "unlink", "unlinkat", "mkdir",
	"mkdirat", "rename", "renameat", "renameat2", "umask", "recvmsg",
	"recvfrom",
	/* waiting */
	"poll", "ppoll", "select", "pselect6", "_newselect", "epoll_create",
	"epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd",
	"eventfd2", "pipe", "pipe2", "futex", "futex_waitv", "nanosleep",
	"clock_nanosleep", "pause", "sched_yield", "restart_syscall",
	/* time and place */
	"clock_gettime", "clock_getres", "gettimeofday", "time", "times",
	"getcpu", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
	"sched_get_priority_max", "sched_get_priority_min", "get_mempolicy",
	"getpriority",
	/* itself */
	"getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "getuid",
	"geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups",
	"getrlimit", "ugetrlimit", "getrusage", "uname", "getrandom", "rseq",
	"set_robust_list", "get_robust_list", "set_tid_address", "arch_prctl",
	"set_tls", "set_thread_area", "get_thread_area", "rt_sigaction",
	"rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait",
	"rt_sigsuspend", "sigaltstack", "sigreturn", "exit", "exit_group"};

static names refused_to_run = {
	"kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
	/* libraries that bind their threads go on if this fails */
	"sched_setaffinity", "sched_setscheduler", "sched_setparam",
	"sched_setattr", "setpriority", "ioprio_set", "set_mempolicy", "mbind",
	/* is it a terminal? */
	"ioctl",
	/* State that one program can set and another can see: locks and leases
	 * of files that all may read, which parts of them are in memory, how
	 * much of the machine is in use. */
	"flock", "fadvise64", "mincore", "sysinfo"};

static struct error *add_names(scmp_filter_ctx ctx, uint32_t action,
			       const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int number = seccomp_syscall_resolve_name(name[i]);
		int rc;

		if (number < 0)
			continue;
		rc = seccomp_rule_add(ctx, action, number, 0);
		if (rc < 0) {
			errno = -rc;
			return error_errno("seccomp: %s", name[i]);
		}
	}
	return NULL;
}
#define ADD(ctx, action, list) add_names(ctx, action, list, ARRAY_SIZE(list))

/* A condition's last value is for masks. Others give it too, as 0, because
 * clang warns if a member is left out. */
static struct error *add_if(scmp_filter_ctx ctx, uint32_t action, int number,
			    struct scmp_arg_cmp condition)
{
	int rc = seccomp_rule_add_array(ctx, action, number, 1, &condition);

	errno = -rc;
	return rc < 0 ? error_errno("seccomp: system call %d", number) : NULL;
}

/* clone3 has its flags in memory, which a filter cannot read. Without clone3,
 * glibc uses clone. (The strict filter refuses clone3 by default.) */
static struct error *add_clone3(scmp_filter_ctx ctx)
{
	int number = seccomp_syscall_resolve_name("clone3");

	if (number < 0)
		return NULL;
	number = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), number, 0);
	errno = -number;
	return number < 0 ? error_errno("seccomp: clone3") : NULL;
}

static struct error *deny_namespaces(scmp_filter_ctx ctx)
{
	static const int flags[] = {CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
				    CLONE_NEWIPC, CLONE_NEWUSER,   CLONE_NEWPID,
				    CLONE_NEWNET};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		uint64_t flag = (uint64_t)flags[i];

		TRY(add_if(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone),
			   SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)));
	}
	return NULL;
}

/* The first argument is a process; 0 is the caller. */
static struct error *only_itself(scmp_filter_ctx ctx)
{
	static const int numbers[] = {SCMP_SYS(prlimit64),
				      SCMP_SYS(sched_setaffinity),
				      SCMP_SYS(sched_setscheduler),
				      SCMP_SYS(sched_setparam),
				      SCMP_SYS(sched_setattr)};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		TRY(add_if(ctx, SCMP_ACT_ERRNO(EPERM), numbers[i],
			   SCMP_A0(SCMP_CMP_NE, 0, 0)));
	return NULL;
}

/* Sockets by path too. */
static names sockets = {"socket", "connect", "bind"};

#define SOCKET_TYPES 16 /* the other bits are flags */

/* One end of a pair of datagrams also sends to any address: to the log of the
 * system, say. Those of the other types send to each other only. */
static struct error *only_connected_pairs(scmp_filter_ctx ctx)
{
	const uint32_t no = SCMP_ACT_ERRNO(EPERM);

	TRY(add_if(ctx, no, SCMP_SYS(socketpair),
		   SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0)));
	for (uint64_t type = 0; type < SOCKET_TYPES; type++)
		if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
			TRY(add_if(ctx, no, SCMP_SYS(socketpair),
				   SCMP_A1(SCMP_CMP_MASKED_EQ, SOCKET_TYPES - 1,
					   type)));
	return NULL;
}

/* NVIDIA's driver does not start unless it can listen on a local socket of this
 * type, and asks by one whether the daemon of MPS is there: it finds none. No
 * message goes by this type without a connection, and nothing here makes one. */
static struct error *only_listening(scmp_filter_ctx ctx)
{
	const uint32_t no = SCMP_ACT_ERRNO(EPERM);

	TRY(add_if(ctx, no, SCMP_SYS(socket),
		   SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0)));
	for (uint64_t type = 0; type < SOCKET_TYPES; type++)
		if (type != SOCK_SEQPACKET)
			TRY(add_if(ctx, no, SCMP_SYS(socket),
				   SCMP_A1(SCMP_CMP_MASKED_EQ, SOCKET_TYPES - 1,
					   type)));
	return ADD(ctx, SCMP_ACT_ERRNO(ENOENT), ((names){"connect"}));
}

static struct error *refuse_reaching_out(scmp_filter_ctx ctx,
					 enum filter_kind kind)
{
	const uint32_t no = SCMP_ACT_ERRNO(EPERM);

	TRY(kind == FILTER_DRIVER_GROUP ? only_listening(ctx)
					: ADD(ctx, no, sockets));
	TRY(only_connected_pairs(ctx));
	TRY(ADD(ctx, no, reaching_out));
	TRY(only_itself(ctx));
	return add_if(ctx, no, SCMP_SYS(utimensat), SCMP_A1(SCMP_CMP_NE, 0, 0));
}

/* A C library uses netlink to find its own addresses. */
static struct error *only_internet(scmp_filter_ctx ctx)
{
	for (int family = 0; family < FAMILIES; family++) {
		if (family == AF_UNIX || family == AF_INET ||
		    family == AF_INET6 || family == AF_NETLINK)
			continue;
		TRY(add_if(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket),
			   SCMP_A0(SCMP_CMP_EQ, (uint64_t)family, 0)));
	}
	return add_if(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket),
		      SCMP_A0(SCMP_CMP_GE, FAMILIES, 0));
}

static struct error *build_rules(scmp_filter_ctx ctx, enum filter_kind kind)
{
	const uint32_t no = SCMP_ACT_ERRNO(EPERM);

	TRY(ADD(ctx, no, hostile));
	TRY(add_clone3(ctx));
	TRY(deny_namespaces(ctx));
	/* Where there is a namespace, its end ends all in it. So a program with
	 * children of its own, as a coding agent is, may ask that they end with
	 * it. */
	if (kind == FILTER_NETWORK)
		return only_internet(ctx);
	/* The parent's death signal is what ends a sandboxed process for
	 * sure. */
	TRY(add_if(ctx, no, SCMP_SYS(prctl),
		   SCMP_A0(SCMP_CMP_EQ, PR_SET_PDEATHSIG, 0)));
	if (kind == FILTER_BUILD)
		return add_if(ctx, no, SCMP_SYS(socket),
			      SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0));
	return refuse_reaching_out(ctx, kind);
}

/* Allows a thread to name itself and its memory, to answer on a connected
 * socket and to read its limits (glibc does when it starts a thread). Every
 * other use of these calls is refused. */
static struct error *run_narrowed(scmp_filter_ctx ctx)
{
	static const int harmless[] = {PR_SET_NAME, PR_GET_NAME,
				       PR_GET_DUMPABLE, 0x53564d41};

	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		TRY(add_if(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prctl),
			   SCMP_A0(SCMP_CMP_EQ, (uint64_t)harmless[i], 0)));
	/* abort() signals itself: process 1, if there is a namespace. */
	TRY(add_if(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
		   SCMP_A0(SCMP_CMP_EQ, 1, 0)));
	TRY(add_if(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill),
		   SCMP_A0(SCMP_CMP_NE, 1, 0)));
	TRY(add_if(ctx, SCMP_ACT_ALLOW, SCMP_SYS(sendto),
		   SCMP_A4(SCMP_CMP_EQ, 0, 0)));
	return add_if(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64),
		      SCMP_A2(SCMP_CMP_EQ, 0, 0));
}

/* Allows one argument of a system call to have these values; others give
 * ENOSYS. */
static struct error *only_these(scmp_filter_ctx ctx, int number, unsigned arg,
				const int *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		TRY(add_if(ctx, SCMP_ACT_ALLOW, number,
			   SCMP_CMP(arg, SCMP_CMP_EQ, (uint64_t)value[i], 0)));
	return NULL;
}

/* Without locks, leases, notices and hints of a file, which affect other
 * programs that have it open. */
static const int harmless_fcntl[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,
				     F_SETFD, F_GETFL,	       F_SETFL};

/* Without those that merge pages of processes, or remove pages of files from
 * memory for all processes. */
static const int harmless_madvise[] = {
	MADV_NORMAL,	 MADV_RANDOM,	     MADV_SEQUENTIAL,
	MADV_DONTNEED,	 MADV_FREE,	     MADV_DONTFORK,
	MADV_DOFORK,	 MADV_HUGEPAGE,	     MADV_NOHUGEPAGE,
	MADV_DONTDUMP,	 MADV_DODUMP,	     MADV_WIPEONFORK,
	MADV_KEEPONFORK, 22 /* populate: */, 23 /* read, write */};

/* Shared memory without a file can be given away and still be held, and it is
 * not counted. Only a program with children needs it. */
static struct error *no_shared_memory(scmp_filter_ctx ctx, const char *name)
{
	const uint64_t both = MAP_SHARED | MAP_ANONYMOUS;
	const uint64_t fine[] = {0, MAP_SHARED, MAP_ANONYMOUS};
	int number = seccomp_syscall_resolve_name(name);

	if (number < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++)
		TRY(add_if(ctx, SCMP_ACT_ALLOW, number,
			   SCMP_A3(SCMP_CMP_MASKED_EQ, both, fine[i])));
	return add_if(ctx, SCMP_ACT_ERRNO(EPERM), number,
		      SCMP_A3(SCMP_CMP_MASKED_EQ, both, both));
}

static struct error *run_memory_and_files(scmp_filter_ctx ctx)
{
	TRY(only_these(ctx, SCMP_SYS(fcntl), 1, harmless_fcntl,
		       ARRAY_SIZE(harmless_fcntl)));
	TRY(only_these(ctx, SCMP_SYS(madvise), 2, harmless_madvise,
		       ARRAY_SIZE(harmless_madvise)));
	TRY(no_shared_memory(ctx, "mmap"));
	return no_shared_memory(ctx, "mmap2");
}

static struct error *run_rules(scmp_filter_ctx ctx, bool threads)
{
	const uint64_t thread = CLONE_THREAD;

	TRY(ADD(ctx, SCMP_ACT_ALLOW, allowed_to_run));
	TRY(ADD(ctx, SCMP_ACT_ERRNO(EPERM), refused_to_run));
	TRY(ADD(ctx, SCMP_ACT_KILL_PROCESS, hostile));
	TRY(ADD(ctx, SCMP_ACT_KILL_PROCESS, hostile_to_run));
	TRY(add_if(ctx, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone),
		   SCMP_A0(SCMP_CMP_MASKED_EQ, thread, 0)));
	TRY(add_if(ctx, threads ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EAGAIN),
		   SCMP_SYS(clone),
		   SCMP_A0(SCMP_CMP_MASKED_EQ, thread, thread)));
	TRY(run_memory_and_files(ctx));
	return run_narrowed(ctx);
}

static struct error *export(struct filter *out, scmp_filter_ctx ctx)
{
	cleanup_fd int fd = memfd_create("filter", MFD_CLOEXEC);
	struct stat st;
	size_t bytes;
	int rc;

	if (fd < 0)
		return error_errno("memfd");
	rc = seccomp_export_bpf(ctx, fd);
	errno = -rc;
	if (rc < 0 || fstat(fd, &st) < 0)
		return error_errno("cannot write the system call filter");
	bytes = (size_t)st.st_size;
	if (bytes / sizeof *out->code > BPF_MAXINSNS)
		return error_new(ERROR_INTERNAL, "system call filter too long");
	out->code = xcalloc(bytes, 1);
	out->n = (unsigned short)(bytes / sizeof *out->code);
	if (pread(fd, out->code, bytes, 0) != (ssize_t)bytes) {
		filter_release(out);
		return error_new(ERROR_SYSTEM,
				 "cannot read the system call filter back");
	}
	return NULL;
}

static bool is_strict(enum filter_kind kind)
{
	return kind == FILTER_RUN_SINGLE || kind == FILTER_RUN_THREADS;
}

static struct error *rules(scmp_filter_ctx ctx, enum filter_kind kind)
{
	/* An old libseccomp may refuse both. The default (ending the thread) is
	 * as safe, and a linear search is only slower. */
	seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (is_strict(kind))
		return run_rules(ctx, kind == FILTER_RUN_THREADS);
	return build_rules(ctx, kind);
}

struct error *filter_make(struct filter *out, enum filter_kind kind)
{
	scmp_filter_ctx ctx = seccomp_init(
		is_strict(kind) ? SCMP_ACT_ERRNO(ENOSYS) : SCMP_ACT_ALLOW);
	struct filter made = {0};
	struct error *err;

	if (!ctx)
		return error_new(ERROR_SYSTEM, "libseccomp cannot start");
	err = rules(ctx, kind);
	if (!err)
		err = export(&made, ctx);
	seccomp_release(ctx);
	if (!err)
		*out = made;
	return err;
}

void filter_release(struct filter *f)
{
	free(f->code);
	*f = (struct filter){0};
}
