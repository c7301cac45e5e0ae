#include "gitstore/notes/note_check.h"

/* Limit of one note and of one folder: what note.c reads, and 900,000 names. */
#define OBJECT_MAX ((size_t)64 << 20)
/* Limit of all folders together. A folder may be in another one 256 times, and
 * so on, so that a few kilobytes can name more notes than can be counted. */
#define NAMES_MAX ((size_t)1 << 20)

struct note_check {
	struct gitstore *g;
	char name[2 * GIT_OID_HEXSZ + 2]; /* including its folders */
	size_t names;			  /* how many were checked */
};

static struct error *check_object(const struct note_check *w, const git_oid *id,
				  git_object_t want)
{
	git_object_t type;
	size_t size;

	TRY(git_check(git_odb_read_header(&size, &type, w->g->odb, id),
		      "%s in it", w->name));
	if (type != want)
		return error_new(ERROR_MALFORMED, "%s in it is a %s, not a %s",
				 w->name, git_object_type2string(type),
				 git_object_type2string(want));
	if (size > OBJECT_MAX)
		return error_new(ERROR_TOO_BIG,
				 "%s in it has %zu bytes, more than the %zu "
				 "that are looked through",
				 w->name, size, OBJECT_MAX);
	return NULL;
}

static struct error *check_folder(struct note_check *w, const git_oid *id,
				  const git_oid *known);

/* Names are digits of the commit's id, two for a folder, the rest for a note.
 * This also bounds the depth. */
static struct error *check_name(const struct note_check *w, const char *name,
				size_t used, bool folder)
{
	size_t len = strlen(name);

	if (strspn(name, "0123456789abcdef") == len &&
	    (folder ? len == 2 && used + 2 < GIT_OID_HEXSZ
		    : used + len == GIT_OID_HEXSZ))
		return NULL;
	return error_new(ERROR_MALFORMED, "%s in it is not the name of a note",
			 w->name);
}

static struct error *check_entry(struct note_check *w, const git_tree_entry *e,
				 const git_tree_entry *known, size_t used)
{
	const git_oid *id = git_tree_entry_id(e);
	git_filemode_t mode = git_tree_entry_filemode(e);
	bool folder = mode == GIT_FILEMODE_TREE;

	if (known && git_oid_equal(git_tree_entry_id(known), id) &&
	    git_tree_entry_filemode(known) == mode)
		return NULL;
	if (!folder && mode != GIT_FILEMODE_BLOB &&
	    mode != GIT_FILEMODE_BLOB_EXECUTABLE)
		return error_new(ERROR_MALFORMED,
				 "%s in it has mode %06o: that is not a note",
				 w->name, (unsigned)mode);
	TRY(check_name(w, git_tree_entry_name(e), used, folder));
	if (!folder)
		return check_object(w, id, GIT_OBJECT_BLOB);
	return check_folder(w, id, known ? git_tree_entry_id(known) : NULL);
}

/* Sorted, and each once: fsck refuses any other tree, and so do servers. */
static struct error *check_names(struct note_check *w, const git_tree *tree)
{
	size_t n = git_tree_entrycount(tree);

	w->names += n;
	if (w->names > NAMES_MAX)
		return error_new(ERROR_TOO_BIG,
				 "it has more than %zu names of notes",
				 NAMES_MAX);
	for (size_t i = 1; i < n; i++) {
		const char *name =
			git_tree_entry_name(git_tree_entry_byindex(tree, i));

		if (strcmp(git_tree_entry_name(
				   git_tree_entry_byindex(tree, i - 1)),
			   name) >= 0)
			return error_new(ERROR_MALFORMED,
					 "%s%s in it is out of order, or twice",
					 w->name, name);
	}
	return NULL;
}

static struct error *check_folder(struct note_check *w, const git_oid *id,
				  const git_oid *known)
{
	cleanup_git_tree git_tree *tree = NULL, *old = NULL;
	size_t used = strlen(w->name);

	TRY(check_object(w, id, GIT_OBJECT_TREE));
	TRY(git_check(git_tree_lookup(&tree, w->g->repo, id), "%s in it",
		      w->name));
	if (known && git_tree_lookup(&old, w->g->repo, known) < 0)
		old = NULL;
	TRY(check_names(w, tree));
	for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
		const git_tree_entry *e = git_tree_entry_byindex(tree, i);
		const char *name = git_tree_entry_name(e);

		snprintf(w->name + used, sizeof w->name - used, "%s", name);
		TRY(check_entry(w, e,
				old ? git_tree_entry_byname(old, name) : NULL,
				used));
	}
	w->name[used] = '\0';
	return NULL;
}

struct error *note_check(struct gitstore *g, const git_oid *tip,
			 const git_oid *known)
{
	cleanup_git_commit git_commit *c = NULL;
	struct note_check w = {.g = g, .name = ""};
	git_object_t type;
	size_t size;

	TRY(git_check(git_odb_read_header(&size, &type, g->odb, tip),
		      "it cannot be read"));
	if (type != GIT_OBJECT_COMMIT)
		return error_new(ERROR_MALFORMED, "it is a %s, not a commit",
				 git_object_type2string(type));
	if (size > OBJECT_MAX)
		return error_new(ERROR_TOO_BIG, "its commit has %zu bytes",
				 size);
	TRY(git_check(git_commit_lookup(&c, g->repo, tip),
		      "it cannot be read"));
	return check_folder(&w, git_commit_tree_id(c),
			    git_oid_is_zero(known) ? NULL : known);
}
