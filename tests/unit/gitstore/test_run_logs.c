/* Logs and removal on real repositories, looked at with git itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "gitstore/journal/restore.h"
#include "gitstore/run/logs.h"
#include "gitstore/run/remove.h"
#include "tests/read_journal.h"

#define WRITERS 3
#define EACH	10

struct world {
	char *dir;
	struct gitstore *g;
};

/* Runs a shell line in the repository; its exit code. */
static int shell(const struct world *w, const char *line)
{
	cleanup_process_result struct process_result result = {0};
	const char *argv[] = {"sh", "-c", line, NULL};
	const struct process_spec spec = {.argv = argv, .dir = w->dir};

	assert_null(process_run(&result, &spec, BUF_LIMIT_TEXT));
	return result.exit_code;
}

static int make_world(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);

	assert_null(dir_make_temp(&w->dir, "/tmp", "avogit-test-"));
	assert_int_equal(0, shell(w, "git init -q -b main . && git -c "
				     "user.name=T -c user.email=t@t.t commit "
				     "-q --allow-empty -m start"));
	assert_null(gitstore_open(&w->g, w->dir));
	*state = w;
	return 0;
}

static int end_world(void **state)
{
	struct world *w = *state;

	gitstore_close(w->g);
	error_free(dir_remove(w->dir));
	free(w->dir);
	free(w);
	return 0;
}

/* As what a run keeps: from a file, here one of this process. */
static struct error *keep(struct gitstore *g, const char *name,
			  const char *text)
{
	cleanup_free char *path =
		xasprintf("%s.git/%d", gitstore_work_dir(g), (int)getpid());

	TRY(file_write(path, text, strlen(text), false));
	return gitstore_log_add_file(g, "gemm", name, path);
}

static void add(struct gitstore *g, const char *name, const char *text)
{
	assert_null(keep(g, name, text));
}

static void a_log_comes_back_as_it_was(void **state)
{
	struct world *w = *state;
	cleanup_log_list struct log_list l = {0};
	cleanup_free char *path = xasprintf("%s/profile", w->dir);
	cleanup_free char *same = NULL;

	add(w->g, "1 build.txt", "one");
	assert_null(file_write(path, "a\0b", 3, false));
	assert_null(gitstore_log_add_file(w->g, "gemm", "2.bin", path));
	assert_int_equal(0, shell(w, "git gc -q --prune=now && git fsck"));
	assert_null(gitstore_log_list(&l, w->g, "gemm", INT64_MAX));
	assert_int_equal(2, l.n);
	assert_int_equal(6, l.bytes);
	assert_string_equal("2.bin", l.log[0].name);
	assert_string_equal("1 build.txt", l.log[1].name);
	same = xasprintf("git cat-file blob %s:2.bin | cmp - profile",
			 l.log[0].id.hex);
	assert_int_equal(0, shell(w, same));
}

static void refuses_a_name_that_is_a_path(void **state)
{
	static const char *const names[] = {"",	    "a/b",  "..", ".",
					    ".git", "a\nb", "/"};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct error *err = keep(w->g, names[i], "x");

		assert_non_null(err);
		error_free(err);
	}
}

static void parallel_writers_lose_no_log(void **state)
{
	struct world *w = *state;
	cleanup_log_list struct log_list l = {0};
	pid_t pid[WRITERS];

	for (int i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			struct gitstore *g;

			if (gitstore_open(&g, w->dir))
				_exit(1);
			for (int j = 0; j < EACH; j++)
				if (keep(g, "log", "x"))
					_exit(1);
			_exit(0);
		}
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;

		waitpid(pid[i], &status, 0);
		assert_int_equal(0, status);
	}
	assert_null(gitstore_log_list(&l, w->g, "gemm", INT64_MAX));
	assert_int_equal(WRITERS * EACH, l.n);
}

static void pruning_keeps_what_is_younger(void **state)
{
	struct world *w = *state;
	cleanup_log_list struct log_list dropped = {0}, none = {0}, rest = {0};

	add(w->g, "a", "aa");
	add(w->g, "b", "bbb");
	assert_null(gitstore_log_prune(&none, w->g, "gemm", 1000));
	assert_int_equal(0, none.n);
	assert_null(gitstore_log_prune(&dropped, w->g, "gemm", INT64_MAX));
	assert_int_equal(2, dropped.n);
	assert_int_equal(5, dropped.bytes);
	add(w->g, "c", "c");
	assert_null(gitstore_log_list(&rest, w->g, "gemm", INT64_MAX));
	assert_int_equal(1, rest.n);
	assert_string_equal("c", rest.log[0].name);
}

static void count(void *arg, const struct entry *e)
{
	(void)e;
	(*(size_t *)arg)++;
}

static void stop(struct gitstore *g, char writer[WRITER_LEN + 1])
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_STOP, "gemm");
	assert_null(gitstore_append(g, &e));
	memcpy(writer, e.writer, sizeof e.writer);
}

static void a_removed_run_does_not_go_on_under_its_old_writer(void **state)
{
	struct world *w = *state;
	cleanup_removal struct removal r = {.journals = STRVEC_INIT};
	char old[WRITER_LEN + 1], new[WRITER_LEN + 1], third[WRITER_LEN + 1];
	struct gitstore *other;
	size_t n = 0;
	bool removed;

	stop(w->g, old);
	add(w->g, "a", "a");
	assert_null(gitstore_open(&other, w->dir));
	assert_null(removal_plan(&r, w->g, "gemm"));
	assert_int_equal(1, r.journals.n);
	assert_int_equal(1, r.logs.n);
	assert_null(removal_do(w->g, &r));
	assert_null(gitstore_is_removed(&removed, w->g, "gemm", old));
	assert_true(removed);
	assert_null(read_journal(w->g, "gemm", count, &n));
	assert_int_equal(0, n);
	/* Two processes of one clone agree on who they are now. */
	stop(w->g, new);
	stop(other, third);
	assert_string_not_equal(old, new);
	assert_string_equal(new, third);
	assert_null(gitstore_is_removed(&removed, w->g, "gemm", new));
	assert_false(removed);
	gitstore_close(other);
	assert_int_equal(0, shell(w, "git fsck --full"));
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(a_log_comes_back_as_it_was),
		IN_WORLD(refuses_a_name_that_is_a_path),
		IN_WORLD(parallel_writers_lose_no_log),
		IN_WORLD(pruning_keeps_what_is_younger),
		IN_WORLD(a_removed_run_does_not_go_on_under_its_old_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
