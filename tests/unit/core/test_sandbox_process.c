#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sandbox/process.h"

#define SHELL(text) ((const char *const[]){"sh", "-c", (text), NULL})

static struct process_result run(const struct process_spec *spec, size_t limit)
{
	struct process_result r = {0};
	struct error *err = process_run(&r, spec, limit);

	if (err)
		fail_msg("%s", error_message(err));
	return r;
}

static void reports_output_and_exit_code(void **state)
{
	struct process_spec spec = {
		.argv = SHELL("echo out; echo err >&2; exit 7")};
	cleanup_process_result struct process_result r = run(&spec, 4096);

	(void)state;
	assert_string_equal(r.output.data, "out\nerr\n");
	assert_int_equal(r.exit_code, 7);
	assert_int_equal(r.signal, 0);
	assert_false(r.timed_out);
}

static void reports_the_signal_that_ended_it(void **state)
{
	struct process_spec spec = {.argv = SHELL("kill -TERM $$")};
	cleanup_process_result struct process_result r = run(&spec, 4096);

	(void)state;
	assert_int_equal(r.exit_code, -1);
	assert_int_equal(r.signal, SIGTERM);
}

static void ends_the_group_once_it_is_asked_to_stop(void **state)
{
	volatile int stop = 2, later = 1;
	struct process_spec spec = {.argv = SHELL("sleep 1000 & wait"),
				    .stop_now = &stop};
	struct process_spec ends = {.argv = SHELL("exit 3"),
				    .stop_now = &later};
	cleanup_process_result struct process_result r = run(&spec, 4096);
	cleanup_process_result struct process_result s = run(&ends, 4096);

	(void)state;
	assert_true(r.stopped);
	assert_int_equal(r.signal, SIGKILL);
	assert_false(s.stopped);
	assert_int_equal(s.exit_code, 3);
}

static void names_a_program_that_cannot_be_started(void **state)
{
	const char *const argv[] = {"/no/such-program", NULL};
	struct process_spec spec = {.argv = argv};
	struct process_result r;
	cleanup_error struct error *err = process_run(&r, &spec, 16);

	(void)state;
	assert_non_null(err);
	assert_non_null(strstr(error_message(err), "/no/such-program"));
	assert_non_null(strstr(error_message(err), "No such file"));
}

static void names_a_folder_that_is_not_there(void **state)
{
	struct process_spec spec = {.argv = SHELL(":"), .dir = "/no/such"};
	struct process_result r;
	cleanup_error struct error *err = process_run(&r, &spec, 16);

	(void)state;
	assert_non_null(err);
	assert_non_null(strstr(error_message(err), "folder"));
}

static void reads_nothing_from_its_input(void **state)
{
	struct process_spec spec = {.argv = SHELL("cat; echo end")};
	cleanup_process_result struct process_result r = run(&spec, 4096);

	(void)state;
	assert_string_equal(r.output.data, "end\n");
}

static void drops_output_beyond_the_limit_and_goes_on(void **state)
{
	struct process_spec spec = {
		.argv = SHELL(
			"head -c 1000000 /dev/zero | tr '\\0' x; exit 3")};
	cleanup_process_result struct process_result r = run(&spec, 1000);

	(void)state;
	assert_int_equal(r.output.len, 1000);
	assert_true(r.output.truncated);
	assert_int_equal(r.exit_code, 3);
}

/* Runs with descriptor 3 being the writing end of a pipe: once no process holds
 * it any more the pipe is at its end, and only then does the read return. */
static struct process_result run_and_see_all_gone(const char *const *argv,
						  double wall_seconds)
{
	struct process_spec spec = {.argv = argv,
				    .limits.wall_seconds = wall_seconds,
				    .n_inherit = 1};
	struct process_result r;
	int fd[2];
	char byte;

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	spec.inherit[0].fd = fd[1];
	spec.inherit[0].child_fd = 3;
	r = run(&spec, 4096);
	close(fd[1]);
	assert_int_equal(read(fd[0], &byte, 1), 0);
	close(fd[0]);
	return r;
}

static void ends_all_it_started_when_time_is_up(void **state)
{
	cleanup_process_result struct process_result r =
		run_and_see_all_gone(SHELL("sleep 1000 & sleep 1000"), 0.1);

	(void)state;
	assert_true(r.timed_out);
	assert_int_equal(r.signal, SIGKILL);
}

static void ends_what_it_left_behind(void **state)
{
	cleanup_process_result struct process_result r = run_and_see_all_gone(
		SHELL("sleep 1000 >/dev/null 2>&1 & exit 2"), 0);

	(void)state;
	assert_int_equal(r.exit_code, 2);
}

static void a_flood_does_not_outlast_the_deadline(void **state)
{
	struct process_spec spec = {.argv = SHELL("yes"),
				    .limits.wall_seconds = 0.1};
	cleanup_process_result struct process_result r = run(&spec, 100);

	(void)state;
	assert_true(r.timed_out);
	assert_int_equal(r.output.len, 100);
}

static void closing_its_output_is_not_its_end(void **state)
{
	struct process_spec spec = {
		.argv = SHELL("exec >/dev/null 2>&1; sleep 0.05; exit 4")};
	cleanup_process_result struct process_result r = run(&spec, 100);

	(void)state;
	assert_int_equal(r.exit_code, 4);
}

static void inherits_nothing_it_was_not_given(void **state)
{
	/* Not close-on-exec, as a careless library would leave it. */
	cleanup_fd int stray = open("/dev/null", O_RDONLY);
	cleanup_fd int high = fcntl(stray, F_DUPFD, 100);
	/* Those of the shell: that is the process it goes into. No pipe, of
	 * which it would have an end for a moment; and ls is not its last
	 * command, which it would turn into. */
	struct process_spec spec = {.argv = SHELL("cd /proc/self/fd; ls; :")};
	cleanup_process_result struct process_result r = run(&spec, 4096);

	(void)state;
	assert_true(high >= 100);
	assert_string_equal(r.output.data, "0\n1\n2\n");
}

static int memfd_of(const char *text)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void hands_descriptors_over_even_if_numbers_cross(void **state)
{
	cleanup_fd int a = memfd_of("first "), b = memfd_of("second ");
	struct process_spec spec = {.argv = SHELL("cat <&3 <&4; cat <&3"),
				    .n_inherit = 2};
	cleanup_process_result struct process_result r = {0};

	(void)state;
	/* each goes where the other was */
	assert_int_equal(dup2(a, 3) < 0 || dup2(b, 4) < 0, 0);
	spec.inherit[0].fd = 3;
	spec.inherit[0].child_fd = 4;
	spec.inherit[1].fd = 4;
	spec.inherit[1].child_fd = 3;
	r = run(&spec, 4096);
	assert_string_equal(r.output.data, "first second ");
}

static void sets_each_limit(void **state)
{
	static const struct {
		struct process_limits limits;
		const char *command, *output;
	} table[] = {
		{{.cpu_seconds = 5}, "ulimit -St; ulimit -Ht", "5\n6\n"},
		{{.memory_bytes = (uint64_t)1 << 30}, "ulimit -v", "1048576\n"},
		{{.file_bytes = 512 * 8}, "ulimit -f", "8\n"},
		{{.open_files = 33}, "ulimit -n", "33\n"},
		{{.cpu_seconds = 0}, "ulimit -c", "0\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct process_spec spec = {.argv = SHELL(table[i].command),
					    .limits = table[i].limits};
		cleanup_process_result struct process_result r =
			run(&spec, 4096);

		assert_string_equal(r.output.data, table[i].output);
	}
}

static void gets_only_the_environment_it_is_given(void **state)
{
	const char *const env[] = {"PATH=/usr/bin:/bin", "A=b", NULL};
	const char *const argv[] = {"env", NULL};
	struct process_spec spec = {.argv = argv, .env = env};
	cleanup_process_result struct process_result r = run(&spec, 4096);

	(void)state;
	assert_string_equal(r.output.data, "PATH=/usr/bin:/bin\nA=b\n");
}

static void root_steps_down_for_good(void **state)
{
	struct process_spec spec = {
		.argv = SHELL(
			"id -u; id -g; id -G; grep Uid /proc/self/status"),
		.step_down_uid = 61299,
		.dir = "/"};
	cleanup_process_result struct process_result r = {0};

	(void)state;
	if (geteuid() != 0)
		skip();
	r = run(&spec, 4096);
	assert_string_equal(r.output.data,
			    "61299\n61299\n61299\n"
			    "Uid:\t61299\t61299\t61299\t61299\n");
}

static void a_started_process_stays_until_killed(void **state)
{
	struct process_spec spec = {.argv = SHELL("sleep 1000")};
	int code, signal;
	pid_t pid;

	(void)state;
	assert_null(process_start(&pid, &spec, -1));
	assert_false(process_ended(pid, &code, &signal));
	process_kill(pid);
	assert_int_equal(kill(pid, 0), -1);
}

static void the_end_of_a_started_process_can_be_asked_twice(void **state)
{
	struct process_spec spec = {.argv = SHELL("exit 5")};
	int code = 0, signal = 1;
	siginfo_t info;
	pid_t pid;

	(void)state;
	assert_null(process_start(&pid, &spec, -1));
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	for (int i = 0; i < 2; i++) {
		assert_true(process_ended(pid, &code, &signal));
		assert_int_equal(code, 5);
		assert_int_equal(signal, 0);
	}
	process_kill(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_output_and_exit_code),
		cmocka_unit_test(reports_the_signal_that_ended_it),
		cmocka_unit_test(names_a_program_that_cannot_be_started),
		cmocka_unit_test(names_a_folder_that_is_not_there),
		cmocka_unit_test(reads_nothing_from_its_input),
		cmocka_unit_test(drops_output_beyond_the_limit_and_goes_on),
		cmocka_unit_test(ends_all_it_started_when_time_is_up),
		cmocka_unit_test(ends_what_it_left_behind),
		cmocka_unit_test(a_flood_does_not_outlast_the_deadline),
		cmocka_unit_test(closing_its_output_is_not_its_end),
		cmocka_unit_test(inherits_nothing_it_was_not_given),
		cmocka_unit_test(hands_descriptors_over_even_if_numbers_cross),
		cmocka_unit_test(sets_each_limit),
		cmocka_unit_test(gets_only_the_environment_it_is_given),
		cmocka_unit_test(root_steps_down_for_good),
		cmocka_unit_test(ends_the_group_once_it_is_asked_to_stop),
		cmocka_unit_test(a_started_process_stays_until_killed),
		cmocka_unit_test(
			the_end_of_a_started_process_can_be_asked_twice),
	};

	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
