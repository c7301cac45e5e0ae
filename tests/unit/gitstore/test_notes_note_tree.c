/* What is written byte by byte, held against what git makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <git2/sys/commit.h>

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "gitstore/notes/note.h"
#include "gitstore/notes/note_tree.h"

struct world {
	char *dir;
	struct gitstore *g;
	git_oid tree, blob;
};

/* Runs a shell's command in the repository; its output, trimmed. free() it. */
static char *out_of(const struct world *w, const char *command)
{
	cleanup_process_result struct process_result result = {0};
	const char *argv[] = {"sh", "-c", command, NULL};
	struct process_spec spec = {.argv = argv, .dir = w->dir};

	assert_null(process_run(&result, &spec, BUF_LIMIT_TEXT));
	if (result.exit_code != 0)
		fail_msg("%s: %s", command, result.output.data);
	buf_trim_end(&result.output);
	return buf_take(&result.output);
}

static int make_world(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);

	assert_null(dir_make_temp(&w->dir, "/tmp", "avogit-test-"));
	free(out_of(w, "git init -q -b main ."));
	assert_null(gitstore_open(&w->g, w->dir));
	assert_null(blob_write(&w->blob, w->g, "a note\n", 7));
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

/* The tree that `git mktree` makes of the output of `command`. */
static void make_tree(struct world *w, const char *command)
{
	cleanup_free char *line = xasprintf(
		"b=$(echo other | git hash-object -w --stdin)\n"
		"blob() { printf '%%s blob %%s\\t%%s\\n' $1 $b \"$2\"; }\n"
		"folder() { printf '040000 tree %%s\\t%%s\\n' $1 $2; }\n"
		"{ %s; } | git mktree --missing",
		command);
	cleanup_free char *hex = out_of(w, line);

	assert_null(oid_parse(&w->tree, hex));
}

static struct error *put(struct world *w, const char *commit)
{
	return note_tree_put(&w->tree, w->g, &w->tree, commit, &w->blob);
}

/* Commit number i of those whose ids begin with `from`. */
static void name(struct commit_id *out, const char *from, unsigned i)
{
	snprintf(out->hex, COMMIT_ID_LEN + 1, "%s%0*x", from,
		 (int)(COMMIT_ID_LEN - strlen(from)), i);
}

/* Every path of the tree, a line each; git has found nothing wrong with it. */
static char *paths(const struct world *w)
{
	struct commit_id hex;
	cleanup_free char *check = NULL, *list = NULL;

	hex = oid_hex(&w->tree);
	check = xasprintf("git fsck --strict --no-dangling --no-progress %s",
			  hex.hex);
	list = xasprintf("git ls-tree -r --name-only %s", hex.hex);
	free(out_of(w, check));
	return out_of(w, list);
}

static size_t lines_with(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void notes_lie_below_two_digits(void **state)
{
	struct world *w = *state;
	cleanup_free char *list = NULL;
	struct commit_id id;

	for (unsigned i = 0; i < 300; i++) {
		name(&id, "", 0);
		snprintf(id.hex, 4, "%03x", i * 13 % 4096);
		id.hex[3] = '0';
		assert_null(put(w, id.hex));
		assert_null(put(w, id.hex));
	}
	list = paths(w);
	assert_int_equal(lines_with(list, "/"), 300);
	assert_non_null(strstr(list, "00/0000000000"));
}

/* The 65th note of a folder; folders of the third level that are there. */
static void a_full_folder_is_cut_and_keeps_all(void **state)
{
	struct world *w = *state;
	cleanup_free char *list = NULL;
	struct commit_id id;

	make_tree(w, "t=$({ blob 100644 "
		     "000000000000000000000000000000000009; } | git mktree) "
		     "u=$({ folder $t 7f; blob 100644 zebra; blob 100755 a; } "
		     "| git mktree); folder $u ab");
	for (unsigned i = 0; i < 61; i++) {
		name(&id, i % 2 ? "ab7e" : "ab80", i);
		assert_null(put(w, id.hex));
	}
	name(&id, "ab7f", 1);
	assert_null(put(w, id.hex));
	list = paths(w);
	assert_int_equal(lines_with(list, "ab/7f/"), 2);
	assert_int_equal(lines_with(list, "ab/7e0"), 30);
	free(list);
	name(&id, "ab90", 1);
	assert_null(put(w, id.hex));
	list = paths(w);
	assert_int_equal(lines_with(list, "ab/7e/"), 30);
	assert_int_equal(lines_with(list, "ab/80/"), 31);
	assert_int_equal(lines_with(list, "ab/90/"), 1);
	assert_int_equal(lines_with(list, "ab/7f/"), 2);
	assert_int_equal(lines_with(list, "ab/zebra"), 1);
	assert_int_equal(lines_with(list, "ab/a\n"), 1);
}

/* One that stood above its folder goes; what is not a note stays as it is. */
static void what_else_is_there_stays(void **state)
{
	struct world *w = *state;
	cleanup_free char *list = NULL, *modes = NULL, *command = NULL;
	struct commit_id id, hex;

	make_tree(w, "blob 100644 README; blob 120000 ab-link; "
		     "blob 100755 zz.sh; printf '160000 commit %040d\\tsub\\n' "
		     "1; blob 100644 ab00000000000000000000000000000000000001; "
		     "blob 100644 ab00000000000000000000000000000000000002");
	name(&id, "ab", 1);
	assert_null(put(w, id.hex));
	list = paths(w);
	assert_int_equal(lines_with(list, "\n"), 5);
	assert_non_null(
		strstr(list, "ab/00000000000000000000000000000000000001"));
	assert_null(strstr(list, "ab00000000000000000000000000000000000001"));
	hex = oid_hex(&w->tree);
	command =
		xasprintf("git ls-tree %s | cut -c1-6 | tr '\\n' ' '", hex.hex);
	modes = out_of(w, command);
	assert_string_equal(modes, "100644 120000 040000 100644 160000 100755");
}

static void a_note_changed_by_another_is_seen(void **state)
{
	struct world *w = *state;
	cleanup_buf struct buf text = BUF_INIT(100);
	struct commit_id id;

	name(&id, "ab", 1);
	assert_null(put(w, id.hex));
	assert_null(note_text(&text, w->g, &w->tree, id.hex));
	assert_string_equal(text.data, "a note\n");
	make_tree(w, "t=$({ blob 100644 "
		     "00000000000000000000000000000000000001; } | git mktree); "
		     "folder $t ab");
	assert_null(note_text(&text, w->g, &w->tree, id.hex));
	assert_string_equal(text.data, "other\n");
}

/* A blob in the place of a folder, and a tree whose end is missing. */
static void what_is_no_tree_is_refused(void **state)
{
	struct world *w = *state;
	cleanup_error struct error *err = NULL;
	cleanup_free char *hex = NULL;
	struct commit_id id;

	name(&id, "ab", 1);
	make_tree(w, "blob 100644 ab");
	err = put(w, id.hex);
	assert_true(error_is(err, ERROR_MALFORMED));
	error_free(err);
	hex = out_of(w, "printf '100644 x\\0short' | git hash-object -t tree "
			"-w --literally --stdin");
	assert_null(oid_parse(&w->tree, hex));
	err = put(w, id.hex);
	assert_true(error_is(err, ERROR_MALFORMED));
}

/* libgit2 would write the same; the half hours west of Greenwich too. */
static void a_commit_is_as_libgit2_writes_it(void **state)
{
	struct world *w = *state;
	cleanup_git_signature git_signature *a = NULL, *b = NULL;
	struct commit_spec spec = {.message = "a subject\n\nand more"};
	git_oid ours, first, theirs;
	const git_oid *parents[] = {&first, &first};

	assert_int_equal(git_signature_new(&a, "A. Name", "a@b", 1, -210), 0);
	assert_int_equal(git_signature_new(&b, "B", "b@c", 1e9, 570), 0);
	assert_null(empty_tree(&spec.tree, w->g));
	spec.author = a;
	spec.committer = b;
	assert_null(commit_write(&first, w->g, &spec));
	spec.parent[0] = spec.parent[1] = &first;
	spec.n_parents = 2;
	assert_null(commit_write(&ours, w->g, &spec));
	assert_int_equal(git_commit_create_from_ids(&theirs, w->g->repo, NULL,
						    a, b, NULL, spec.message,
						    spec.tree, 2, parents),
			 0);
	assert_true(git_oid_equal(&ours, &theirs));
}

static void nothing_points_at_what_is_missing(void **state)
{
	struct world *w = *state;
	struct commit_spec spec = {.message = "m", .n_parents = 1};
	git_oid nowhere = {{1}}, id, none = {{0}};
	cleanup_error struct error *err = NULL;

	assert_null(empty_tree(&spec.tree, w->g));
	spec.parent[0] = &nowhere;
	err = commit_write(&id, w->g, &spec);
	assert_true(error_is(err, ERROR_REPO));
	error_free(err);
	err = ref_move(w->g, "refs/avogit/x", &nowhere, &none);
	assert_true(error_is(err, ERROR_REPO));
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(notes_lie_below_two_digits),
		IN_WORLD(a_full_folder_is_cut_and_keeps_all),
		IN_WORLD(what_else_is_there_stays),
		IN_WORLD(a_note_changed_by_another_is_seen),
		IN_WORLD(what_is_no_tree_is_refused),
		IN_WORLD(a_commit_is_as_libgit2_writes_it),
		IN_WORLD(nothing_points_at_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
