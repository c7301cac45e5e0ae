/*
 * A repository of a test's own, made by git and opened by the store. Each test
 * that includes this has its functions for itself.
 */
#ifndef TESTS_REPOSITORY_H
#define TESTS_REPOSITORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "gitstore/git/internal.h"

struct world {
	char *dir;
	struct gitstore *g;
};

/* Runs a shell's command in the repository; its output, trimmed. free() it. */
UNUSED static char *out_of(const struct world *w, const char *command)
{
	cleanup_process_result struct process_result result = {0};
	const char *argv[] = {"bash", "-c", command, NULL};
	struct process_spec spec = {.argv = argv, .dir = w->dir};

	assert_null(process_run(&result, &spec, BUF_LIMIT_TEXT));
	if (result.exit_code != 0)
		fail_msg("%s: %s", command, result.output.data);
	buf_trim_end(&result.output);
	return buf_take(&result.output);
}

PRINTF(2, 3)
UNUSED static void do_in(const struct world *w, const char *fmt, ...)
{
	cleanup_free char *command = NULL;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&command, fmt, ap) >= 0);
	va_end(ap);
	free(out_of(w, command));
}

/* What a command prints is an object's id. */
PRINTF(2, 3)
UNUSED static git_oid id_of(const struct world *w, const char *fmt, ...)
{
	cleanup_free char *command = NULL, *out = NULL;
	git_oid id;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&command, fmt, ap) >= 0);
	va_end(ap);
	out = out_of(w, command);
	assert_int_equal(git_oid_fromstr(&id, out), 0);
	return id;
}

UNUSED static void reopen(struct world *w)
{
	gitstore_close(w->g);
	w->g = NULL;
	assert_null(gitstore_open(&w->g, w->dir));
}

UNUSED static int make_world(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);

	assert_null(dir_make_temp(&w->dir, "/tmp", "avogit-test-"));
	do_in(w, "git init -q -b main . && git config user.name T && "
		 "git config user.email t@t.t && git config gc.auto 0 && "
		 "git commit -q --allow-empty -m start");
	assert_null(gitstore_open(&w->g, w->dir));
	*state = w;
	return 0;
}

UNUSED static int end_world(void **state)
{
	struct world *w = *state;

	gitstore_close(w->g);
	error_free(dir_remove(w->dir));
	free(w->dir);
	free(w);
	return 0;
}

/* The error says each of the two, and is freed. */
UNUSED static void assert_says(struct error *err, const char *one,
			       const char *other)
{
	if (!err || !strstr(error_message(err), one) ||
	    !strstr(error_message(err), other))
		fail_msg("not \"%s\" and \"%s\": %s", one, other,
			 err ? error_message(err) : "no error");
	error_free(err);
}

#endif
