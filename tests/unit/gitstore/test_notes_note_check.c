/* Notes of another repository, looked at before they are merged. */
#include "gitstore/notes/note_check.h"

#include "tests/unit/gitstore/repository.h"

/* Of two commits, as far as a name is concerned. */
#define NAME  "1111111111111111111111111111111111111111"
#define OTHER "2222222222222222222222222222222222222222"
#define BLOB  "$(echo note | git hash-object -w --stdin)"

static const git_oid none;

/* A commit of the tree that `git mktree --missing` makes of the lines. */
static git_oid notes_of(const struct world *w, const char *lines)
{
	return id_of(w,
		     "git commit-tree -m notes $(printf \"%s\" | git mktree "
		     "--missing)",
		     lines);
}

/* A tree of bytes that git would not write. */
static git_oid notes_of_bytes(const struct world *w, const char *bytes,
			      size_t len)
{
	struct commit_id hex;
	git_oid tree;

	assert_int_equal(git_odb_write(&tree, w->g->odb, bytes, len,
				       GIT_OBJECT_TREE),
			 0);
	hex = oid_hex(&tree);
	return id_of(w, "git commit-tree -m notes %s", hex.hex);
}

static void add_name(struct buf *tree, const char *mode, const char *name,
		     const git_oid *id)
{
	buf_addf(tree, "%s %s", mode, name);
	buf_add(tree, "", 1);
	buf_add(tree, id->id, GIT_OID_RAWSZ);
}

static void assert_refused(const struct world *w, git_oid tip, const char *one,
			   const char *other)
{
	assert_says(note_check(w->g, &tip, &none), one, other);
}

static void what_git_writes_is_taken(void **state)
{
	struct world *w = *state;
	git_oid tip;

	do_in(w, "git notes add -m one HEAD");
	tip = id_of(w, "git rev-parse refs/notes/commits");
	assert_null(note_check(w->g, &tip, &none));
	/* Enough for folders. */
	do_in(w,
	      "for i in $(seq 300); do printf 'commit refs/heads/x\\ncommitter "
	      "T <t@t> %%d +0000\\ndata 0\\n\\n' $i; done | git fast-import "
	      "--quiet && git rev-list x | sed 's/$/ x/' | "
	      "while read c x; do printf '%%s %%s\\n' $c $c; done | "
	      "git notes copy --stdin 2>/dev/null; "
	      "for c in $(git rev-list x | head -n 20); do git notes add -f -m "
	      "$c "
	      "$c; done");
	tip = id_of(w, "git rev-parse refs/notes/commits");
	assert_null(note_check(w->g, &tip, &none));
	tip = notes_of(w, "100644 blob " BLOB "\t" NAME "\\n");
	assert_null(note_check(w->g, &tip, &none));
	tip = notes_of(w,
		       "040000 tree $(printf '100755 blob %s\\t%038d\\n' " BLOB
		       " 0 | git mktree)\tab\\n");
	assert_null(note_check(w->g, &tip, &none));
	/* No note at all. */
	tip = notes_of(w, "");
	assert_null(note_check(w->g, &tip, &none));
}

static void a_tip_that_is_no_commit_is_refused(void **state)
{
	struct world *w = *state;

	assert_refused(w, id_of(w, "git rev-parse HEAD^{tree}"), "it is a tree",
		       "not a commit");
	assert_refused(w, id_of(w, "echo x | git hash-object -w --stdin"),
		       "it is a blob", "not a commit");
	do_in(w, "git tag -a -m x annotated");
	assert_refused(w, id_of(w, "git rev-parse annotated"), "it is a tag",
		       "not a commit");
	assert_refused(w, id_of(w, "printf %%040d 7"), "it cannot be read", "");
}

static void what_is_no_file_is_refused(void **state)
{
	struct world *w = *state;
	cleanup_buf struct buf tree = BUF_INIT(BUF_LIMIT_TEXT);
	git_oid other;

	assert_refused(w,
		       notes_of(w, "160000 commit $(git rev-parse HEAD)\t" NAME
				   "\\n"),
		       NAME, "mode 160000");
	assert_refused(w, notes_of(w, "120000 blob " BLOB "\t" NAME "\\n"),
		       NAME, "mode 120000");
	/* Its mode says that it is a file, and it is something else. */
	other = id_of(w, "git rev-parse HEAD^{tree}");
	add_name(&tree, "100644", NAME, &other);
	assert_refused(w, notes_of_bytes(w, tree.data, tree.len), NAME,
		       "is a tree, not a blob");
	buf_clear(&tree);
	other = id_of(w, "git rev-parse HEAD");
	add_name(&tree, "100644", NAME, &other);
	assert_refused(w, notes_of_bytes(w, tree.data, tree.len), NAME,
		       "is a commit, not a blob");
	buf_clear(&tree);
	other = id_of(w, "echo x | git hash-object -w --stdin");
	add_name(&tree, "40000", "ab", &other);
	assert_refused(w, notes_of_bytes(w, tree.data, tree.len), "ab",
		       "is a blob, not a tree");
	assert_refused(
		w, notes_of(w, "100644 blob $(printf %040d 7)\t" NAME "\\n"),
		NAME, "");
}

static void what_is_no_name_of_a_note_is_refused(void **state)
{
	static const char *const name[] = {
		"README",
		"a",
		"abc",
		"111111111111111111111111111111111111111",
		"11111111111111111111111111111111111111111",
		"111111111111111111111111111111111111111G",
		"111111111111111111111111111111111111111 ",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"..",
		".git",
	};
	struct world *w = *state;
	git_oid blob = id_of(w, "echo x | git hash-object -w --stdin");

	for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
		cleanup_buf struct buf file = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_buf struct buf folder = BUF_INIT(BUF_LIMIT_TEXT);
		git_oid empty = id_of(w, "git mktree </dev/null");

		add_name(&file, "100644", name[i], &blob);
		assert_refused(w, notes_of_bytes(w, file.data, file.len),
			       name[i], "is not the name of a note");
		add_name(&folder, "40000", name[i], &empty);
		assert_refused(w, notes_of_bytes(w, folder.data, folder.len),
			       name[i], "is not the name of a note");
	}
}

static void names_twice_or_out_of_order_are_refused(void **state)
{
	static const char *const second[] = {NAME, OTHER};
	struct world *w = *state;
	git_oid blob = id_of(w, "echo x | git hash-object -w --stdin");

	for (size_t i = 0; i < ARRAY_SIZE(second); i++) {
		cleanup_buf struct buf tree = BUF_INIT(BUF_LIMIT_TEXT);

		add_name(&tree, "100644", second[i], &blob);
		add_name(&tree, "100644", NAME, &blob);
		assert_refused(w, notes_of_bytes(w, tree.data, tree.len), NAME,
			       "out of order, or twice");
	}
}

static void a_note_that_is_too_long_is_refused_unread(void **state)
{
	struct world *w = *state;

	assert_refused(
		w,
		notes_of(w, "100644 blob $(head -c 70000000 /dev/zero | git "
			    "hash-object -w --stdin)\t" NAME "\\n"),
		NAME, "70000000 bytes");
}

/* Some kilobytes that name 16 million notes, and a thousand times as many. */
static void folders_in_folders_are_counted(void **state)
{
	struct world *w = *state;

	do_in(w,
	      "t=$(printf '100644 blob %%s\\t%%034d\\n' " BLOB
	      " 0 | git mktree); for i in 1 2 3; do t=$(for n in {0..255}; do "
	      "printf '040000 tree %%s\\t%%02x\\n' $t $n; done | git mktree); "
	      "done; git tag notes $(git commit-tree -m notes $t) && git "
	      "repack -adq");
	reopen(w);
	assert_refused(w, id_of(w, "git rev-parse notes"), "more than",
		       "names of notes");
}

static void damaged_folders_are_refused(void **state)
{
	struct world *w = *state;

	assert_refused(w, notes_of_bytes(w, "100644 cut", 10), "", "");
	assert_refused(w, notes_of_bytes(w, "junk", 4), "", "");
	assert_refused(w, notes_of(w, "040000 tree $(printf %040d 7)\tab\\n"),
		       "ab", "");
}

static void what_is_here_already_is_not_looked_at(void **state)
{
	struct world *w = *state;
	git_oid tip = notes_of(w, "120000 blob " BLOB "\t" NAME "\\n"
				  "100644 blob " BLOB "\t" OTHER "\\n");
	struct commit_id hex;
	git_oid tree;

	hex = oid_hex(&tip);
	tree = id_of(w, "git rev-parse %s^{tree}", hex.hex);
	assert_null(note_check(w->g, &tip, &tree));
	/* The same with another mode is something else. */
	tree = id_of(w, "printf '100644 blob %%s\\t%%s\\n' " BLOB " " NAME
			" | git mktree");
	assert_says(note_check(w->g, &tip, &tree), NAME, "mode 120000");
	/* What is known is not a tree. */
	tree = id_of(w, "echo x | git hash-object -w --stdin");
	assert_says(note_check(w->g, &tip, &tree), NAME, "mode 120000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)
		TEST(what_git_writes_is_taken),
		TEST(a_tip_that_is_no_commit_is_refused),
		TEST(what_is_no_file_is_refused),
		TEST(what_is_no_name_of_a_note_is_refused),
		TEST(names_twice_or_out_of_order_are_refused),
		TEST(a_note_that_is_too_long_is_refused_unread),
		TEST(folders_in_folders_are_counted),
		TEST(damaged_folders_are_refused),
		TEST(what_is_here_already_is_not_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
