/*
 * A repository with a task and the archive of a run, looked at with git itself.
 * Each test that includes this has its functions for itself.
 */
#ifndef TESTS_ARCHIVE_WORLD_H
#define TESTS_ARCHIVE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "tests/read_journal.h"

#define TASK                                                                  \
	"name: gemm\nlanguage: c\nsources: [k.c]\nentry: f\n"                 \
	"arguments:\n  - {name: c, dtype: f32, shape: [m], direction: out}\n" \
	"cases: [{m: 4}]\nflops: m\n"                                         \
	"reference: {source: r.c, entry: r, plain: p}\n"

struct world {
	char *dir;
	struct gitstore *g;
	struct task *task;
	struct archive *archive;
	struct commit_id base;
};

/* Runs git in the repository; returns its output, trimmed. free() it. */
UNUSED static char *git(const struct world *w, const char *command)
{
	cleanup_process_result struct process_result result = {0};
	cleanup_free char *line = xasprintf(
		"git -c user.name=T -c user.email=t@t.t -c gc.auto=0 %s",
		command);
	const char *argv[] = {"sh", "-c", line, NULL};
	struct process_spec spec = {.argv = argv, .dir = w->dir};

	assert_null(process_run(&result, &spec, BUF_LIMIT_TEXT));
	if (result.exit_code != 0)
		fail_msg("git %s: %s", command, result.output.data);
	buf_trim_end(&result.output);
	return buf_take(&result.output);
}

UNUSED static void run_git(const struct world *w, const char *command)
{
	free(git(w, command));
}

UNUSED static void write_file(const struct world *w, const char *name,
			      const char *text)
{
	cleanup_free char *path = xasprintf("%s/%s", w->dir, name);

	assert_null(file_write(path, text, strlen(text), false));
}

UNUSED static int make_world(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);
	cleanup_free char *base = NULL;

	assert_null(dir_make_temp(&w->dir, "/tmp", "avogit-test-"));
	run_git(w, "init -q -b main .");
	write_file(w, "avogit.yaml", TASK);
	write_file(w, "k.c", "int k;\n");
	write_file(w, "r.c", "int r;\n");
	run_git(w, "add .");
	run_git(w, "commit -qm start");
	base = git(w, "rev-parse HEAD");
	w->base = commit_id(base);
	assert_null(task_parse(&w->task, "avogit.yaml", TASK, strlen(TASK)));
	assert_null(gitstore_open(&w->g, w->dir));
	assert_null(gitstore_archive(&w->archive, w->g, w->task, w->base.hex));
	*state = w;
	return 0;
}

UNUSED static int end_world(void **state)
{
	struct world *w = *state;

	gitstore_archive_free(w->archive);
	gitstore_close(w->g);
	task_free(w->task);
	error_free(dir_remove(w->dir));
	free(w->dir);
	free(w);
	return 0;
}

/* A candidate whose kernel says `text`; its workspace also has changes that
 * no candidate may make. */
UNUSED static void make_candidate(struct commit_id *id, struct world *w,
				  const char *parent, const char *text,
				  int64_t number)
{
	struct workspace ws = {0};
	struct proposal proposal = {.subject = "try something",
				    .hypothesis = "it should help",
				    .operator_name = "test",
				    .run = "gemm",
				    .number = number};
	cleanup_free char *kernel = NULL, *reference = NULL;
	bool same;

	assert_null(w->archive->open_workspace(w->archive, &ws, parent));
	kernel = xasprintf("%s/k.c", ws.dir);
	reference = xasprintf("%s/r.c", ws.dir);
	assert_null(file_write(kernel, text, strlen(text), false));
	assert_null(file_write(reference, "int cheat;\n", 11, false));
	assert_null(w->archive->seal(w->archive, id, &same, &ws, parent,
				     &proposal));
	assert_false(same);
	w->archive->close_workspace(w->archive, &ws);
}

UNUSED static void append_measurement(struct gitstore *g, const char *candidate,
				      enum verdict verdict)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, "gemm");
	e.candidate = commit_id(candidate);
	e.number = 1;
	e.measurement = measurement_new();
	if (verdict != VERDICT_PASS)
		measurement_fail(e.measurement, verdict, "because");
	assert_null(gitstore_append(g, &e));
}

UNUSED static void count(void *arg, const struct entry *e)
{
	*(size_t *)arg += e->kind == ENTRY_MEASUREMENT;
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)

#endif
