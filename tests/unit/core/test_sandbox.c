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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/core/sandbox_levels.h"

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
	int fd = open("/usr/bin/env", O_RDONLY);
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

static void *count_at(void *counter)
{
	for (;;)
		++*(volatile uint64_t *)counter;
	return NULL;
}

/* In another thread than the first, which ends: /proc shows a zombie. */
static void count_without_first_thread(volatile uint64_t *counter)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, count_at,
			   (void *)(uintptr_t)counter) != 0)
		_exit(1);
	syscall(SYS_exit, 0);
}

/* It, its child and that one's child, each in a word of its own. `early`: in the
 * child the first thread ends, and its child is in a session of its own. */
static _Noreturn void count_in_three_processes(bool early)
{
	volatile uint64_t *counter =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
	int mine = 0;

	if (counter == MAP_FAILED)
		_exit(1);
	if (fork() == 0) {
		mine = 1;
		if (fork() == 0)
			mine = 2;
	}
	if (early && mine == 2)
		setsid();
	if (early && mine == 1)
		count_without_first_thread(&counter[mine]);
	for (;;)
		counter[mine]++;
}

static void *wait_in_the_kernel(void *counter)
{
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
	if (vfork() == 0) {
		++*(volatile uint64_t *)counter;
		for (;;)
			pause();
	}
	return NULL;
}

/* A thread waits for a child of its own, which no signal but one that ends it
 * interrupts. */
static _Noreturn void be_unstoppable(void)
{
	void *counter =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_in_the_kernel, counter) != 0)
		_exit(1);
	for (;;)
		pause();
}

static _Noreturn void be_inside(const char *what)
{
	if (str_eq(what, "trap"))
		__builtin_trap();
	if (str_eq(what, "count"))
		count_for_ever();
	if (str_eq(what, "family"))
		count_in_three_processes(false);
	if (str_eq(what, "early-end"))
		count_in_three_processes(true);
	if (str_eq(what, "unstoppable"))
		be_unstoppable();
	load_strict_filter();
	for (size_t i = 0; i < ARRAY_SIZE(inside); i++)
		if (str_eq(what, inside[i].name))
			_exit(inside[i].attempt());
	_exit(97);
}

/* Outside. */

static struct process_result inside_run(const struct sandbox *s,
					const char *what, unsigned threads)
{
	struct sandbox_spec spec = self(SELF(what), SANDBOX_RUN, threads);

	return run(s, &spec);
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

/* Counters that another process makes go up would be a way to be told. */
static void a_scored_program_sees_no_counter_of_the_machine(void **state)
{
	const struct sandbox *s = of(state);
	struct sandbox_spec spec = {
		.profile = SANDBOX_RUN,
		.threads = 1,
		.argv = SHELL("for f in /proc/*; do case $f in "
			      "/proc/[0-9]*|*/self|*/thread-self|*/mounts|"
			      "*/net) continue; esac; "
			      "if test -d $f; then ls -A $f; "
			      "else head -c 9 $f 2>/dev/null; fi; done; "
			      "for f in /sys/devices/system/cpu/*; do "
			      "case $f in */online|*/possible|*/present) ;; "
			      "*) echo $f; esac; done; echo end"),
		.limits = limits};
	cleanup_process_result struct process_result r = {0};

	if (sandbox_level(s) < SANDBOX_BWRAP)
		skip();
	r = run(s, &spec);
	assert_string_equal(r.output.data, "end\n");
}

/* Its own process is all of /proc, with the links to it. The whole of /proc was
 * mounted on the way: it can neither be seen nor reached. So few mounts make a
 * start cheap. */
static void a_program_that_starts_no_other_has_its_process_alone(void **state)
{
	const struct sandbox *s = of(state);
	struct sandbox_spec spec = {
		.profile = SANDBOX_RUN,
		.threads = 1,
		.alone = true,
		.argv = SHELL("echo /proc/*; readlink /proc/self; ls -A /tmp; "
			      "cd /proc/1 && cd .. && echo $(pwd -P): *; "
			      "cd /proc/1/root/tmp && ls -A; "
			      "echo x 2>/dev/null >/proc/x; "
			      "read -r name </proc/1/comm && echo $name; "
			      "test $(wc -l </proc/1/mountinfo) -lt 30 && "
			      "echo few"),
		.limits = limits};
	cleanup_process_result struct process_result r = {0};

	if (sandbox_level(s) < SANDBOX_BWRAP)
		skip();
	r = run(s, &spec);
	assert_string_equal(r.output.data,
			    "/proc/1 /proc/mounts /proc/net /proc/self\n1\n"
			    "/proc: 1 mounts net self\nsh\nfew\n");
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
	struct sandbox_spec spec = self(SELF("count"), SANDBOX_RUN, 1);
	struct sandboxed p;
	volatile uint64_t *counter;
	uint64_t frozen;
	int fd, code, signal;

	counter = shared_counter(&fd);
	hand_over(&spec, fd, 4);
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
}

static bool stand_still(const volatile uint64_t *counter)
{
	const uint64_t before[3] = {counter[0], counter[1], counter[2]};

	for (int i = 0; i < 1000; i++)
		sched_yield();
	return counter[0] == before[0] && counter[1] == before[1] &&
	       counter[2] == before[2];
}

static void halt_family(const struct sandbox *s, struct sandbox_spec spec)
{
	struct sandboxed p;
	volatile uint64_t *counter;
	int fd;

	counter = shared_counter(&fd);
	hand_over(&spec, fd, 4);
	assert_null(sandbox_start(&p, s, &spec, -1));
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 3; i++)
			wait_for_change(&counter[i]);
		assert_true(sandboxed_halt(&p));
		assert_true(stand_still(counter));
		assert_true(sandboxed_halt(&p)); /* what is stopped stays so */
		assert_true(stand_still(counter));
		sandboxed_go_on(&p);
	}
	wait_for_change(&counter[2]);
	assert_true(sandboxed_halt(&p));
	sandboxed_kill(&p);
	assert_true(stand_still(counter));
	munmap((void *)(uintptr_t)counter, 4096);
	close(fd);
}

static void halts_what_a_program_has_started(void **state)
{
	halt_family(of(state), self(SELF("family"), SANDBOX_BUILD, 1));
}

static void halts_a_process_whose_first_thread_has_ended(void **state)
{
	halt_family(of(state), self(SELF("early-end"), SANDBOX_BUILD, 1));
}

static void says_that_a_program_cannot_be_halted(void **state)
{
	const struct sandbox *s = of(state);
	struct sandbox_spec spec = self(SELF("unstoppable"), SANDBOX_BUILD, 1);
	struct sandboxed p;
	volatile uint64_t *counter;
	int fd;

	counter = shared_counter(&fd);
	hand_over(&spec, fd, 4);
	assert_null(sandbox_start(&p, s, &spec, -1));
	/* It counts once, which may have been before we look. */
	while (!*counter)
		sched_yield();
	assert_false(sandboxed_halt(&p));
	sandboxed_kill(&p);
	munmap((void *)(uintptr_t)counter, 4096);
	close(fd);
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

/* Where a compiler lies that is not in /usr; not in /tmp, which is hidden. */
static void sees_a_folder_that_it_is_given_and_cannot_write_there(void **state)
{
	const struct sandbox *s = of(state);
	cleanup_free char *folder = NULL, *file = NULL, *text = NULL;
	const char *folders[2] = {NULL};
	struct sandbox_spec spec = {.limits = limits, .folders = folders};
	cleanup_process_result struct process_result with = {0}, without = {0};

	if (sandbox_level(s) == SANDBOX_NONE)
		return; /* it sees what every user may */
	assert_null(dir_make_temp(&folder, "/var/tmp", "avogit-test-"));
	assert_int_equal(chmod(folder, 0777), 0);
	file = xasprintf("%s/file", folder);
	assert_null(file_write(file, "inside", 6, false));
	text = xasprintf("cat %s; : >%s/new", file, folder);
	spec.argv = SHELL(text);
	without = run(s, &spec);
	folders[0] = folder;
	with = run(s, &spec);
	assert_null(strstr(without.output.data, "inside"));
	assert_true(starts_with(with.output.data, "inside"));
	assert_int_not_equal(with.exit_code, 0);
	error_free(dir_remove(folder));
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
	const struct sandbox *s = of(state);
	const char *const folders[] = {"/var/tmp/avogit-no-such-folder", NULL};
	const struct sandbox_spec spec = {
		.argv = SHELL("true"), .limits = limits, .folders = folders};
	struct process_result r = {0};
	cleanup_error struct error *err = NULL;

	if (sandbox_level(s) == SANDBOX_NONE)
		return;
	err = sandbox_run(&r, s, &spec, OUTPUT);
	assert_non_null(err);
	assert_non_null(strstr(error_message(err), "no-such-folder"));
}

static void says_what_it_is(void **state)
{
	static const char *const begin[] = {
		[SANDBOX_NONE] = "none: AVOGIT_SANDBOX=none asks for it; ",
		[SANDBOX_LANDLOCK] = "Landlock ABI ",
		[SANDBOX_BWRAP] = "bubblewrap ",
	};
	const struct sandbox *s = of(state);
	const struct level *l = *state;

	assert_ptr_equal(l, &levels[sandbox_level(s)]);
	assert_true(starts_with(sandbox_describe(s), begin[sandbox_level(s)]));
	assert_non_null(strstr(sandbox_describe(s), "uid "));
	assert_null(sandbox_mend(s));
}

static void takes_the_strongest_that_works(void **state)
{
	cleanup_sandbox struct sandbox *s = NULL;
	size_t strongest = ARRAY_SIZE(levels) - 1;

	(void)state;
	while (!levels[strongest].sandbox)
		strongest--;
	assert_null(sandbox_probe(&s));
	assert_int_equal(sandbox_level(s), strongest);
	if (strongest < SANDBOX_BWRAP)
		assert_non_null(sandbox_mend(s));
	if (strongest == SANDBOX_BWRAP)
		assert_null(sandbox_mend(s));
}

static void refuses_a_level_that_is_none(void **state)
{
	cleanup_error struct error *err = NULL;
	struct sandbox *s = NULL;

	(void)state;
	setenv("AVOGIT_SANDBOX", "strong", 1);
	err = sandbox_probe(&s);
	unsetenv("AVOGIT_SANDBOX");
	assert_true(error_is(err, ERROR_REFUSED));
	assert_non_null(strstr(error_message(err), "AVOGIT_SANDBOX=strong"));
	assert_non_null(strstr(error_message(err), "bwrap"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		EACH(runs_a_program_and_says_how_it_ended),
		EACH(says_which_signal_ended_it),
		EACH(has_its_files_in_the_working_folder),
		EACH(takes_more_files_than_fit_on_a_command_line),
		EACH(has_a_private_folder_to_write_to),
		EACH(leaves_no_folder_behind),
		EACH(sees_a_folder_that_it_is_given_and_cannot_write_there),
		EACH(a_folder_that_is_not_there_is_an_error),
		EACH(knows_nothing_of_our_environment),
		EACH(sets_limits_inside),
		EACH(strict_filter_decides),
		EACH(threads_are_allowed_where_there_may_be_some),
		EACH(a_scored_program_sees_no_counter_of_the_machine),
		EACH(a_program_that_starts_no_other_has_its_process_alone),
		EACH(has_as_many_cpus_as_threads),
		EACH(freezes_and_thaws),
		EACH(halts_what_a_program_has_started),
		EACH(halts_a_process_whose_first_thread_has_ended),
		/* Of one level, since it waits for ten seconds. */
		cmocka_unit_test_prestate(says_that_a_program_cannot_be_halted,
					  &levels[SANDBOX_NONE]),
		EACH(freezing_what_has_ended_says_so),
		EACH(refuses_descriptors_it_needs_itself),
		EACH(says_what_it_is),
		cmocka_unit_test(takes_the_strongest_that_works),
		cmocka_unit_test(refuses_a_level_that_is_none),
	};
	int failed;

	if (argc > 1)
		be_inside(argv[1]);
	levels_open();
	failed = cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
	levels_close();
	return failed;
}
