/*
 * Notes: refs/notes/avogit in git's own layout: a tree whose paths are commit
 * ids, split into folders of two hex digits if there are many. libgit2 writes
 * such trees flat (writing a note then costs as much as there are notes) and
 * loses notes of parallel writers. So note_tree.c writes the tree, and its ref
 * is moved by compare-and-swap.
 */
#include "gitstore/notes/note.h"
#include "gitstore/notes/note_tree.h"

#define NOTE_MAX ((size_t)4 << 20)
/* Notes of others may be longer; no more than this is read. */
#define NOTE_READ_MAX ((size_t)64 << 20)

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
	/* The ref points at a missing commit, because `git gc --prune=now`
	 * during a `git notes add` was seen to remove it; or at an object that
	 * is not a commit. What avogit wrote is in the journals: see mend.c. */
	if (rc == GIT_ENOTFOUND) {
		*tree = (git_oid){{0}};
		return NULL;
	}
	TRY(git_check(rc, "cannot read " NOTES_REF));
	*tree = *git_commit_tree_id(c);
	return NULL;
}

/* Adds a blob's text on lines of its own, unless it is too long: its size is
 * asked first. */
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

/* A note may be at several depths (written by different tools); git shows all
 * of them. */
static struct error *find_text(struct buf *out, struct gitstore *g,
			       const git_oid *tree, const char *commit,
			       unsigned depth)
{
	cleanup_buf struct buf folder = BUF_INIT(0);
	const char *rest = commit + (size_t)2 * depth;
	char two[3] = {rest[0], rest[0] ? rest[1] : '\0', '\0'};
	struct tree_item item;

	TRY(note_folder(&folder, g, tree, commit, depth));
	if (tree_item_find(&item, &folder, rest) && item.blob)
		TRY(add_text(out, g, &item.id, commit));
	if (strlen(rest) > 2 && tree_item_find(&item, &folder, two) &&
	    item.folder)
		return find_text(out, g, &item.id, commit, depth + 1);
	return NULL;
}

struct error *note_text(struct buf *out, struct gitstore *g,
			const git_oid *tree, const char *commit)
{
	cleanup_buf struct buf all = BUF_INIT(NOTE_READ_MAX);

	buf_clear(out);
	if (git_oid_is_zero(tree))
		return NULL;
	TRY(find_text(&all, g, tree, commit, 0));
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

/* ---- an edit ------------------------------------------------------------- */

struct error *note_begin(struct note_edit *n, struct gitstore *g)
{
	*n = (struct note_edit){.g = g};
	TRY(notes_tree(&n->tip, &n->tree, g));
	n->has_parent = !git_oid_is_zero(&n->tree);
	return NULL;
}

static struct error *put_text(struct note_edit *n, const char *commit,
			      const struct buf *text)
{
	git_oid blob, tree;

	TRY(blob_write(&blob, n->g, text->data, text->len));
	TRY(note_tree_put(&tree, n->g, &n->tree, commit, &blob));
	n->tree = tree;
	n->changed++;
	n->last = commit_id(commit);
	return NULL;
}

struct error *note_put(struct note_edit *n, const char *commit,
		       const struct measurement *m)
{
	cleanup_buf struct buf old = BUF_INIT(NOTE_MAX);
	cleanup_buf struct buf text = BUF_INIT(NOTE_MAX);

	TRY(note_text(&old, n->g, &n->tree, commit));
	buf_add(&text, old.data, old.len);
	measurement_note_add(&text, m);
	if (text.len == old.len && memcmp(text.data, old.data, old.len) == 0)
		return NULL;
	return put_text(n, commit, &text);
}

static struct error *say_once(struct gitstore *g, const char *commit,
			      const char *line)
{
	cleanup_buf struct buf text = BUF_INIT(NOTE_MAX);
	struct note_edit n;

	TRY(note_begin(&n, g));
	TRY(note_text(&text, g, &n.tree, commit));
	if (text.len && text.data[text.len - 1] != '\n')
		buf_addc(&text, '\n');
	buf_addf(&text, "%s\n", line);
	if (text.truncated)
		return NULL;
	TRY(put_text(&n, commit, &text));
	return note_commit(&n);
}

struct error *note_say(struct gitstore *g, const char *commit, const char *line)
{
	cleanup_store_lock struct gitstore *held = NULL;
	struct error *err;
	unsigned tries = 0;

	TRY(store_lock(&held, g));
	do
		err = say_once(g, commit, line);
	while (ref_try_again(err, &tries));
	return error_wrap(err, "cannot write the note of %.12s", commit);
}

struct error *note_commit(struct note_edit *n)
{
	cleanup_free char *message = NULL;
	struct commit_spec spec = {.tree = &n->tree};
	git_oid id;

	if (n->changed == 0)
		return NULL;
	message = n->changed == 1
			  ? xasprintf("Note of %.12s\n", n->last.hex)
			  : xasprintf("Notes of %zu commits\n", n->changed);
	spec.message = message;
	if (n->has_parent)
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
	unsigned tries = 0;
	git_oid id;

	TRY(oid_parse(&id, commit));
	TRY(store_lock(&held, g));
	do
		err = add_once(g, commit, m);
	while (ref_try_again(err, &tries));
	return error_wrap(err, "cannot write the note of %.12s", commit);
}
