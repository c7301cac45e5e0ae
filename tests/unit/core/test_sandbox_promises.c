/*
 * What a sandbox promises, tried from inside by a program that means harm, at
 * every level that this machine can have. The filter that a runner puts on
 * itself is not in force here: this is what a compiler could do.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "tests/unit/core/sandbox_levels.h"

#define SHARED_FD 4
#define VSOCK	  40

#define CANNOT_LISTEN 4 /* an exit code */

/*
 * Inside: this program again. What a stranger would try, each giving its
 * errno, 0 if it could.
 */

static int errno_of(long result)
{
	return result < 0 ? errno : 0;
}

static int try_ptrace(void)
{
	return errno_of(ptrace(PTRACE_TRACEME, 0, 0, 0));
}

static int try_inet(void)
{
	return errno_of(socket(AF_INET, SOCK_STREAM, 0));
}

static int try_vsock(void)
{
	return errno_of(socket(VSOCK, SOCK_STREAM, 0));
}

static int try_io_uring(void)
{
	return errno_of(syscall(SYS_io_uring_setup, 0, NULL));
}

static int try_bpf(void)
{
	return errno_of(syscall(SYS_bpf, 0, NULL, 0));
}

static int try_perf(void)
{
	return errno_of(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
}

static int try_userfaultfd(void)
{
	return errno_of(syscall(SYS_userfaultfd, 0));
}

static int try_keys(void)
{
	return errno_of(syscall(SYS_keyctl, 0, -3, 0));
}

static int try_user_namespace(void)
{
	return errno_of(unshare(CLONE_NEWUSER));
}

static int try_mount_namespace(void)
{
	return errno_of(syscall(SYS_clone, CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0));
}

static int try_mount(void)
{
	return errno_of(syscall(SYS_mount, "none", "/", "tmpfs", 0, NULL));
}

static int try_outliving(void)
{
	return errno_of(prctl(PR_SET_PDEATHSIG, 0));
}

static const struct {
	const char *name;
	int (*attempt)(void);
} forbidden[] = {
	{"ptrace", try_ptrace},
	{"inet", try_inet},
	{"vsock", try_vsock},
	{"io_uring", try_io_uring},
	{"bpf", try_bpf},
	{"perf", try_perf},
	{"userfaultfd", try_userfaultfd},
	{"keys", try_keys},
	{"user_namespace", try_user_namespace},
	{"mount_namespace", try_mount_namespace},
	{"mount", try_mount},
	{"outliving", try_outliving},
};

static int be_forbidden(void)
{
	int failures = 0;

	for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++) {
		int said = forbidden[i].attempt();

		if (said != EPERM) {
			printf("%s: %s\n", forbidden[i].name, strerror(said));
			failures++;
		}
	}
	return failures;
}

/* Who we are, and whether a capability is left. */
static int be_nobody(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct set[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, set) < 0)
		return errno;
	printf("%u %u %u %u %x%x%x%x\n", getuid(), geteuid(), getgid(),
	       getegid(), set[0].permitted, set[1].permitted, set[0].effective,
	       set[1].effective);
	return 0;
}

static int list_descriptors(void)
{
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d ", fd);
	printf("and no other\n");
	return 0;
}

/* Leaves session, group and parent behind, as a daemon does, and stays. */
static int be_daemon(void)
{
	if (fork() == 0) {
		setsid();
		setpgid(0, 0);
		if (fork() > 0)
			_exit(0);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		if (write(SHARED_FD, "x", 1) == 1)
			for (;;)
				pause();
	}
	for (;;)
		pause();
}

static uint64_t *shared_number(int fd)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* All that come to be go on making more. */
static int be_bomb(void)
{
	uint64_t *started = shared_number(SHARED_FD);

	while (started)
		if (fork() > 0)
			__atomic_fetch_add(started, 1, __ATOMIC_SEQ_CST);
	return errno;
}

static void *stay(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* How many threads it gets, up to ten. */
static int be_many(void)
{
	pthread_t thread;
	int n = 0;

	while (n < 10 && pthread_create(&thread, NULL, stay, NULL) == 0)
		n++;
	_exit(n);
}

/* Past open(2), with a path of another user's. */
static int be_vandal(const char *path)
{
	const int said[] = {
		errno_of(truncate(path, 0)),
		errno_of(chmod(path, 0)),
		errno_of(setxattr(path, "user.x", "x", 1, 0)),
		errno_of(unlink(path)),
		errno_of(rename(path, "stolen")),
		errno_of(link(path, "stolen")),
		errno_of(utimensat(AT_FDCWD, path, NULL, 0)),
	};

	for (size_t i = 0; i < ARRAY_SIZE(said); i++)
		if (!said[i])
			return (int)i + 1;
	return 0;
}

/* Whoever runs these tests. */
static int be_killer(const char *pid)
{
	pid_t other = (pid_t)strtol(pid, NULL, 10);

	return kill(other, 0) < 0 && kill(-1, SIGCONT) < 0 &&
			       syscall(SYS_pidfd_open, other, 0) < 0
		       ? 0
		       : 1;
}

static socklen_t hidden_name(struct sockaddr_un *out, const char *name)
{
	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(out->sun_path + 1,
					    sizeof out->sun_path - 1,
					    "avogit-test-%s", name));
}

/* A socket of this type that listens under that name; -1: it may not. */
static int listen_as(int type, const char *name)
{
	struct sockaddr_un at;
	socklen_t n = hidden_name(&at, name);
	int fd = socket(AF_UNIX, type, 0);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&at, n) == 0 &&
	    (type == SOCK_DGRAM || listen(fd, 1) == 0))
		return fd;
	close(fd);
	return -1;
}

/* A pair of datagrams that sends to an address as well? And are the pairs there
 * that compilers have? */
static bool pair_reaches(const struct sockaddr_un *to, socklen_t n)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) == 0 &&
	       sendto(pair[0], "x", 1, 0, (const struct sockaddr *)to, n) == 1;
}

static bool has_connected_pairs(void)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 &&
	       socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0;
}

/* As NVIDIA's does; `outside` is a number that two sockets of the tests have
 * for a name. What it may not gives another exit code. */
static int be_driver(const char *outside)
{
	cleanup_free char *letters = xasprintf("d%s", outside);
	/* Other runs of these tests may see it, and where this is process 1,
	 * none does. */
	cleanup_free char *own = xasprintf("i%s-%d", outside, getpid());
	struct sockaddr_un to;
	socklen_t n = hidden_name(&to, outside);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (connect(fd, (struct sockaddr *)&to, n) == 0)
		return 1;
	n = hidden_name(&to, letters);
	if (sendto(socket(AF_UNIX, SOCK_DGRAM, 0), "x", 1, 0,
		   (struct sockaddr *)&to, n) == 1)
		return 2;
	if (try_inet() != EPERM || try_vsock() != EPERM)
		return 3;
	if (pair_reaches(&to, n))
		return 5;
	if (!has_connected_pairs())
		return 6;
	return listen_as(SOCK_SEQPACKET, own) < 0 ? CANNOT_LISTEN : 0;
}

static const struct {
	const char *name;
	int (*be)(void);
} roles[] = {
	{"forbidden", be_forbidden},
	{"nobody", be_nobody},
	{"descriptors", list_descriptors},
	{"daemon", be_daemon},
	{"bomb", be_bomb},
	{"many", be_many},
};

static _Noreturn void be_inside(const char *what, const char *argument)
{
	int code = 97;

	if (argument && str_eq(what, "vandal"))
		code = be_vandal(argument);
	if (argument && str_eq(what, "killer"))
		code = be_killer(argument);
	if (argument && str_eq(what, "driver"))
		code = be_driver(argument);
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (str_eq(what, roles[i].name))
			code = roles[i].be();
	fflush(stdout);
	_exit(code);
}

/* Outside. */

/* A folder that every user may read and write, by its mode. */
static char *folder;

static void make_folder(void)
{
	cleanup_free char *secret = NULL;
	struct error *err = dir_make_temp(&folder, "/tmp", "avogit-others-");

	if (err)
		_exit(1);
	secret = xasprintf("%s/secret", folder);
	if (file_write(secret, "hunter2\n", 8, false) ||
	    chmod(secret, 0666) < 0 || chmod(folder, 0777) < 0)
		_exit(1);
}

static struct process_result inside(const struct sandbox *s, const char *what)
{
	struct sandbox_spec spec = self(SELF(what), SANDBOX_BUILD, 1);

	return run(s, &spec);
}

static void is_never_root(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r = inside(s, "nobody");
	unsigned uid, euid, gid, egid;
	char capabilities[64];

	assert_int_equal(sscanf(r.output.data, "%u %u %u %u %63s", &uid, &euid,
				&gid, &egid, capabilities),
			 5);
	/* where root has no other user to become, it says so */
	if (strstr(sandbox_describe(s), "uid 0")) {
		print_message("nobody else to be\n");
		skip();
	}
	assert_true(uid && euid && gid && egid);
	assert_string_equal(capabilities, "0000");
}

static void refuses_what_reaches_out(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r = inside(s, "forbidden");

	if (r.exit_code != 0)
		fail_msg("%s", r.output.data);
}

static void has_the_descriptors_named_and_no_other(void **state)
{
	const struct sandbox *s = of(state);
	int stray = dup(self_fd);
	cleanup_process_result struct process_result r =
		inside(s, "descriptors");

	close(stray);
	/* a sanitizer may have more to say */
	assert_true(starts_with(r.output.data, "0 1 2 3 and no other\n"));
}

static void has_no_network(void **state)
{
	const struct sandbox *s = of(state);
	const char *const argv[] = {"bash", "-c",
				    "echo hello >/dev/tcp/127.0.0.1/9", NULL};
	struct sandbox_spec spec = {.argv = argv, .limits = limits};
	cleanup_process_result struct process_result r = run(s, &spec);

	assert_int_equal(r.exit_code, 1);
	assert_non_null(strstr(r.output.data, "Operation not permitted"));
}

/*
 * Scripts that print nothing if all is well. $1 is the folder that every user
 * may read and write, $2 the process of the tests, $3 where they were started,
 * $4 their home.
 */
static const struct promise {
	const char *name, *script;
	enum sandbox_level weakest;
} promises[] = {
	{"reads no secrets of root's", "cat /etc/shadow", SANDBOX_NONE},
	{"reads no files of others", "cat $1/secret", SANDBOX_LANDLOCK},
	{"reads nothing of /etc", "cat /etc/passwd", SANDBOX_LANDLOCK},
	{"reads nothing of the repository", "cat $3/core/*; ls $3/core",
	 SANDBOX_LANDLOCK},
	{"reads nothing at home", "ls $4", SANDBOX_LANDLOCK},
	{"reads of no process what it runs", "cat /proc/$2/cmdline",
	 SANDBOX_LANDLOCK},
	{"reads of no process what it holds",
	 "cat /proc/$2/environ /proc/$2/maps; ls /proc/$2/fd",
	 SANDBOX_LANDLOCK},
	{"adds no files", ": >$1/x && echo made; mkdir $1/y && echo made",
	 SANDBOX_LANDLOCK},
	{"changes no files", "echo x >>$1/secret && echo changed",
	 SANDBOX_LANDLOCK},
	{"makes no links out", "ln -s $1 way && cat way/secret",
	 SANDBOX_LANDLOCK},
	{"writes to no memory that others see", ": >/dev/shm/x && ls $1",
	 SANDBOX_LANDLOCK},
	{"changes nothing of the machine",
	 "for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do "
	 "(: >$f) && echo $f; done",
	 SANDBOX_LANDLOCK},
	{"sees only the system",
	 "for f in /etc/passwd /etc/shadow /root /home /var /run /sys/kernel "
	 "/boot $1 $3/core; do test -e $f && echo $f; done; ls /tmp",
	 SANDBOX_BWRAP},
	{"writes nowhere but to its folders",
	 "for d in / /usr /dev /etc /sys/devices /proc/sys/kernel; do "
	 "(: >$d/x) && echo $d; done",
	 SANDBOX_BWRAP},
	{"is alone",
	 "set -- /proc/[0-9]*; test \"$$ $*\" = '1 /proc/1' || echo $*",
	 SANDBOX_BWRAP},
	{"does not know the machine's name", "uname -n | grep -v '^box$'",
	 SANDBOX_BWRAP},
	{"mounts nothing that could be written",
	 "while read -r _ on type opt _; do case $on,$opt in "
	 "/proc,*|/proc/1,*|/tmp/proc,*|/dev/*|/tmp,*|/box,*|*,ro,*) ;; "
	 "*) echo $on $opt; esac; "
	 "case $on,$opt in /dev/*,*|*,*nosuid*) ;; *) echo $on $opt; esac; "
	 "done </proc/mounts",
	 SANDBOX_BWRAP},
};

/* `alone`: as a runner of avogit's own. */
static void try_promise(const struct sandbox *s, const struct promise *p,
			bool alone)
{
	cleanup_free char *script =
		xasprintf("exec 2>/dev/null; %s", p->script);
	cleanup_free char *pid = xasprintf("%d", getpid());
	cleanup_free char *here = getcwd(NULL, 0);
	const char *home = getenv("HOME");
	const char *const argv[] = {"sh",   "-c", script, "sh",
				    folder, pid,  here,	  home ? home : "/root",
				    NULL};
	struct sandbox_spec spec = {.profile = alone ? SANDBOX_RUN
						     : SANDBOX_BUILD,
				    .alone = alone,
				    .argv = argv,
				    .limits = limits};
	cleanup_process_result struct process_result r = run(s, &spec);

	if (r.output.len)
		fail_msg("%s%s: %s", p->name, alone ? " alone" : "",
			 r.output.data);
}

static void keeps_out(void **state)
{
	const struct sandbox *s = of(state);

	if (strstr(sandbox_describe(s), "uid 0 only")) {
		print_message("root who has nobody else to be is kept out of "
			      "nothing\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(promises); i++)
		if (promises[i].weakest <= sandbox_level(s)) {
			try_promise(s, &promises[i], false);
			try_promise(s, &promises[i], true);
		}
}

static void harms_no_file_past_open(void **state)
{
	const struct sandbox *s = of_from(state, SANDBOX_LANDLOCK);
	cleanup_free char *secret = xasprintf("%s/secret", folder);
	struct sandbox_spec spec =
		self(SELF("vandal", secret), SANDBOX_BUILD, 1);
	cleanup_process_result struct process_result r = run(s, &spec);
	struct stat st;

	assert_int_equal(r.exit_code, 0);
	assert_int_equal(stat(secret, &st), 0);
	assert_int_equal(st.st_size, 8);
	assert_int_equal(st.st_mode & 0777, 0666);
}

static void signals_nobody_outside(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_free char *pid = xasprintf("%d", getpid());
	struct sandbox_spec spec = self(SELF("killer", pid), SANDBOX_BUILD, 1);
	cleanup_process_result struct process_result r = run(s, &spec);

	assert_int_equal(r.exit_code, 0);
}

/* What be_driver ends with where sockets of this process wait for it; with `cards`
 * as a driver of a GPU. */
static int reaching(const struct sandbox *s, const char *const *cards)
{
	cleanup_free char *name = xasprintf("%d", getpid());
	cleanup_free char *letters = xasprintf("d%s", name);
	cleanup_fd int connects = listen_as(SOCK_SEQPACKET, name);
	cleanup_fd int receives = listen_as(SOCK_DGRAM, letters);
	struct sandbox_spec spec = self(SELF("driver", name), SANDBOX_BUILD, 1);
	cleanup_process_result struct process_result r = {0};

	assert_true(connects >= 0 && receives >= 0);
	spec.gpu = cards;
	r = run(s, &spec);
	return r.exit_code;
}

/* The driver of a GPU has to listen, and nobody is to be reached by that. */
static void lets_a_driver_listen_and_reach_nobody(void **state)
{
	static const char *const no_card[] = {NULL};

	assert_int_equal(reaching(of(state), no_card), 0);
}

/* Nor by what a compiler may do. */
static void reaches_no_local_socket(void **state)
{
	int code = reaching(of(state), NULL);

	if (code != CANNOT_LISTEN)
		assert_int_equal(code, 0);
}

/* Nobody is left who holds the other end of this pipe. Closes it. */
static void assert_alone(int fd)
{
	struct pollfd end = {fd, POLLIN, 0};
	char byte;

	assert_int_equal(poll(&end, 1, 10000), 1);
	assert_int_equal(read(fd, &byte, 1), 0);
	close(fd);
}

/* On a busy machine it may take a while until what is tried has begun: then
 * it is given twice the time, and twice again. */
#define FIRST_SECONDS 0.5
#define LAST_SECONDS  60

/* Whether the daemon had come so far. */
static bool daemon_is_ended(const struct sandbox *s, double seconds)
{
	struct sandbox_spec spec = self(SELF("daemon"), SANDBOX_BUILD, 1);
	cleanup_process_result struct process_result r = {0};
	char byte[2];
	ssize_t n;
	int fd[2];

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	hand_over(&spec, fd[1], SHARED_FD);
	spec.limits.wall_seconds = seconds;
	r = run(s, &spec);
	close(fd[1]);
	assert_true(r.timed_out);
	n = read(fd[0], byte, 2);
	if (n == 1)
		assert_alone(fd[0]);
	else
		close(fd[0]);
	return n == 1;
}

static void ends_the_whole_tree_when_time_is_up(void **state)
{
	double seconds = FIRST_SECONDS;

	while (!daemon_is_ended(of(state), seconds)) {
		seconds *= 2;
		assert_true(seconds < LAST_SECONDS);
	}
}

static void ends_the_whole_tree_when_it_ends_itself(void **state)
{
	const struct sandbox *s = of(state);
	struct sandbox_spec spec = {
		.argv = SHELL("setsid sleep 1000 & (sleep 1000 &) ; exit 3"),
		.limits = limits};
	cleanup_process_result struct process_result r = {0};
	int fd[2];

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	hand_over(&spec, fd[1], 3);
	r = run(s, &spec);
	close(fd[1]);
	assert_int_equal(r.exit_code, 3);
	assert_alone(fd[0]);
}

/* Starts a program in it that says so on the pipe, with the name of its
 * folder, and stays. */
static _Noreturn void be_avogit(const struct sandbox *s, int fd)
{
	struct sandbox_spec spec = {
		.argv = SHELL("echo $TMPDIR >&3; exec sleep 1000"),
		.limits = limits};
	struct sandboxed p;

	hand_over(&spec, fd, 3);
	if (sandbox_start(&p, s, &spec, -1))
		_exit(1);
	for (;;)
		pause();
}

/* What a process that is killed cannot: .../avogit-XXXXXX/tmp is its folder. */
static void remove_folder_of(char *tmp)
{
	char *end = strrchr(tmp, '/');

	if (!starts_with(tmp, "/tmp/avogit-") || !end)
		return;
	*end = '\0';
	error_free(dir_remove(tmp));
}

static void ends_when_who_started_it_is_killed(void **state)
{
	const struct sandbox *s = of(state);
	char tmp[256] = "";
	int fd[2];
	pid_t pid;

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0)
		be_avogit(s, fd[1]);
	close(fd[1]);
	assert_true(read(fd[0], tmp, sizeof tmp - 1) > 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_alone(fd[0]);
	remove_folder_of(tmp);
}

/* How many it had started. */
static uint64_t bomb_is_ended(const struct sandbox *s, double seconds,
			      uint64_t processes)
{
	struct sandbox_spec spec = self(SELF("bomb"), SANDBOX_BUILD, 1);
	cleanup_process_result struct process_result r = {0};
	int fd = memfd_create("number", MFD_CLOEXEC);
	uint64_t *shared, started;

	assert_int_equal(ftruncate(fd, 4096), 0);
	shared = shared_number(fd);
	hand_over(&spec, fd, SHARED_FD);
	spec.limits.processes = processes;
	spec.limits.wall_seconds = seconds;
	r = run(s, &spec);
	assert_true(r.timed_out);
	started = *shared;
	munmap(shared, 4096);
	close(fd);
	return started;
}

static void survives_a_fork_bomb(void **state)
{
	const struct sandbox *s = of(state);
	uint64_t started, processes = 24;
	double seconds = FIRST_SECONDS;

	/* without namespaces the user's other processes would count */
	if (sandbox_level(s) < SANDBOX_BWRAP &&
	    (geteuid() != 0 || strstr(sandbox_describe(s), "uid 0"))) {
		print_message("an ordinary user's processes are not counted "
			      "apart\n");
		skip();
	}
	/* Other sandboxes of the machine may be counted too. */
	while (!(started = bomb_is_ended(s, seconds, processes))) {
		seconds *= 2;
		processes *= 2;
		assert_true(seconds < LAST_SECONDS);
	}
	assert_in_range(started, 1, processes);
}

static void stops_more_threads_than_the_task_allows(void **state)
{
	const struct sandbox *s = of_from(state, SANDBOX_BWRAP);
	struct sandbox_spec spec = self(SELF("many"), SANDBOX_RUN, 3);
	cleanup_process_result struct process_result r = run(s, &spec);

	assert_int_equal(r.exit_code, 3);
}

static void refuses_more_memory_than_allowed(void **state)
{
	const struct sandbox *s = of(state);
	const char *const argv[] = {"dd",      "if=/dev/zero", "of=/dev/null",
				    "bs=100G", "count=1",      NULL};
	struct sandbox_spec spec = {.argv = argv, .limits = limits};
	cleanup_process_result struct process_result r = {0};

	spec.limits.memory_bytes = (uint64_t)1 << 30;
	r = run(s, &spec);
	assert_int_equal(r.exit_code, 1);
	assert_non_null(strstr(r.output.data, "memory exhausted"));
}

static void its_folders_are_bounded(void **state)
{
	const struct sandbox *s = of_from(state, SANDBOX_BWRAP);
	struct sandbox_spec spec = {
		.argv = SHELL("for d in /tmp /box /dev/shm; do "
			      "head -c 600000000 /dev/zero > $d/big "
			      "2>/dev/null && echo $d; rm -f $d/big; done"),
		.limits.wall_seconds = 60};
	cleanup_process_result struct process_result r = run(s, &spec);

	assert_string_equal(r.output.data, "");
	assert_false(r.timed_out);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		EACH(is_never_root),
		EACH(refuses_what_reaches_out),
		EACH(has_the_descriptors_named_and_no_other),
		EACH(has_no_network),
		EACH(keeps_out),
		EACH(harms_no_file_past_open),
		EACH(signals_nobody_outside),
		EACH(lets_a_driver_listen_and_reach_nobody),
		EACH(reaches_no_local_socket),
		EACH(ends_the_whole_tree_when_time_is_up),
		EACH(ends_the_whole_tree_when_it_ends_itself),
		EACH(ends_when_who_started_it_is_killed),
		EACH(survives_a_fork_bomb),
		EACH(stops_more_threads_than_the_task_allows),
		EACH(refuses_more_memory_than_allowed),
		EACH(its_folders_are_bounded),
	};
	int failed;

	if (argc > 1)
		be_inside(argv[1], argc > 2 ? argv[2] : NULL);
	make_folder();
	levels_open();
	failed = cmocka_run_group_tests_name("sandbox promises", tests, NULL,
					     NULL);
	levels_close();
	error_free(dir_remove(folder));
	free(folder);
	return failed;
}
