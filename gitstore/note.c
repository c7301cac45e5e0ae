/*
 * Notes: refs/notes/avogit as git itself lays it out, a tree whose paths are
 * commit ids, cut into folders of two hex digits where there are many. libgit2
 * writes such trees flat (a note then costs as much as there are notes) and
 * loses notes of parallel writers; so the tree is written here, and its ref
 * moved by compare-and-swap.
 */
#include "gitstore/internal.h"

#define NOTE_MAX ((size_t)4 << 20)
/* What others wrote may be longer. This much is looked through. */
#define NOTE_READ_MAX ((size_t)64 << 20)
/* Notes in one folder before it is cut: with 256 folders at the top that is
 * 16,000 notes before there is a third level. */
#define FOLDER_MAX 64
/* Levels of folders; git's own is the same. */
#define MAX_DEPTH 3

/* ---- reading ------------------------------------------------------------- */

struct error *notes_tree(git_oid *tip, git_oid *tree, struct gitstore *g)
{
	cleanup_git_commit git_commit *c = NULL;
	int rc;

	TRY(ref_read(tip, g, NOTES_REF));
	*tree = *tip;
	if (git_oid_is_zero(tip))
		return NULL;
	rc = git_commit_lookup(&c, g->repo, tip);
	/* `git gc --prune=now` beside `git notes add` was seen to take it. What
	 * avogit wrote is in the journals: see mend.c. */
	if (rc == GIT_ENOTFOUND) {
		*tree = (git_oid){{0}};
		return NULL;
	}
	TRY(git_check(rc, "cannot read " NOTES_REF));
	*tree = *git_commit_tree_id(c);
	return NULL;
}

/* Adds a blob's text on lines of its own, unless it is too long: its size is
 * asked for first. */
static struct error *add_text(struct buf *out, struct gitstore *g,
			      const git_oid *id, const char *commit)
{
	cleanup_free char *what = xasprintf("the note of %s", commit);
	cleanup_buf struct buf b = BUF_INIT(NOTE_READ_MAX);
	git_object_t type;
	size_t len;

	if (git_odb_read_header(&len, &type, g->odb, id) == 0 &&
	    len > NOTE_READ_MAX - out->len) {
		out->truncated = true;
		return NULL;
	}
	TRY(blob_read(&b, g, id, what));
	if (out->len && out->data[out->len - 1] != '\n')
		buf_addc(out, '\n');
	buf_add_text(out, b.data, b.len);
	return NULL;
}

/* `rest`: what of the id is not yet in the path. A note may stand at several
 * depths (written by different tools); git shows all of them. */
static struct error *find_text(struct buf *out, struct gitstore *g,
			       const git_oid *tree, const char *rest,
			       const char *commit)
{
	cleanup_git_tree git_tree *t = NULL;
	const git_tree_entry *e;
	char two[3] = {rest[0], rest[0] ? rest[1] : '\0', '\0'};

	TRY(git_check(git_tree_lookup(&t, g->repo, tree),
		      "cannot read the notes"));
	e = git_tree_entry_byname(t, rest);
	if (e && git_tree_entry_type(e) == GIT_OBJECT_BLOB)
		TRY(add_text(out, g, git_tree_entry_id(e), commit));
	e = strlen(rest) > 2 ? git_tree_entry_byname(t, two) : NULL;
	if (e && git_tree_entry_type(e) == GIT_OBJECT_TREE)
		return find_text(out, g, git_tree_entry_id(e), rest + 2,
				 commit);
	return NULL;
}

struct error *note_text(struct buf *out, struct gitstore *g,
			const git_oid *tree, const char *commit)
{
	cleanup_buf struct buf all = BUF_INIT(NOTE_READ_MAX);

	buf_clear(out);
	if (git_oid_is_zero(tree))
		return NULL;
	TRY(find_text(&all, g, tree, commit, commit));
	if (all.len > out->limit)
		measurement_note_keep(out, all.data, all.len);
	else
		buf_add(out, all.data, all.len);
	out->truncated = all.truncated;
	return NULL;
}

struct error *gitstore_note(char **out, struct gitstore *g, const char *commit)
{
	cleanup_buf struct buf text = BUF_INIT(NOTE_MAX);
	git_oid id, tip, tree;

	TRY(oid_parse(&id, commit));
	TRY(notes_tree(&tip, &tree, g));
	TRY(note_text(&text, g, &tree, commit));
	if (text.truncated)
		return error_new(ERROR_TOO_BIG,
				 "the note of %.12s is over %zu bytes and not "
				 "read: `git notes --ref=avogit remove %.12s` "
				 "takes it away",
				 commit, NOTE_READ_MAX, commit);
	*out = text.len ? buf_take(&text) : NULL;
	return NULL;
}

struct error *note_latest(struct measurement **out, struct gitstore *g,
			  const char *commit)
{
	cleanup_free char *note = NULL;

	*out = NULL;
	TRY(gitstore_note(&note, g, commit));
	if (note)
		*out = measurement_note_latest(note, NULL);
	return NULL;
}

/* ---- writing a tree ------------------------------------------------------ */

struct insertion {
	struct gitstore *g;
	const git_oid *blob;
};

static struct error *new_builder(git_treebuilder **out, struct gitstore *g,
				 const git_oid *tree)
{
	cleanup_git_tree git_tree *t = NULL;

	if (tree)
		TRY(git_check(git_tree_lookup(&t, g->repo, tree),
			      "cannot read the notes"));
	return git_check(git_treebuilder_new(out, g->repo, t),
			 "cannot write the notes");
}

static struct error *put_entry(git_treebuilder *b, const char *name,
			       const git_oid *id, git_filemode_t mode)
{
	return git_check(git_treebuilder_insert(NULL, b, name, id, mode),
			 "cannot write the notes");
}

static struct error *write_builder(git_oid *out, git_treebuilder *b)
{
	unsigned tries = 0;
	int rc;

	do {
		rc = git_treebuilder_write(out, b);
	} while (git_transient(rc, &tries));
	return git_check(rc, "cannot write the notes");
}

/* Notes of this folder, as opposed to folders and what is not a note. */
static bool is_note(const git_tree_entry *e, size_t name_len)
{
	const char *name = git_tree_entry_name(e);

	return git_tree_entry_type(e) == GIT_OBJECT_BLOB &&
	       strlen(name) == name_len &&
	       strspn(name, "0123456789abcdef") == name_len;
}

/* Moves the notes entries [i, end) of t, which begin alike, to a folder. */
static struct error *cut_folder(git_treebuilder *b, struct gitstore *g,
				const git_tree *t, size_t i, size_t end)
{
	cleanup_git_treebuilder git_treebuilder *folder = NULL;
	const git_tree_entry *e = git_tree_entry_byindex(t, i);
	char two[3] = {0};
	const git_tree_entry *there;
	git_oid id;

	memcpy(two, git_tree_entry_name(e), 2);
	there = git_treebuilder_get(b, two);
	TRY(new_builder(&folder, g, there ? git_tree_entry_id(there) : NULL));
	for (; i < end; i++) {
		const char *name;

		e = git_tree_entry_byindex(t, i);
		name = git_tree_entry_name(e);
		TRY(put_entry(folder, name + 2, git_tree_entry_id(e),
			      GIT_FILEMODE_BLOB));
		TRY(git_check(git_treebuilder_remove(b, name),
			      "cannot write the notes"));
	}
	TRY(write_builder(&id, folder));
	return put_entry(b, two, &id, GIT_FILEMODE_TREE);
}

/* Cuts a folder that has grown too big into folders by the next two digits. */
static struct error *cut(git_treebuilder *b, struct gitstore *g,
			 const git_oid *tree, size_t name_len)
{
	cleanup_git_tree git_tree *t = NULL;
	size_t n, end;

	TRY(git_check(git_tree_lookup(&t, g->repo, tree),
		      "cannot read the notes"));
	n = git_tree_entrycount(t);
	for (size_t i = 0; i < n; i = end) {
		const git_tree_entry *e = git_tree_entry_byindex(t, i);

		end = i + 1;
		if (!is_note(e, name_len))
			continue;
		while (end < n &&
		       is_note(git_tree_entry_byindex(t, end), name_len) &&
		       strncmp(git_tree_entry_name(e),
			       git_tree_entry_name(
				       git_tree_entry_byindex(t, end)),
			       2) == 0)
			end++;
		TRY(cut_folder(b, g, t, i, end));
	}
	return NULL;
}

/* Does the folder need to be cut before one more note goes in? Never the top
 * (it has folders from the first note on), never endlessly. */
static bool is_full(git_treebuilder *b, const char *rest, unsigned depth)
{
	return depth > 0 && depth < MAX_DEPTH &&
	       !git_treebuilder_get(b, rest) &&
	       git_treebuilder_entrycount(b) >= FOLDER_MAX;
}

/* The tree with the blob under `rest`, in a folder where there is one, and
 * nowhere above it. `tree` NULL: an empty one. */
static struct error *insert(git_oid *out, const struct insertion *in,
			    const git_oid *tree, const char *rest,
			    unsigned depth)
{
	cleanup_git_treebuilder git_treebuilder *b = NULL;
	char two[3] = {rest[0], rest[1], '\0'};
	bool folder = depth == 0;
	const git_tree_entry *e;
	git_oid below;

	TRY(new_builder(&b, in->g, tree));
	if (!git_treebuilder_get(b, two) && is_full(b, rest, depth)) {
		TRY(cut(b, in->g, tree, strlen(rest)));
		folder = true;
	}
	e = strlen(rest) > 2 ? git_treebuilder_get(b, two) : NULL;
	if (!e && !folder) {
		TRY(put_entry(b, rest, in->blob, GIT_FILEMODE_BLOB));
		return write_builder(out, b);
	}
	TRY(insert(&below, in, e ? git_tree_entry_id(e) : NULL, rest + 2,
		   depth + 1));
	TRY(put_entry(b, two, &below, GIT_FILEMODE_TREE));
	if (git_treebuilder_get(b, rest))
		TRY(git_check(git_treebuilder_remove(b, rest),
			      "cannot write the notes"));
	return write_builder(out, b);
}

/* ---- an edit ------------------------------------------------------------- */

struct error *note_begin(struct note_edit *n, struct gitstore *g)
{
	*n = (struct note_edit){.g = g};
	return notes_tree(&n->tip, &n->tree, g);
}

struct error *note_put(struct note_edit *n, const char *commit,
		       const struct measurement *m)
{
	cleanup_buf struct buf old = BUF_INIT(NOTE_MAX);
	cleanup_buf struct buf text = BUF_INIT(NOTE_MAX);
	struct insertion in = {.g = n->g};
	bool empty = git_oid_is_zero(&n->tree);
	git_oid blob, tree;

	TRY(note_text(&old, n->g, &n->tree, commit));
	buf_add(&text, old.data, old.len);
	measurement_note_add(&text, m);
	if (text.len == old.len && memcmp(text.data, old.data, old.len) == 0)
		return NULL;
	TRY(blob_write(&blob, n->g, text.data, text.len));
	in.blob = &blob;
	TRY(insert(&tree, &in, empty ? NULL : &n->tree, commit, 0));
	n->tree = tree;
	n->changed++;
	snprintf(n->last, sizeof n->last, "%s", commit);
	return NULL;
}

struct error *note_commit(struct note_edit *n)
{
	cleanup_free char *message = NULL;
	struct commit_spec spec = {.tree = &n->tree};
	git_oid id;

	if (n->changed == 0)
		return NULL;
	message = n->changed == 1
			  ? xasprintf("Note of %.12s\n", n->last)
			  : xasprintf("Notes of %zu commits\n", n->changed);
	spec.message = message;
	if (git_odb_exists(n->g->odb, &n->tip))
		spec.parent[spec.n_parents++] = &n->tip;
	TRY(commit_write(&id, n->g, &spec));
	return ref_move(n->g, NOTES_REF, &id, &n->tip);
}

static struct error *add_once(struct gitstore *g, const char *commit,
			      const struct measurement *m)
{
	struct note_edit n;

	TRY(note_begin(&n, g));
	TRY(note_put(&n, commit, m));
	return note_commit(&n);
}

struct error *gitstore_note_add(struct gitstore *g, const char *commit,
				const struct measurement *m)
{
	cleanup_store_lock struct gitstore *held = NULL;
	struct error *err;
	git_oid id;

	TRY(oid_parse(&id, commit));
	TRY(store_lock(&held, g));
	for (int i = 0;; i++) {
		err = add_once(g, commit, m);
		if (!error_is(err, ERROR_MOVED) || i == MAX_CAS_TRIES)
			break;
		error_free(err);
	}
	return error_wrap(err, "cannot write the note of %.12s", commit);
}
