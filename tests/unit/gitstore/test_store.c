/* The store on real repositories, looked at with git itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "gitstore/journal/pile.h"
#include "gitstore/notes/note.h"
#include "gitstore/sync/noted.h"
#include "tests/read_journal.h"

#define TASK                                                                  \
	"name: gemm\nlanguage: c\nsources: [k.c]\nentry: f\n"                 \
	"arguments:\n  - {name: c, dtype: f32, shape: [m], direction: out}\n" \
	"cases: [{m: 4}]\nflops: m\n"                                         \
	"reference: {source: r.c, entry: r, plain: p}\n"
#define WRITERS 4
#define EACH	20

struct world {
	char *dir;
	struct gitstore *g;
	struct task *task;
	struct archive *archive;
	char base[COMMIT_ID_LEN + 1];
};

/* Runs git in the repository; returns its output, trimmed. free() it. */
static char *git(const struct world *w, const char *command)
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

static void run_git(const struct world *w, const char *command)
{
	free(git(w, command));
}

static void write_file(const struct world *w, const char *name,
		       const char *text)
{
	cleanup_free char *path = xasprintf("%s/%s", w->dir, name);

	assert_null(file_write(path, text, strlen(text), false));
}

static int make_world(void **state)
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
	memcpy(w->base, base, sizeof w->base);
	assert_null(task_parse(&w->task, "avogit.yaml", TASK, strlen(TASK)));
	assert_null(gitstore_open(&w->g, w->dir));
	assert_null(gitstore_archive(&w->archive, w->g, w->task, w->base));
	*state = w;
	return 0;
}

static int end_world(void **state)
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
static void make_candidate(char *id, struct world *w, const char *parent,
			   const char *text, int64_t number)
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

static void append_measurement(struct gitstore *g, const char *candidate,
			       enum verdict verdict)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, "gemm");
	memcpy(e.candidate, candidate, sizeof e.candidate);
	e.number = 1;
	e.measurement = measurement_new();
	if (verdict != VERDICT_PASS)
		measurement_fail(e.measurement, verdict, "because");
	assert_null(gitstore_append(g, &e));
}

static void a_candidate_changes_the_sources_and_nothing_else(void **state)
{
	struct world *w = *state;
	char id[COMMIT_ID_LEN + 1];
	cleanup_free char *files = NULL, *show = NULL, *body = NULL;
	cleanup_free char *diff = NULL, *command = NULL, *log = NULL;

	make_candidate(id, w, w->base, "int faster;\n", 1);
	diff = xasprintf("diff --name-only %s %s", w->base, id);
	files = git(w, diff);
	assert_string_equal(files, "k.c");
	command = xasprintf("show %s:k.c", id);
	show = git(w, command);
	assert_string_equal(show, "int faster;");
	log = xasprintf("log -1 --format='%%s|%%(trailers:key=Avogit-Run,"
			"valueonly,separator=)|%%P' %s",
			id);
	body = git(w, log);
	assert_true(starts_with(body, "try something|gemm|"));
	assert_non_null(strstr(body, w->base));
}

/* Else every other avogit of the clone waits until this step ends. */
static void a_candidate_that_is_refused_locks_nothing(void **state)
{
	struct world *w = *state;
	struct proposal proposal = {.subject = "x", .run = "gemm", .number = 1};
	struct workspace ws = {0};
	char id[COMMIT_ID_LEN + 1];
	cleanup_free char *kernel = NULL, *lock = NULL;
	cleanup_fd int fd = -1;
	bool same;
	struct error *err;

	assert_null(w->archive->open_workspace(w->archive, &ws, w->base));
	kernel = xasprintf("%s/k.c", ws.dir);
	assert_int_equal(unlink(kernel), 0);
	err = w->archive->seal(w->archive, id, &same, &ws, w->base, &proposal);
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
	char id[COMMIT_ID_LEN + 1];
	cleanup_free char *show = NULL, *note = NULL, *branches = NULL;

	make_candidate(id, w, w->base, "int wrong;\n", 1);
	append_measurement(w->g, id, VERDICT_WRONG);
	run_git(w, "gc -q --prune=now");
	run_git(w, "fsck --strict --no-dangling");
	show = xasprintf("notes --ref=avogit show %s", id);
	note = git(w, show);
	assert_non_null(strstr(note, "verdict=wrong"));
	assert_non_null(strstr(note, "why=because"));
	branches = git(w, "branch --contains main");
	assert_string_equal(branches, "* main");
}

static void count(void *arg, const struct entry *e)
{
	*(size_t *)arg += e->kind == ENTRY_MEASUREMENT;
}

static void write_some(const struct world *w, char (*id)[COMMIT_ID_LEN + 1])
{
	struct gitstore *g = NULL;

	if (gitstore_open(&g, w->dir))
		_exit(1);
	for (size_t i = 0; i < EACH; i++)
		append_measurement(g, id[i], VERDICT_PASS);
	gitstore_close(g);
	_exit(0);
}

static void parallel_writers_lose_nothing(void **state)
{
	struct world *w = *state;
	char id[EACH][COMMIT_ID_LEN + 1];
	cleanup_free char *notes = NULL;
	size_t entries = 0, lines = 0;

	for (size_t i = 0; i < EACH; i++) {
		cleanup_free char *text = xasprintf("int x%zu;\n", i);

		make_candidate(id[i], w, w->base, text, (int64_t)i + 1);
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
			xasprintf("notes --ref=avogit show %s", id[i]);
		cleanup_free char *note = git(w, show);

		for (const char *p = note; (p = strstr(p, " 000 ")); p++)
			lines++;
	}
	assert_int_equal(lines, WRITERS * EACH);
	run_git(w, "fsck --strict --no-dangling");
}

static void lost_notes_are_put_back(void **state)
{
	struct world *w = *state;
	char id[COMMIT_ID_LEN + 1];
	cleanup_free char *before = NULL, *after = NULL;
	cleanup_strvec struct strvec unread = STRVEC_INIT;
	size_t restored = 0;

	make_candidate(id, w, w->base, "int kept;\n", 1);
	append_measurement(w->g, id, VERDICT_PASS);
	assert_null(gitstore_note(&before, w->g, id));
	run_git(w, "update-ref -d refs/notes/avogit");
	assert_null(gitstore_mend_notes(&restored, &unread, w->g));
	assert_int_equal(restored, 1);
	assert_null(gitstore_note(&after, w->g, id));
	assert_string_equal(before, after);
	assert_null(gitstore_mend_notes(&restored, &unread, w->g));
	assert_int_equal(restored, 0);
	assert_int_equal(unread.n, 0);
}

static void many_notes_are_cut_into_folders(void **state)
{
	struct world *w = *state;
	cleanup_free char *levels = NULL, *notes = NULL;

	for (int64_t i = 0; i < 100; i++) {
		cleanup_free char *text = xasprintf("int y%d;\n", (int)i);
		char id[COMMIT_ID_LEN + 1];

		make_candidate(id, w, w->base, text, i + 1);
		append_measurement(w->g, id, VERDICT_PASS);
	}
	notes = git(w, "notes --ref=avogit list | wc -l");
	assert_string_equal(notes, "100");
	levels = git(w, "ls-tree -r --name-only refs/notes/avogit | "
			"grep -c /");
	assert_true(strtol(levels, NULL, 10) > 50);
}

/* Of every depth at which a note may stand, and of more than one measurement
 * in it. */
static void all_notes_are_read_at_once(void **state)
{
	struct world *w = *state;
	cleanup_noted struct noted lines = {.n = 0};
	static const char *const written[] = {"20260101T000000Z-00000001",
					      "20260101T000000Z-00000002"};
	static const char flat[] = "1111111111111111111111111111111111111111";
	char id[COMMIT_ID_LEN + 1];
	cleanup_free char *note = NULL;
	git_oid tip, tree;

	make_candidate(id, w, w->base, "int kept;\n", 1);
	append_measurement(w->g, id, VERDICT_PASS);
	append_measurement(w->g, id, VERDICT_PASS);
	assert_null(gitstore_note(&note, w->g, id));
	free(git(w, "update-ref refs/notes/avogit $({ "
		    "git ls-tree refs/notes/avogit; printf '100644 blob "
		    "%s\\t1111111111111111111111111111111111111111\\n' "
		    "$(printf '20260101T000000Z-00000001 000 a=b\\n"
		    "20260101T000000Z-00000002' | git hash-object -w --stdin);"
		    " printf '100644 blob %s\\tREADME\\n' "
		    "$(git hash-object -w k.c); } | git mktree | "
		    "xargs git -c user.name=T -c user.email=t@t "
		    "commit-tree -m notes)"));
	assert_null(notes_tree(&tip, &tree, w->g));
	assert_null(noted_read(&lines, w->g, &tree));
	assert_int_equal(lines.n, 4);
	for (const char *line = note; *line; line = strchr(line, '\n') + 1) {
		cleanup_free char *word = xstrndup(line, MEASUREMENT_ID_LEN);

		assert_true(noted_have(&lines, id, word));
		assert_false(noted_have(&lines, flat, word));
	}
	for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
		assert_true(noted_have(&lines, flat, written[i]));
		assert_false(noted_have(&lines, id, written[i]));
	}
	assert_false(noted_have(&lines, flat, "20260101T000000Z"));
}

/* The last first, whatever their sizes. */
static void a_pile_is_taken_from_its_top(void **state UNUSED)
{
	struct pile p = {.n = 0};
	cleanup_free char *big = xcalloc(1, 1000000);
	const char *text;
	git_oid id;
	size_t len;

	memset(big, 'x', 1000000);
	for (uint8_t i = 0; i < 200; i++) {
		id = (git_oid){{i}};
		pile_put(&p, &id, i % 7 ? big : NULL,
			 i % 7 == 1 ? 1000000 : 100u * (i % 7));
	}
	assert_int_equal(p.n, 200);
	for (int i = 199; i >= 0; i--) {
		assert_true(pile_take(&id, &text, &len, &p));
		assert_int_equal(id.id[0], i);
		assert_int_equal(len, i % 7 == 1 ? 1000000 : 100 * (i % 7));
		assert_int_equal(!text, i % 7 == 0);
		assert_true(!len || memcmp(text, big, len) == 0);
	}
	assert_int_equal(p.n, 0);
	assert_false(pile_take(&id, &text, &len, &p));
	pile_release(&p);
}

static void one_process_extends_a_run(void **state)
{
	struct world *w = *state;
	int status;
	pid_t pid;

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
	char id[COMMIT_ID_LEN + 1];
	cleanup_free char *folder = xasprintf("%s/.git/avogit", w->dir);
	struct gitstore *g = NULL;
	size_t entries = 0;

	make_candidate(id, w, w->base, "int z;\n", 1);
	append_measurement(w->g, id, VERDICT_PASS);
	assert_null(dir_remove(folder));
	assert_null(gitstore_open(&g, w->dir));
	assert_null(read_journal(g, "gemm", count, &entries));
	assert_int_equal(entries, 1);
	append_measurement(g, id, VERDICT_PASS);
	gitstore_close(g);
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(a_candidate_changes_the_sources_and_nothing_else),
		IN_WORLD(a_candidate_that_is_refused_locks_nothing),
		IN_WORLD(a_failure_stays_reachable_with_its_note),
		IN_WORLD(parallel_writers_lose_nothing),
		IN_WORLD(lost_notes_are_put_back),
		IN_WORLD(many_notes_are_cut_into_folders),
		IN_WORLD(all_notes_are_read_at_once),
		cmocka_unit_test(a_pile_is_taken_from_its_top),
		IN_WORLD(one_process_extends_a_run),
		IN_WORLD(it_lives_without_its_own_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
