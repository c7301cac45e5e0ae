/* Notes that many processes write, and many of them. */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/gitstore/archive_world.h"

#define WRITERS 4
#define EACH	20

static void write_some(const struct world *w, struct commit_id *id)
{
	struct gitstore *g = NULL;

	if (gitstore_open(&g, w->dir))
		_exit(1);
	for (size_t i = 0; i < EACH; i++)
		append_measurement(g, id[i].hex, VERDICT_PASS);
	gitstore_close(g);
	_exit(0);
}

static void parallel_writers_lose_nothing(void **state)
{
	struct world *w = *state;
	struct commit_id id[EACH];
	cleanup_free char *notes = NULL;
	size_t entries = 0, lines = 0;

	for (size_t i = 0; i < EACH; i++) {
		cleanup_free char *text = xasprintf("int x%zu;\n", i);

		make_candidate(&id[i], w, w->base.hex, text, (int64_t)i + 1);
	}
	for (size_t i = 0; i < WRITERS; i++)
		if (fork() == 0)
			write_some(w, id);
	for (size_t i = 0; i < WRITERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_null(read_journal(w->g, "gemm", count, &entries));
	assert_int_equal(entries, WRITERS * EACH);
	for (size_t i = 0; i < EACH; i++) {
		cleanup_free char *show =
			xasprintf("notes --ref=avogit show %s", id[i].hex);
		cleanup_free char *note = git(w, show);

		for (const char *p = note; (p = strstr(p, " 000 ")); p++)
			lines++;
	}
	assert_int_equal(lines, WRITERS * EACH);
	run_git(w, "fsck --strict --no-dangling");
}

static void many_notes_are_cut_into_folders(void **state)
{
	struct world *w = *state;
	cleanup_free char *levels = NULL, *notes = NULL;

	for (int64_t i = 0; i < 100; i++) {
		cleanup_free char *text = xasprintf("int y%d;\n", (int)i);
		struct commit_id id;

		make_candidate(&id, w, w->base.hex, text, i + 1);
		append_measurement(w->g, id.hex, VERDICT_PASS);
	}
	notes = git(w, "notes --ref=avogit list | wc -l");
	assert_string_equal(notes, "100");
	levels = git(w, "ls-tree -r --name-only refs/notes/avogit | "
			"grep -c /");
	assert_true(strtol(levels, NULL, 10) > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(parallel_writers_lose_nothing),
		IN_WORLD(many_notes_are_cut_into_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
