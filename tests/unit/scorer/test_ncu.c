#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "scorer/inspect/ncu.h"
#include "scorer/device/program.h"

static char *folder;

static int make_folder(void **state)
{
	(void)state;
	return dir_make_temp(&folder, "/tmp", "avogit-ncu-") != NULL;
}

static int remove_folder(void **state)
{
	(void)state;
	error_free(dir_remove(folder));
	free(folder);
	return 0;
}

/* A program that says what a profiler would say. */
static char *make_program(const char *script)
{
	cleanup_free char *text = xasprintf("#!/bin/sh\n%s", script);
	char *path = xasprintf("%s/ncu", folder);

	assert_null(file_write(path, text, strlen(text), true));
	return path;
}

#define TABLE                                        \
	"printf '\"ID\",\"Kernel Name\",\"a__b\"\\n" \
	"\"\",\"\",\"ns\"\\n\"0\",\"k\",\"5\"\\n'\n"

static struct error *capture(struct profile_capture *out, const char *script)
{
	const char *const argv[] = {"/bin/true", NULL};
	cleanup_free char *ncu = make_program(script);

	return ncu_capture(out, ncu, argv, folder, 20, NULL, NULL);
}

static void a_table_among_messages_is_taken(void **state)
{
	cleanup_capture struct profile_capture c = {0};

	(void)state;
	assert_null(capture(&c, "echo ==PROF== Connected\n" TABLE
				"echo ==PROF== Disconnected >&2\n"));
	assert_int_equal(c.n_kernels, 1);
}

static void it_works_in_the_folder_with_a_small_environment(void **state)
{
	cleanup_capture struct profile_capture c = {0};
	cleanup_buf struct buf seen = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *path = xasprintf("%s/seen", folder);

	(void)state;
	setenv("AVOGIT_SECRET", "1", 1);
	assert_null(capture(
		&c, "env >seen; pwd >>seen; echo \"$*\" >>seen\n" TABLE));
	assert_null(file_read(&seen, path));
	assert_null(strstr(seen.data, "AVOGIT_SECRET"));
	assert_non_null(strstr(seen.data, "LC_ALL=C\n"));
	assert_non_null(strstr(seen.data, folder));
	assert_non_null(strstr(seen.data, "--clock-control none"));
	assert_non_null(strstr(seen.data, "--profile-from-start off"));
	assert_non_null(strstr(seen.data, " /bin/true\n"));
}

static void an_unknown_metric_is_left_out_and_it_is_asked_again(void **state)
{
	cleanup_capture struct profile_capture c = {0};

	(void)state;
	assert_null(capture(
		&c, "case \"$*\" in\n"
		    "*dram__bytes_read.sum*) echo '==ERROR== Failed to find "
		    "metric dram__bytes_read.sum'; exit 1 ;;\n"
		    "*dram__bytes_write.sum*) ;;\n*) exit 1 ;;\nesac\n" TABLE));
	assert_int_equal(c.n_kernels, 1);
}

static void sections_alone_are_asked_for_in_the_end(void **state)
{
	cleanup_capture struct profile_capture c = {0};

	(void)state;
	assert_null(capture(&c,
			    "case \"$*\" in\n*--metrics*) echo 'Failed to "
			    "find metric regex:x'; exit 1 ;;\nesac\n" TABLE));
}

static void what_it_refuses_is_told_with_the_mend(void **state)
{
	static const struct {
		const char *script;
		enum error_code code;
		const char *words;
	} refusals[] = {
		{"echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have "
		 "permission'; exit 1\n",
		 ERROR_REFUSED, "NVreg_RestrictProfilingToAdminUsers=0"},
		{"echo '==WARNING== No kernels were profiled.'\n",
		 ERROR_NOT_FOUND, "captured no kernel"},
		{"exit 1\n", ERROR_SYSTEM, "printed nothing"},
		{"echo a; echo '==ERROR== The card is on fire'; echo b\n",
		 ERROR_SYSTEM, "captured nothing: The card is on fire"},
		{"echo strange\n", ERROR_SYSTEM, "captured nothing: strange"},
		{"printf '\"ID\",\"Kernel Name\",\"a__b\"\\n\"\",\"\",\"\"\\n"
		 "\"0\",\"k\",\"n/a\"\\n'\n",
		 ERROR_NOT_FOUND, "no metric of any has a value"},
		{"printf '\"ID\",\"Kernel Name\",\"a__b\"\\n\"\",\"\",\"\"\\n'"
		 "\n",
		 ERROR_NOT_FOUND, "0 kernels"},
		{"printf '\"ID\",\"Kernel'\n", ERROR_MALFORMED, "ends inside"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct profile_capture c;
		cleanup_error struct error *err =
			capture(&c, refusals[i].script);

		assert_true(error_is(err, refusals[i].code));
		if (!strstr(error_message(err), refusals[i].words))
			fail_msg("%s", error_message(err));
	}
}

static void only_the_metrics_that_are_named_are_dropped(void **state)
{
	static const struct {
		const char *list, *text, *left;
		bool about;
	} lists[] = {
		{"a.sum,b.sum,c.sum", "Failed to find metric b.sum",
		 "a.sum,c.sum", true},
		{"a.sum,b.sum,c.sum", "Failed to find metric a.sum",
		 "b.sum,c."
		 "sum",
		 true},
		{"a.sum,b.sum,c.sum", "Failed to find metric c.sum",
		 "a.sum,b.sum", true},
		{"a.sum", "Failed to find metric a.sum", "", true},
		{"a.sum,b.sum", "Failed to find metric x", "", true},
		{"a.sum,b.sum", "another message on a.sum", "a.sum,b.sum",
		 false},
		{"", "Failed to find metric a.sum", "", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		cleanup_free char *list = xstrdup(lists[i].list);

		assert_int_equal(ncu_drop_unknown(list, lists[i].text),
				 lists[i].about);
		assert_string_equal(list, lists[i].left);
	}
}

static void a_tool_is_found_by_its_variable_then_by_the_path(void **state)
{
	cleanup_free char *program = make_program("exit 0\n");
	cleanup_free char *old = xstrdup_null(getenv("PATH"));
	cleanup_free char *found = NULL, *again = NULL;
	cleanup_error struct error *err = NULL;
	struct error *wrong;

	(void)state;
	setenv("AVOGIT_NCU", program, 1);
	assert_null(ncu_find(&found));
	assert_string_equal(found, program);
	setenv("AVOGIT_NCU", "/nonexistent/ncu", 1);
	wrong = ncu_find(&again);
	assert_true(error_is(wrong, ERROR_NOT_FOUND));
	error_free(wrong);
	unsetenv("AVOGIT_NCU");
	setenv("PATH", folder, 1);
	assert_null(ncu_find(&again));
	assert_string_equal(again, program);
	err = program_find(&again, "no-such-tool", "AVOGIT_NO_SUCH_TOOL");
	setenv("PATH", old ? old : "/usr/bin:/bin", 1);
	assert_true(error_is(err, ERROR_NOT_FOUND));
	assert_non_null(strstr(error_message(err), "AVOGIT_NO_SUCH_TOOL"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_among_messages_is_taken),
		cmocka_unit_test(
			it_works_in_the_folder_with_a_small_environment),
		cmocka_unit_test(
			an_unknown_metric_is_left_out_and_it_is_asked_again),
		cmocka_unit_test(sections_alone_are_asked_for_in_the_end),
		cmocka_unit_test(what_it_refuses_is_told_with_the_mend),
		cmocka_unit_test(only_the_metrics_that_are_named_are_dropped),
		cmocka_unit_test(
			a_tool_is_found_by_its_variable_then_by_the_path),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
