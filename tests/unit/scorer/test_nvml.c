#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "scorer/device/nvml.h"

#define FAKE "tests/data/nvml/fake.c"
#define UUID "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"

/* ---- a library of ours -------------------------------------------------- */

static char *folder;

static int make_folder(void **state)
{
	(void)state;
	return dir_make_temp(&folder, "/tmp", "avogit-nvml-") != NULL;
}

static int remove_folder(void **state)
{
	(void)state;
	error_free(dir_remove(folder));
	free(folder);
	return 0;
}

/* Compiles `source` with one -D option and watches through it. */
static void watch_through(struct nvml_watch *w, const char *source,
			  const char *option, const char *uuid)
{
	cleanup_free char *so = xasprintf("%s/nvml.so", folder);
	const char *argv[] = {"cc", "-shared", "-fPIC", "-o",
			      so,   option,    source,	NULL};
	struct process_spec spec = {.argv = argv};
	cleanup_process_result struct process_result r = {0};

	assert_null(process_run(&r, &spec, 4096));
	if (r.exit_code != 0)
		fail_msg("%s", r.output.data);
	setenv("AVOGIT_LIBNVML", so, 1);
	assert_null(nvml_watch_start(w, uuid));
	unsetenv("AVOGIT_LIBNVML");
}

static bool sample(struct nvml_sample *out, struct nvml_watch *w)
{
	nvml_watch_ask(w);
	return nvml_watch_take(out, w);
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" does not say \"%s\"", text, part);
}

/* ---- watching ----------------------------------------------------------- */

static void tells_what_the_card_is_and_does(void **state)
{
	cleanup_nvml_watch struct nvml_watch w = {0};
	struct nvml_sample s, next;

	(void)state;
	watch_through(&w, FAKE, "-DBITS=0x5", UUID);
	assert_string_equal(w.why, "");
	assert_string_equal(w.card.driver, "580.1.2");
	assert_int_equal(w.card.sm_clock_max, 1980);
	assert_int_equal(w.card.memory_clock_max, 3201);
	assert_true(w.card.power_limit == 700);
	assert_int_equal(w.card.ecc, 1);
	assert_int_equal(w.card.mig, 0);
	assert_int_equal(w.card.persistence, 1);
	assert_true(sample(&s, &w));
	assert_int_equal(s.sm_clock, 1605);
	assert_int_equal(s.memory_clock, 3200);
	assert_true(s.power == 690.5);
	assert_int_equal(s.temperature, 61);
	assert_int_equal(s.busy, 97);
	assert_int_equal(s.reasons,
			 1 << NVML_REASON_IDLE | 1 << NVML_REASON_POWER_CAP);
	assert_true(sample(&next, &w));
	assert_true(next.at > s.at);
	assert_true(next.energy - s.energy == 1);
}

static void counts_processes_that_are_not_ours(void **state)
{
	cleanup_nvml_watch struct nvml_watch w = {0};
	struct nvml_sample s;

	(void)state;
	watch_through(&w, FAKE, "-DBITS=0", UUID);
	assert_true(sample(&s, &w));
	assert_int_equal(s.others, 1);
	assert_int_equal(s.strangers, 1);
}

static void what_an_older_driver_lacks_is_unknown(void **state)
{
	cleanup_nvml_watch struct nvml_watch w = {0};
	struct nvml_sample s;

	(void)state;
	watch_through(&w, FAKE, "-DOLD", UUID);
	assert_int_equal(w.card.ecc, NVML_UNKNOWN);
	assert_int_equal(w.card.mig, NVML_UNKNOWN);
	assert_true(sample(&s, &w));
	assert_int_equal(s.sm_clock, 1605);
	assert_int_equal(s.reasons, 1 << NVML_REASON_THERMAL_SLOWDOWN);
	assert_true(s.energy == NVML_UNKNOWN);
	assert_int_equal(s.others, NVML_UNKNOWN);
}

static void what_a_card_does_not_say_is_unknown(void **state)
{
	cleanup_nvml_watch struct nvml_watch w = {0};
	struct nvml_sample s;

	(void)state;
	watch_through(&w, FAKE, "-DCODE=3", UUID);
	assert_true(sample(&s, &w));
	assert_int_equal(s.sm_clock, NVML_UNKNOWN);
	assert_int_equal(s.reasons, NVML_UNKNOWN);
	assert_int_equal(s.temperature, NVML_UNKNOWN);
	assert_true(s.power == NVML_UNKNOWN);
	assert_true(s.energy == NVML_UNKNOWN);
	assert_int_equal(s.others, NVML_UNKNOWN);
}

static void a_card_that_cannot_be_watched_is_told_and_no_error(void **state)
{
	static const struct {
		const char *option, *uuid, *why;
	} table[] = {
		{"-DINIT=9", UUID, "nvmlInit is answered with 9 (Driver Not"},
		{"-DOLD", "GPU-unknown", "GPU-unknown is answered with 6"},
		{"-DnvmlInit_v2=other", UUID, "is not a library of NVML"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_nvml_watch struct nvml_watch w = {0};
		struct nvml_sample s;

		watch_through(&w, FAKE, table[i].option, table[i].uuid);
		assert_says(w.why, table[i].why);
		assert_false(sample(&s, &w));
	}
}

static void no_library_is_no_error(void **state)
{
	cleanup_nvml_watch struct nvml_watch w = {0};
	struct nvml_sample s;

	(void)state;
	setenv("AVOGIT_LIBNVML", "/nonexistent/libnvidia-ml.so.1", 1);
	assert_null(nvml_watch_start(&w, UUID));
	unsetenv("AVOGIT_LIBNVML");
	assert_says(w.why, "cannot be opened: /nonexistent");
	assert_false(sample(&s, &w));
}

static void a_driver_that_fails_ends_the_watch_and_no_more(void **state)
{
	static const struct {
		const char *option, *why;
	} table[] = {
		{"-DSAMPLE=raise(SIGSEGV)", "ended by signal 11"},
		{"-DSAMPLE=_exit(0)", "ended the process that asked"},
		{"-DSAMPLE=raise(SIGSTOP)", "gave no answer in 3 s"},
		{"-DCODE=15", "the card is answered with 15 (GPU is lost)"},
		{"-DSAMPLE=memset(mhz-4096,88,1<<20)", "library ended"},
		{"-DSAMPLE=send(3,mhz,4,0)", "ended the process that asked"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_nvml_watch struct nvml_watch w = {0};
		struct nvml_sample s;

		watch_through(&w, FAKE, table[i].option, UUID);
		assert_string_equal(w.why, "");
		assert_false(sample(&s, &w));
		assert_says(w.why, table[i].why);
		/* At once: the process is gone. */
		assert_false(sample(&s, &w));
		assert_says(w.why, table[i].why);
	}
}

static void nothing_is_taken_that_was_not_asked_for(void **state)
{
	cleanup_nvml_watch struct nvml_watch w = {0};
	struct nvml_sample s;

	(void)state;
	watch_through(&w, FAKE, "-DBITS=0", UUID);
	assert_false(nvml_watch_take(&s, &w));
	assert_string_equal(w.why, "");
	nvml_watch_ask(&w);
	nvml_watch_ask(&w);
	assert_true(nvml_watch_take(&s, &w));
	assert_false(nvml_watch_take(&s, &w));
}

/* A half does not wait for a driver that is slow to say what the card does. */
static void a_sample_that_is_late_is_a_later_halfs(void **state)
{
	cleanup_nvml_watch struct nvml_watch w = {0};
	struct gpu_watch g;

	(void)state;
	watch_through(&w, FAKE, "-DBITS=0", UUID);
	gpu_watch_start(&g, &w, UUID);
	assert_int_equal(kill(w.pid, SIGSTOP), 0);
	gpu_watch_ask(&g);
	gpu_watch_take(&g);
	assert_int_equal(g.n, 0);
	gpu_watch_ask(&g);
	assert_int_equal(kill(w.pid, SIGCONT), 0);
	gpu_watch_finish(&g);
	assert_int_equal(g.n, 1);
	gpu_watch_finish(&g);
	assert_int_equal(g.n, 1);
	gpu_watch_ask(&g);
	while (g.n < 2)
		gpu_watch_take(&g);
	gpu_watch_stop(&g);
}

/* A lock or an arm's channel that it held would stay open after us. */
static void the_process_that_watches_holds_nothing_of_ours(void **state)
{
	cleanup_nvml_watch struct nvml_watch w = {0};
	cleanup_fd int reader = -1;
	int fd[2];
	char c;

	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC | O_NONBLOCK), 0);
	reader = fd[0];
	watch_through(&w, FAKE, "-DBITS=0", UUID);
	close(fd[1]);
	assert_int_equal(read(reader, &c, 1), 0);
}

static void stopping_leaves_no_process(void **state)
{
	struct nvml_watch w = {0};
	pid_t pid;

	(void)state;
	watch_through(&w, FAKE, "-DBITS=0", UUID);
	pid = w.pid;
	assert_int_equal(kill(pid, 0), 0);
	nvml_watch_stop(&w);
	assert_int_equal(kill(pid, 0), -1);
	nvml_watch_stop(&w);
}

static void one_that_ended_does_not_last(void **state)
{
	struct nvml_watch w = {0};
	siginfo_t how;

	(void)state;
	assert_false(nvml_watch_lasts(&w));
	watch_through(&w, FAKE, "-DBITS=0", UUID);
	assert_true(nvml_watch_lasts(&w));
	assert_int_equal(kill(w.pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)w.pid, &how, WEXITED | WNOWAIT),
			 0);
	assert_false(nvml_watch_lasts(&w));
	assert_int_equal(w.pid, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* ---- the fold ----------------------------------------------------------- */

#define CAP   (1 << NVML_REASON_POWER_CAP)
#define HOT   (1 << NVML_REASON_THERMAL_SLOWDOWN)
#define IDLE  (1 << NVML_REASON_IDLE)
#define OTHER (1 << NVML_REASON_OTHER)

static struct nvml_sample of(int clock, double power, int temperature,
			     int reasons)
{
	return (struct nvml_sample){
		.sm_clock = clock,
		.memory_clock = 3201,
		.power = power,
		.energy = power < 0 ? NVML_UNKNOWN : 1e6 + power,
		.temperature = temperature,
		.reasons = reasons,
	};
}

static void folds_to_median_range_and_shares(void **state)
{
	const struct nvml_sample s[] = {
		of(1605, 690, 61, CAP),
		of(1515, 700, 63, CAP | HOT),
		of(1980, 640, 55, IDLE),
		of(NVML_UNKNOWN, NVML_UNKNOWN, NVML_UNKNOWN, NVML_UNKNOWN),
		of(1590, 695, 62, CAP),
	};
	struct nvml_summary sum;

	(void)state;
	nvml_summarize(&sum, s, ARRAY_SIZE(s));
	assert_int_equal(sum.n, 5);
	assert_int_equal(sum.n_reasons, 4);
	assert_true(sum.sm_clock.min == 1515);
	assert_true(sum.sm_clock.median == 1597.5);
	assert_true(sum.sm_clock.max == 1980);
	assert_true(sum.power.median == 692.5);
	assert_true(sum.temperature.min == 55 && sum.temperature.max == 63);
	assert_true(sum.energy == 60);
	assert_true(sum.share[NVML_REASON_POWER_CAP] == 0.75);
	assert_true(sum.share[NVML_REASON_THERMAL_SLOWDOWN] == 0.25);
	assert_true(sum.share[NVML_REASON_SYNC_BOOST] == 0);
}

static void a_summary_reads_well_in_a_measurement(void **state)
{
	const struct nvml_sample s[] = {
		of(1605, 690, 61, CAP),
		of(1515, 700, 63, CAP | HOT),
		of(1980, 640, 55, IDLE),
	};
	struct measurement *m = measurement_new();
	struct nvml_summary sum;

	(void)state;
	nvml_summarize(&sum, s, ARRAY_SIZE(s));
	sum.others = 2;
	nvml_summary_record(m, &sum);
	assert_string_equal(measurement_get(m, "gpu_clock"),
			    "1605MHz(1515..1980)");
	assert_string_equal(measurement_get(m, "gpu_memory_clock"), "3201MHz");
	assert_string_equal(measurement_get(m, "gpu_power"), "690W(640..700)");
	assert_string_equal(measurement_get(m, "gpu_temp"), "61C(55..63)");
	assert_string_equal(measurement_get(m, "gpu_throttled"),
			    "power-cap:67%,thermal-slowdown:33%");
	assert_string_equal(measurement_get(m, "gpu_others"), "2");
	measurement_free(m);
}

static void of_nothing_nothing_is_recorded(void **state)
{
	struct measurement *m = measurement_new();
	struct nvml_summary sum;

	(void)state;
	nvml_summarize(&sum, NULL, 0);
	assert_true(sum.sm_clock.median == NVML_UNKNOWN);
	assert_true(sum.energy == NVML_UNKNOWN);
	nvml_summary_record(m, &sum);
	assert_int_equal(m->n_environment, 0);
	measurement_free(m);
}

static void assert_throttled(const struct nvml_summary *sum, const char *text)
{
	struct measurement *m = measurement_new();
	const char *said;

	nvml_summary_record(m, sum);
	said = measurement_get(m, "gpu_throttled");
	if (text)
		assert_string_equal(said, text);
	else
		assert_null(said);
	measurement_free(m);
}

static void says_how_often_it_was_throttled(void **state)
{
	static const struct {
		int reasons[3];
		const char *text;
	} table[] = {
		{{0, 0, 0}, "no"},
		{{IDLE, IDLE, 0}, "no"},
		{{CAP, CAP, CAP}, "power-cap:100%"},
		{{CAP, -1, HOT}, "power-cap:50%,thermal-slowdown:50%"},
		{{0, OTHER, 0}, "other:33%"},
		{{-1, -1, -1}, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct nvml_sample s[3];
		struct nvml_summary sum;

		for (size_t k = 0; k < 3; k++)
			s[k] = of(1, 1, 1, table[i].reasons[k]);
		nvml_summarize(&sum, s, 3);
		assert_throttled(&sum, table[i].text);
	}
}

static void once_in_a_thousand_is_not_never(void **state)
{
	struct nvml_sample s[1000];
	struct nvml_summary sum;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		s[i] = of(1, 1, 1, i ? 0 : HOT);
	nvml_summarize(&sum, s, 1000);
	assert_throttled(&sum, "thermal-slowdown:1%");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_what_the_card_is_and_does),
		cmocka_unit_test(counts_processes_that_are_not_ours),
		cmocka_unit_test(what_an_older_driver_lacks_is_unknown),
		cmocka_unit_test(what_a_card_does_not_say_is_unknown),
		cmocka_unit_test(
			a_card_that_cannot_be_watched_is_told_and_no_error),
		cmocka_unit_test(no_library_is_no_error),
		cmocka_unit_test(
			a_driver_that_fails_ends_the_watch_and_no_more),
		cmocka_unit_test(nothing_is_taken_that_was_not_asked_for),
		cmocka_unit_test(a_sample_that_is_late_is_a_later_halfs),
		cmocka_unit_test(
			the_process_that_watches_holds_nothing_of_ours),
		cmocka_unit_test(stopping_leaves_no_process),
		cmocka_unit_test(one_that_ended_does_not_last),
		cmocka_unit_test(folds_to_median_range_and_shares),
		cmocka_unit_test(a_summary_reads_well_in_a_measurement),
		cmocka_unit_test(of_nothing_nothing_is_recorded),
		cmocka_unit_test(says_how_often_it_was_throttled),
		cmocka_unit_test(once_in_a_thousand_is_not_never),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
