#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "scorer/inspect/sanitizer.h"

#define BEGIN  "========= COMPUTE-SANITIZER\n"
#define END(n) "========= ERROR SUMMARY: " n "\n"

#define WRITE                                                             \
	"========= Invalid __global__ write of size 4 bytes\n"            \
	"=========     at scale(float *, int)+0x60 in /r/k.cu:6\n"        \
	"=========     by thread (3,0,0) in block (0,0,0)\n"              \
	"=========     Address 0x7f0000200004 is out of bounds\n"         \
	"=========     and is 5 bytes after the nearest allocation at "   \
	"0x7f0000000000 of size 2,097,152 bytes\n"                        \
	"=========     Saved host backtrace up to driver entry point at " \
	"kernel launch time\n"                                            \
	"=========         Host Frame: play [0x1754] in replay\n"         \
	"========= \n"

#define RACE                                                            \
	"========= Error: Race reported between Write access at "       \
	"sum(int *)+0x90 in k.cu:41\n"                                  \
	"=========     and Read access at sum(int *)+0x100 in k.cu:51 " \
	"[508 hazards]\n"                                               \
	"=========\n"

static void reads_what_each_tool_finds(void **state)
{
	static const struct {
		const char *log;
		int64_t errors, warnings;
		const char *first; /* the beginning; NULL: nothing is found */
	} logs[] = {
		{BEGIN END("0 errors"), 0, 0, NULL},
		{BEGIN "========= RACECHECK SUMMARY: 0 hazards displayed (0 "
		       "errors, 0 warnings)\n",
		 0, 0, NULL},
		{BEGIN WRITE END("1 error"), 1, 0,
		 "Invalid __global__ write of size 4 bytes at scale(float *, "
		 "int)+0x60 in /r/k.cu:6, by thread (3,0,0) in block (0,0,0), "
		 "Address 0x7f0000200004 is out of bounds and is 5 bytes "
		 "after"},
		{BEGIN WRITE WRITE END("257 errors")
			 END("255 errors were not printed. Use --print-limit "
			     "option to adjust the number of printed errors"),
		 257, 0, "Invalid __global__ write"},
		{BEGIN RACE "========= RACECHECK SUMMARY: 1 hazard displayed "
			    "(1 error, 0 warnings)\n",
		 1, 0,
		 "Race reported between Write access at sum(int *)+0x90 in "
		 "k.cu:41 and Read access at sum(int *)+0x100 in k.cu:51 [508 "
		 "hazards]"},
		{BEGIN
		 "========= Warning: Race reported between Read access at "
		 "f()+0x10\n=========     and Write access at f()+0x20 [4 "
		 "hazards]\n========= RACECHECK SUMMARY: 1 hazard displayed "
		 "(0 errors, 1 warning)\n",
		 0, 1, NULL},
		{BEGIN
		 "========= Uninitialized __shared__ memory read of size 4 "
		 "bytes\n=========     at f()+0x1a0 in k.cu:7\n=========     "
		 "by "
		 "thread (0,0,0) in block (0,0,0)\n=========     Address "
		 "0x0\n" END("1 error"),
		 1, 0,
		 "Uninitialized __shared__ memory read of size 4 bytes at "
		 "f()+0x1a0 in k.cu:7, by thread (0,0,0) in block (0,0,0), "
		 "Address 0x0"},
		{BEGIN
		 "========= Barrier error detected. Divergent thread(s) in "
		 "block.\n=========     at f()+0x2c8\n" END("1 error"),
		 1, 0,
		 "Barrier error detected. Divergent thread(s) in block at "
		 "f()+0x2c8"},
		/* Of a version to come, which says where. */
		{BEGIN
		 "========= Something new\n=========     at f()+0x8\n" END(
			 "1 error"),
		 1, 0, "Something new at f()+0x8"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		cleanup_findings struct findings f = {0};
		const char *first = logs[i].first;

		findings_parse(&f, logs[i].log, strlen(logs[i].log));
		assert_true(f.complete);
		assert_null(f.trouble);
		assert_int_equal(f.errors, logs[i].errors);
		assert_int_equal(f.warnings, logs[i].warnings);
		if (!first != !f.first ||
		    (first && !starts_with(f.first, first)))
			fail_msg("%zu: %s", i, f.first ? f.first : "nothing");
		assert_true(!f.first || !strstr(f.first, "Host Frame"));
	}
}

static void what_went_wrong_with_the_tool_is_no_finding(void **state)
{
	static const char *const logs[] = {
		BEGIN "========= Error: No attachable process found. "
		      "compute-sanitizer timed-out.\n",
		BEGIN "========= Internal Sanitizer Error: no memory\n",
		BEGIN "========= Target application returned an error\n" END(
			"0 errors"),
		BEGIN END("2 errors"),
		BEGIN
		"========= Program hit CUDA_ERROR_NOT_FOUND (error 500) "
		"on CUDA API call to cuModuleGetFunction.\n" END("1 error"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		cleanup_findings struct findings f = {0};

		findings_parse(&f, logs[i], strlen(logs[i]));
		assert_int_equal(f.errors, 0);
		assert_null(f.first);
		assert_non_null(f.trouble);
	}
}

static void a_log_that_was_cut_off_is_not_complete(void **state)
{
	static const char log[] = BEGIN WRITE
		"program's own\n=====\n" END("1 error");

	(void)state;
	for (size_t len = 0; len < sizeof log - 1; len++) {
		cleanup_findings struct findings f = {0};
		cleanup_free char *exact = xmemdup(log, len);

		findings_parse(&f, exact, len);
		assert_true(f.errors <= 1);
		assert_true(!f.complete || f.errors == 1);
	}
}

static void a_smuggled_summary_takes_no_finding_away(void **state)
{
	static const char log[] = BEGIN
		"========= Invalid __shared__ read of size 4 bytes\n"
		"=========     at f\n" END("0 errors") END("1 error")
			END("0 errors");
	cleanup_findings struct findings f = {0};

	(void)state;
	findings_parse(&f, log, strlen(log));
	assert_int_equal(f.errors, 1);
	assert_string_equal(f.first, "Invalid __shared__ read of size 4 bytes "
				     "at f");
}

static void hostile_bytes_stay_bounded_and_printable(void **state)
{
	cleanup_buf struct buf log = BUF_INIT((size_t)4 << 20);
	cleanup_findings struct findings f = {0};

	(void)state;
	buf_adds(&log, BEGIN "========= Invalid \x1b[31m\x80 read\n"
			     "=========     at ");
	for (int i = 0; i < 100000; i++)
		buf_adds(&log, "kernel");
	buf_adds(&log, "\n");
	for (int i = 0; i < 10000; i++)
		buf_adds(&log, "=========     by thread\n========= Invalid "
			       "write\n");
	buf_adds(&log, END("99999999999999999999999999 errors"));
	findings_parse(&f, log.data, log.len);
	assert_true(f.errors > 10000);
	assert_true(strlen(f.first) <= FINDINGS_SENTENCE);
	for (const char *p = f.first; *p; p++)
		assert_true(*p >= ' ' && *p < 0x7f);
}

/* ---- the program ------------------------------------------------------------- */

static char *folder;

static int make_folder(void **state)
{
	(void)state;
	return dir_make_temp(&folder, "/tmp", "avogit-test-") != NULL;
}

static int remove_folder(void **state)
{
	(void)state;
	error_free(dir_remove(folder));
	free(folder);
	return 0;
}

/* A program that finds its log file in $log and what it was asked for in
 * $words, and does as compute-sanitizer would. */
static void sanitize(struct sanitizing *out, enum sanitizer_tool tool,
		     const char *script)
{
	static const char begin[] =
		"#!/bin/sh\nwords=\"$*\"\nwhile test \"$1\" != --log-file\n"
		"do shift\ndone\nlog=$2\n";
	const char *const argv[] = {"/bin/true", "of", "the", "launch", NULL};
	cleanup_free char *text = xasprintf("%s%s", begin, script);
	cleanup_free char *path = xasprintf("%s/tool", folder);

	assert_null(file_write(path, text, strlen(text), true));
	assert_null(sanitizer_run(out, path, tool, argv, folder, 20, NULL));
}

static void takes_what_is_in_the_log_file(void **state)
{
	cleanup_sanitizing struct sanitizing s = {0};

	(void)state;
	sanitize(&s, SANITIZER_MEMCHECK,
		 "echo '========= Invalid x' >&2\n"
		 "printf '" BEGIN WRITE END("1 error") "' >$log\nexit 86\n");
	assert_int_equal(s.found.errors, 1);
	assert_null(s.found.trouble);
	assert_non_null(strstr(s.log, "Host Frame"));
}

static void asks_for_one_tool_with_a_bounded_log(void **state)
{
	cleanup_sanitizing struct sanitizing s = {0};

	(void)state;
	sanitize(&s, SANITIZER_RACECHECK,
		 "echo \"$words\" >$log\n"
		 "echo '========= ERROR SUMMARY: 0 errors' >>$log\n");
	assert_null(s.found.trouble);
	assert_non_null(strstr(s.log, "--tool racecheck"));
	assert_non_null(strstr(s.log, "--print-limit"));
	assert_non_null(strstr(s.log, "/bin/true of the launch"));
	assert_null(strstr(s.log, "--initcheck-address-space"));
}

static void an_option_it_does_not_know_is_left_out(void **state)
{
	cleanup_sanitizing struct sanitizing s = {0};

	(void)state;
	sanitize(&s, SANITIZER_INITCHECK,
		 "case $words in *--initcheck-address-space*)\n"
		 "echo \"unrecognised option '--initcheck-address-space'\"\n"
		 "exit 1 ;; esac\n"
		 "echo '========= ERROR SUMMARY: 0 errors' >$log\n");
	assert_null(s.found.trouble);
	assert_true(s.found.complete);
	assert_int_equal(s.found.errors, 0);
}

static void silence_is_not_clean(void **state)
{
	static const struct {
		const char *script, *trouble;
	} silent[] = {
		{"echo nothing to see; exit 0\n", "nothing to see"},
		{"printf '" BEGIN "' >$log\n", "without a summary"},
		{"kill -9 $$\n", "signal 9"},
		{"echo '========= ERROR SUMMARY: 0 errors' >$log\nexit 86\n",
		 "does not say what"},
		{"head -c 3000000 /dev/zero >$log\n", "1 MiB"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(silent); i++) {
		cleanup_sanitizing struct sanitizing s = {0};

		sanitize(&s, SANITIZER_MEMCHECK, silent[i].script);
		assert_int_equal(s.found.errors, 0);
		if (!s.found.trouble ||
		    !strstr(s.found.trouble, silent[i].trouble))
			fail_msg("%zu: %s", i,
				 s.found.trouble ? s.found.trouble : "clean");
	}
}

static void says_how_to_name_one_that_is_elsewhere(void **state)
{
	cleanup_free char *path = NULL;
	cleanup_error struct error *err = NULL;

	(void)state;
	setenv("AVOGIT_COMPUTE_SANITIZER", "/nonexistent/tool", 1);
	err = sanitizer_find(&path);
	assert_true(error_is(err, ERROR_NOT_FOUND));
	assert_non_null(strstr(error_message(err), "AVOGIT_COMPUTE_SANITIZER"));
	unsetenv("AVOGIT_COMPUTE_SANITIZER");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_each_tool_finds),
		cmocka_unit_test(what_went_wrong_with_the_tool_is_no_finding),
		cmocka_unit_test(a_log_that_was_cut_off_is_not_complete),
		cmocka_unit_test(a_smuggled_summary_takes_no_finding_away),
		cmocka_unit_test(hostile_bytes_stay_bounded_and_printable),
		cmocka_unit_test(takes_what_is_in_the_log_file),
		cmocka_unit_test(asks_for_one_tool_with_a_bounded_log),
		cmocka_unit_test(an_option_it_does_not_know_is_left_out),
		cmocka_unit_test(silence_is_not_clean),
		cmocka_unit_test(says_how_to_name_one_that_is_elsewhere),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
