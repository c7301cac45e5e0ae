/* The archive on real repositories, looked at with git itself. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/gitstore/archive_world.h"

static void a_candidate_changes_the_sources_and_nothing_else(void **state)
{
	struct world *w = *state;
	struct commit_id id;
	cleanup_free char *files = NULL, *show = NULL, *body = NULL;
	cleanup_free char *diff = NULL, *command = NULL, *log = NULL;

	make_candidate(&id, w, w->base.hex, "int faster;\n", 1);
	diff = xasprintf("diff --name-only %s %s", w->base.hex, id.hex);
	files = git(w, diff);
	assert_string_equal(files, "k.c");
	command = xasprintf("show %s:k.c", id.hex);
	show = git(w, command);
	assert_string_equal(show, "int faster;");
	log = xasprintf("log -1 --format='%%s|%%(trailers:key=Avogit-Run,"
			"valueonly,separator=)|%%P' %s",
			id.hex);
	body = git(w, log);
	assert_true(starts_with(body, "try something|gemm|"));
	assert_non_null(strstr(body, w->base.hex));
}

/* Else every other avogit of the clone waits until this step ends. */
static void a_candidate_that_is_refused_locks_nothing(void **state)
{
	struct world *w = *state;
	struct proposal proposal = {.subject = "x", .run = "gemm", .number = 1};
	struct workspace ws = {0};
	struct commit_id id;
	cleanup_free char *kernel = NULL, *lock = NULL;
	cleanup_fd int fd = -1;
	bool same;
	struct error *err;

	assert_null(w->archive->open_workspace(w->archive, &ws, w->base.hex));
	kernel = xasprintf("%s/k.c", ws.dir);
	assert_int_equal(unlink(kernel), 0);
	err = w->archive->seal(w->archive, &id, &same, &ws, w->base.hex,
			       &proposal);
	assert_non_null(err);
	error_free(err);
	lock = xasprintf("%s/.git/avogit/lock", w->dir);
	fd = open(lock, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(flock(fd, LOCK_UN), 0);
	w->archive->close_workspace(w->archive, &ws);
}

static void a_failure_stays_reachable_with_its_note(void **state)
{
	struct world *w = *state;
	struct commit_id id;
	cleanup_free char *show = NULL, *note = NULL, *branches = NULL;

	make_candidate(&id, w, w->base.hex, "int wrong;\n", 1);
	append_measurement(w->g, id.hex, VERDICT_WRONG);
	run_git(w, "gc -q --prune=now");
	run_git(w, "fsck --strict --no-dangling");
	show = xasprintf("notes --ref=avogit show %s", id.hex);
	note = git(w, show);
	assert_non_null(strstr(note, "verdict=wrong"));
	assert_non_null(strstr(note, "why=because"));
	branches = git(w, "branch --contains main");
	assert_string_equal(branches, "* main");
}

static void one_process_extends_a_run(void **state)
{
	struct world *w = *state;
	int status;
	pid_t pid;

	assert_null(gitstore_lock_run(w->g, "gemm"));
	/* Two refuted attempts of a run in one command. */
	assert_null(gitstore_lock_run(w->g, "gemm"));
	pid = fork();
	if (pid == 0) {
		struct gitstore *g = NULL;
		struct error *err = gitstore_open(&g, w->dir);

		if (!err)
			err = gitstore_lock_run(g, "gemm");
		_exit(err && strstr(error_message(err), "gemm") ? 7 : 0);
	}
	assert_true(waitpid(pid, &status, 0) == pid);
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void it_lives_without_its_own_folder(void **state)
{
	struct world *w = *state;
	struct commit_id id;
	cleanup_free char *folder = xasprintf("%s/.git/avogit", w->dir);
	struct gitstore *g = NULL;
	size_t entries = 0;

	make_candidate(&id, w, w->base.hex, "int z;\n", 1);
	append_measurement(w->g, id.hex, VERDICT_PASS);
	assert_null(dir_remove(folder));
	assert_null(gitstore_open(&g, w->dir));
	assert_null(read_journal(g, "gemm", count, &entries));
	assert_int_equal(entries, 1);
	append_measurement(g, id.hex, VERDICT_PASS);
	gitstore_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(a_candidate_changes_the_sources_and_nothing_else),
		IN_WORLD(a_candidate_that_is_refused_locks_nothing),
		IN_WORLD(a_failure_stays_reachable_with_its_note),
		IN_WORLD(one_process_extends_a_run),
		IN_WORLD(it_lives_without_its_own_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
