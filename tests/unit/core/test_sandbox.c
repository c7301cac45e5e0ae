#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sandbox.h"

#define SHELL(text) ((const char *const[]){"sh", "-c", (text), NULL})
#define OUTPUT	    ((size_t)65536)

/* The mechanisms this machine has; every test runs under each. */
static struct sandbox *strong, *fallback;

static const struct process_limits limits = {
	.wall_seconds = 20,
	.open_files = 64,
	.file_bytes = 1 << 20,
};

/*
 * Inside: this program again, handed in as descriptor 3, so that a test can
 * put the strict filter on itself as a runner does. Ends with the errno of
 * what it tried.
 */

static void load_strict_filter(void)
{
	static struct sock_filter rule[4096];
	ssize_t n = read(SANDBOX_FILTER_FD, rule, sizeof rule);
	struct sock_fprog program = {.filter = rule};

	if (n <= 0)
		_exit(99);
	program.len = (unsigned short)((size_t)n / sizeof rule[0]);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(98);
}

static int errno_of(long result)
{
	return result < 0 ? errno : 0;
}

static void *do_nothing(void *unused)
{
	return unused;
}

static int try_fork(void)
{
	return errno_of(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

static int try_exec(void)
{
	return errno_of(execl("/bin/true", "true", (char *)NULL));
}

static int try_kill(void)
{
	return errno_of(kill(-1, 0));
}

static int try_socket(void)
{
	return errno_of(socket(AF_INET, SOCK_STREAM, 0));
}

static int try_ptrace(void)
{
	return errno_of(ptrace(PTRACE_TRACEME, 0, 0, 0));
}

static int try_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, do_nothing, NULL);
}

static int try_another_filter(void)
{
	return errno_of(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
}

static int try_outliving(void)
{
	return errno_of(prctl(PR_SET_PDEATHSIG, 0));
}

static int try_other_cpus(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof all);
	return errno_of(sched_setaffinity(0, sizeof all, &all));
}

static int try_unknown(void)
{
	return errno_of(syscall(SYS_pivot_root + 100000));
}

static int try_honest_work(void)
{
	char line[64];
	int fd = open("/proc/cpuinfo", O_RDONLY);
	void *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || p == MAP_FAILED || read(fd, line, sizeof line) <= 0)
		return errno;
	return errno_of(dprintf(1, "done\n"));
}

static const struct inside {
	const char *name;
	int (*attempt)(void);
	/* what comes out: an exit code, or a signal where the code is -1 */
	int exit_code, signal;
} inside[] = {
	{"fork", try_fork, -1, SIGSYS},
	{"exec", try_exec, -1, SIGSYS},
	{"socket", try_socket, -1, SIGSYS},
	{"ptrace", try_ptrace, -1, SIGSYS},
	{"kill", try_kill, EPERM, 0},
	{"thread", try_thread, EAGAIN, 0},
	{"filter", try_another_filter, ENOSYS, 0},
	{"outlive", try_outliving, ENOSYS, 0},
	{"cpus", try_other_cpus, EPERM, 0},
	{"unknown", try_unknown, ENOSYS, 0},
	{"work", try_honest_work, 0, 0},
};

/* Counts in shared memory, descriptor 4, until it is ended. */
static _Noreturn void count_for_ever(void)
{
	volatile uint64_t *counter =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);

	for (;;)
		++*counter;
}

static _Noreturn void be_inside(const char *what)
{
	if (str_eq(what, "trap"))
		__builtin_trap();
	if (str_eq(what, "count"))
		count_for_ever();
	load_strict_filter();
	for (size_t i = 0; i < ARRAY_SIZE(inside); i++)
		if (str_eq(what, inside[i].name))
			_exit(inside[i].attempt());
	_exit(97);
}

/* Outside. */

static struct sandbox_spec self(const char *const *argv, unsigned threads)
{
	struct sandbox_spec spec = {.profile = SANDBOX_RUN,
				    .threads = threads,
				    .argv = argv,
				    .limits = limits,
				    .n_inherit = 1};

	spec.inherit[0].fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	spec.inherit[0].child_fd = 3;
	return spec;
}
#define SELF(what) ((const char *const[]){"/proc/self/fd/3", (what), NULL})

static struct process_result run(const struct sandbox *s,
				 const struct sandbox_spec *spec)
{
	struct process_result r = {0};
	struct error *err = sandbox_run(&r, s, spec, OUTPUT);

	if (err)
		fail_msg("%s: %s", sandbox_describe(s), error_message(err));
	return r;
}

static struct process_result shell(const struct sandbox *s, const char *text)
{
	struct sandbox_spec spec = {.argv = SHELL(text), .limits = limits};

	return run(s, &spec);
}

static struct process_result inside_run(const struct sandbox *s,
					const char *what, unsigned threads)
{
	struct sandbox_spec spec = self(SELF(what), threads);
	struct process_result r = run(s, &spec);

	close(spec.inherit[0].fd);
	return r;
}

static const struct sandbox *of(void **state)
{
	const struct sandbox *s = *(struct sandbox **)*state;

	if (!s)
		skip();
	return s;
}

static void runs_a_program_and_says_how_it_ended(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r =
		shell(s, "echo out; echo err >&2; exit 7");

	assert_string_equal(r.output.data, "out\nerr\n");
	assert_int_equal(r.exit_code, 7);
	assert_int_equal(r.signal, 0);
}

static void says_which_signal_ended_it(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r =
		inside_run(s, "trap", 1);

	assert_int_equal(r.exit_code, -1);
	assert_true(r.signal == SIGILL || r.signal == SIGTRAP);
}

static void has_its_files_in_the_working_folder(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_fileset struct fileset files = FILESET_INIT;
	struct sandbox_spec spec = {
		.argv = SHELL("cat a/b/text.c; ./run; test -x a/b/text.c || "
			      "echo plain"),
		.files = &files,
		.limits = limits};
	cleanup_process_result struct process_result r = {0};

	assert_null(fileset_put(&files, "a/b/text.c", "text\n", 5, false));
	assert_null(
		fileset_put(&files, "run", "#!/bin/sh\necho ran\n", 19, true));
	r = run(s, &spec);
	assert_string_equal(r.output.data, "text\nran\nplain\n");
}

static void takes_more_files_than_fit_on_a_command_line(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_fileset struct fileset files = FILESET_INIT;
	struct sandbox_spec spec = {.argv = SHELL("ls | wc -l; cat f3999.h"),
				    .files = &files,
				    .limits = limits};
	cleanup_process_result struct process_result r = {0};
	char path[32];

	for (int i = 0; i < 4000; i++) {
		snprintf(path, sizeof path, "f%04d.h", i);
		assert_null(fileset_put(&files, path, path, 5, false));
	}
	r = run(s, &spec);
	assert_string_equal(r.output.data, "4000\nf3999");
}

static void has_a_private_folder_to_write_to(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r =
		shell(s, "echo x > $TMPDIR/f && cat $HOME/f");

	assert_string_equal(r.output.data, "x\n");
}

static void leaves_no_folder_behind(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r =
		shell(s, "f=$TMPDIR/avogit-$$-left; echo x >$f; echo $f");

	buf_trim_end(&r.output);
	assert_int_equal(access(r.output.data, F_OK), -1);
}

static void is_never_root(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r =
		shell(s, "id -u; grep CapEff /proc/self/status");

	/* where root has nobody else to be, it says so */
	if (strstr(sandbox_describe(s), "uid 0 "))
		skip();
	assert_string_not_equal(r.output.data, "");
	assert_false(starts_with(r.output.data, "0\n"));
	assert_non_null(strstr(r.output.data, "CapEff:\t0000000000000000"));
}

static void knows_nothing_of_our_environment(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r = {0};

	setenv("SECRET_KEY", "hunter2", 1);
	r = shell(s, "env");
	unsetenv("SECRET_KEY");
	assert_null(strstr(r.output.data, "hunter2"));
	assert_non_null(strstr(r.output.data, "PATH=/usr/bin:/bin\n"));
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

static void ends_the_whole_tree_when_time_is_up(void **state)
{
	const struct sandbox *s = of(state);
	struct sandbox_spec spec = {
		.argv = SHELL("setsid sleep 1000 & (sleep 1000 &) ; wait"),
		.limits = {.wall_seconds = 0.3},
		.n_inherit = 1};
	cleanup_process_result struct process_result r = {0};
	int fd[2];
	char byte;

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	spec.inherit[0].fd = fd[1];
	spec.inherit[0].child_fd = 3;
	r = run(s, &spec);
	close(fd[1]);
	/* the end of the pipe: nobody is left who holds it */
	errno = 0;
	assert_int_equal(read(fd[0], &byte, 1), 0);
	close(fd[0]);
}

static void sets_limits_inside(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r =
		shell(s, "ulimit -n; ulimit -f; ulimit -c");

	assert_string_equal(r.output.data, "64\n2048\n0\n");
}

static void strict_filter_decides(void **state)
{
	const struct sandbox *s = of(state);

	for (size_t i = 0; i < ARRAY_SIZE(inside); i++) {
		cleanup_process_result struct process_result r =
			inside_run(s, inside[i].name, 1);

		if (r.exit_code != inside[i].exit_code ||
		    r.signal != inside[i].signal)
			fail_msg("%s: exit code %d, signal %d: %s",
				 inside[i].name, r.exit_code, r.signal,
				 r.output.data);
	}
}

static void threads_are_allowed_where_there_may_be_some(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_process_result struct process_result r =
		inside_run(s, "thread", 2);

	assert_int_equal(r.exit_code, 0);
}

static void has_as_many_cpus_as_threads(void **state)
{
	const struct sandbox *s = of(state);
	const char *const argv[] = {"nproc", NULL};
	struct sandbox_spec spec = {.profile = SANDBOX_RUN,
				    .threads = 1,
				    .argv = argv,
				    .limits = limits};
	cleanup_process_result struct process_result r = run(s, &spec);

	assert_string_equal(r.output.data, "1\n");
}

static volatile uint64_t *shared_counter(int *fd)
{
	volatile uint64_t *counter;

	*fd = memfd_create("counter", MFD_CLOEXEC);
	assert_int_equal(ftruncate(*fd, 4096), 0);
	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert_ptr_not_equal(counter, MAP_FAILED);
	return counter;
}

static void wait_for_change(volatile uint64_t *counter)
{
	uint64_t before = *counter;

	while (*counter == before)
		sched_yield();
}

static void freezes_and_thaws(void **state)
{
	const struct sandbox *s = of(state);
	struct sandbox_spec spec = self(SELF("count"), 1);
	struct sandboxed p;
	volatile uint64_t *counter;
	uint64_t frozen;
	int fd, code, signal;

	counter = shared_counter(&fd);
	spec.inherit[1].fd = fd;
	spec.inherit[1].child_fd = 4;
	spec.n_inherit = 2;
	assert_null(sandbox_start(&p, s, &spec, -1));
	wait_for_change(counter);
	assert_null(sandboxed_freeze(&p));
	frozen = *counter;
	for (int i = 0; i < 1000; i++)
		sched_yield();
	assert_int_equal(*counter, frozen);
	assert_null(sandboxed_thaw(&p));
	wait_for_change(counter);
	assert_false(sandboxed_ended(&p, &code, &signal));
	sandboxed_kill(&p);
	frozen = *counter;
	for (int i = 0; i < 1000; i++)
		sched_yield();
	assert_int_equal(*counter, frozen);
	sandboxed_kill(&p); /* none any more */
	munmap((void *)(uintptr_t)counter, 4096);
	close(fd);
	close(spec.inherit[0].fd);
}

static void freezing_what_has_ended_says_so(void **state)
{
	const struct sandbox *s = of(state);
	struct sandbox_spec spec = {.argv = SHELL("exit 3"), .limits = limits};
	cleanup_error struct error *err = NULL;
	struct sandboxed p;
	int code, signal;

	assert_null(sandbox_start(&p, s, &spec, -1));
	while (!sandboxed_ended(&p, &code, &signal))
		sched_yield();
	assert_int_equal(code, 3);
	err = sandboxed_freeze(&p);
	if (!error_is(err, ERROR_NOT_FOUND))
		fail_msg("%s", err ? error_message(err) : "frozen");
	sandboxed_kill(&p);
}

static void refuses_descriptors_it_needs_itself(void **state)
{
	const struct sandbox *s = of(state);
	struct sandbox_spec spec = {.argv = SHELL(":"), .n_inherit = 1};
	struct process_result r;
	cleanup_error struct error *err = NULL;

	spec.inherit[0].child_fd = SANDBOX_FILTER_FD;
	err = sandbox_run(&r, s, &spec, 16);
	assert_true(error_is(err, ERROR_INTERNAL));
}

/* What only namespaces give. */

static void sees_only_the_system_and_its_files(void **state)
{
	cleanup_process_result struct process_result r = {0};

	(void)state;
	if (sandbox_level(strong) < SANDBOX_BWRAP)
		skip();
	r = shell(strong, "for f in /etc/passwd /etc/shadow /root /home "
			  "/var /run /sys/kernel /boot; do "
			  "test -e $f && echo $f; done; ls /tmp");
	assert_string_equal(r.output.data, "");
}

static void cannot_write_outside_its_own_memory(void **state)
{
	cleanup_process_result struct process_result r = {0};

	(void)state;
	if (sandbox_level(strong) < SANDBOX_BWRAP)
		skip();
	r = shell(strong, "for d in / /usr /dev /etc /sys/devices "
			  "/proc/sys/kernel; do (: > $d/x) 2>/dev/null && "
			  "echo $d; done");
	assert_string_equal(r.output.data, "");
}

static void its_folders_are_bounded(void **state)
{
	struct sandbox_spec spec = {
		.argv = SHELL("for d in /tmp /box /dev/shm; do "
			      "head -c 600000000 /dev/zero > $d/big "
			      "2>/dev/null && echo $d; rm -f $d/big; done"),
		.limits.wall_seconds = 60};
	cleanup_process_result struct process_result r = {0};

	(void)state;
	if (sandbox_level(strong) < SANDBOX_BWRAP)
		skip();
	r = run(strong, &spec);
	assert_string_equal(r.output.data, "");
	assert_false(r.timed_out);
}

static void is_alone(void **state)
{
	cleanup_process_result struct process_result r = {0};

	(void)state;
	if (sandbox_level(strong) < SANDBOX_BWRAP)
		skip();
	r = shell(strong, "echo $$ /proc/[0-9]*");
	assert_string_equal(r.output.data, "1 /proc/1\n");
}

static void stops_processes_at_the_limit(void **state)
{
	struct sandbox_spec spec = {
		.argv = SHELL("for i in 1 2 3 4 5 6 7 8 9; do sleep 9 & done; "
			      "echo all"),
		.limits = {.wall_seconds = 20, .processes = 6}};
	cleanup_process_result struct process_result r = {0};

	(void)state;
	if (sandbox_level(strong) < SANDBOX_BWRAP)
		skip();
	r = run(strong, &spec);
	assert_null(strstr(r.output.data, "all"));
	assert_non_null(strstr(r.output.data, "fork"));
}

static void says_what_it_is(void **state)
{
	(void)state;
	assert_non_null(strstr(sandbox_describe(fallback), "none: "));
	if (sandbox_level(strong) == SANDBOX_BWRAP) {
		assert_non_null(strstr(sandbox_describe(fallback),
				       "AVOGIT_SANDBOX=none"));
		assert_null(sandbox_mend(fallback));
		assert_true(
			starts_with(sandbox_describe(strong), "bubblewrap "));
		assert_null(sandbox_mend(strong));
	} else {
		assert_non_null(sandbox_mend(strong));
	}
}

#define BOTH(test)                                                       \
	{#test, test, NULL, NULL, &strong},                              \
	{                                                                \
#test "_without_namespaces", test, NULL, NULL, &fallback \
	}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		BOTH(runs_a_program_and_says_how_it_ended),
		BOTH(says_which_signal_ended_it),
		BOTH(has_its_files_in_the_working_folder),
		BOTH(takes_more_files_than_fit_on_a_command_line),
		BOTH(has_a_private_folder_to_write_to),
		BOTH(leaves_no_folder_behind),
		BOTH(is_never_root),
		BOTH(knows_nothing_of_our_environment),
		BOTH(has_no_network),
		BOTH(ends_the_whole_tree_when_time_is_up),
		BOTH(sets_limits_inside),
		BOTH(strict_filter_decides),
		BOTH(threads_are_allowed_where_there_may_be_some),
		BOTH(has_as_many_cpus_as_threads),
		BOTH(freezes_and_thaws),
		BOTH(freezing_what_has_ended_says_so),
		BOTH(refuses_descriptors_it_needs_itself),
		cmocka_unit_test(sees_only_the_system_and_its_files),
		cmocka_unit_test(cannot_write_outside_its_own_memory),
		cmocka_unit_test(its_folders_are_bounded),
		cmocka_unit_test(is_alone),
		cmocka_unit_test(stops_processes_at_the_limit),
		cmocka_unit_test(says_what_it_is),
	};
	int failed;

	if (argc > 1)
		be_inside(argv[1]);
	if (sandbox_probe(&strong))
		return 1;
	setenv("AVOGIT_SANDBOX", "none", 1);
	if (sandbox_probe(&fallback))
		return 1;
	failed = cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
	sandbox_free(strong);
	sandbox_free(fallback);
	return failed;
}
