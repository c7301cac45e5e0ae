/*
 * The tree of a candidate, composed of its parent's tree and the sources that
 * were read back. Because of this composition a candidate can change only its
 * sources, so everything is checked here: a source may be a regular file where
 * there was one or nothing, in folders that are really folders.
 */
#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"

/* The updates that turn a tree into a fileset. */
struct diff {
	struct gitstore *g;
	const struct fileset *sources;
	const struct compose *how;
	git_tree *base;
	bool *seen; /* for each source: it is in the base */
	git_tree_update *update;
	size_t n, cap;
};

static struct error *push_update(struct diff *d, git_tree_update_t action,
				 const struct file_entry *f, const char *path,
				 bool executable)
{
	git_tree_update u = {
		.action = action,
		.filemode = executable ? GIT_FILEMODE_BLOB_EXECUTABLE
				       : GIT_FILEMODE_BLOB,
	};

	if (f)
		TRY(blob_write(&u.id, d->g, f->data, f->len));
	/* The caller's path may be freed before the tree is written. */
	u.path = xstrdup(path);
	GROW(d->update, d->n, d->cap);
	d->update[d->n++] = u;
	return NULL;
}

static struct error *is_same_blob(bool *out, const struct file_entry *f,
				  const git_oid *id)
{
	git_oid hash;

	TRY(git_check(git_odb_hash(&hash, f->data, f->len, GIT_OBJECT_BLOB),
		      "cannot hash %s", f->path));
	*out = git_oid_equal(&hash, id);
	return NULL;
}

/* For an entry of the base that matches: kept, changed or removed. */
static struct error *diff_existing(void *arg,
				   const struct tree_source *from UNUSED,
				   const char *path, const git_tree_entry *e)
{
	struct diff *d = arg;
	const struct file_entry *f = fileset_get(d->sources, path);
	bool same;

	if (!entry_is_file(e))
		return entry_not_a_file(path, e);
	if (!f && !d->how->may_remove)
		return error_new(ERROR_REFUSED,
				 "the source %s was removed, which the task "
				 "does not allow (sources: remove)",
				 path);
	if (!f)
		return push_update(d, GIT_TREE_UPDATE_REMOVE, NULL, path,
				   false);
	d->seen[f - d->sources->file] = true;
	TRY(is_same_blob(&same, f, git_tree_entry_id(e)));
	if (same && f->executable == entry_is_executable(e))
		return NULL;
	return push_update(d, GIT_TREE_UPDATE_UPSERT, f, path, f->executable);
}

/* Each folder above the new path must be a folder or absent, and at the path
 * itself there may only be a source that is removed. */
static struct error *check_room(const struct diff *d, const char *path)
{
	for (const char *end = path;; end++) {
		cleanup_git_tree_entry git_tree_entry *e = NULL;
		cleanup_free char *part = NULL;
		int rc;

		end = strchrnul(end, '/');
		part = xstrndup(path, (size_t)(end - path));
		rc = git_tree_entry_bypath(&e, d->base, part);
		if (rc == GIT_ENOTFOUND)
			return NULL;
		TRY(git_check(rc, "cannot look up %s", part));
		if (!*end || git_tree_entry_type(e) != GIT_OBJECT_TREE)
			return error_new(ERROR_REFUSED,
					 "the new source %s cannot be added: "
					 "%s is something else in the "
					 "repository",
					 path, part);
	}
}

static struct error *diff_new(struct diff *d, const struct file_entry *f)
{
	const char *slash = strrchr(f->path, '/');
	const char *name = slash ? slash + 1 : f->path;

	if (!d->how->may_add)
		return error_new(ERROR_REFUSED,
				 "%s is new, and the task does not allow new "
				 "source files (sources: add)",
				 f->path);
	if (starts_with(name, ".git"))
		return error_new(ERROR_REFUSED,
				 "%s is new, and git itself reads files of "
				 "that name: call it something else",
				 f->path);
	TRY(check_room(d, f->path));
	return push_update(d, GIT_TREE_UPDATE_UPSERT, f, f->path,
			   f->executable);
}

static struct error *diff_all(struct diff *d, const git_oid *base)
{
	TRY(tree_each(d->g, base, d->how->patterns, diff_existing, d));
	for (size_t i = 0; i < d->sources->n; i++)
		if (!d->seen[i])
			TRY(diff_new(d, &d->sources->file[i]));
	return NULL;
}

static struct error *apply(git_oid *out, struct diff *d, const git_oid *base)
{
	unsigned tries = 0;
	int rc;

	TRY(diff_all(d, base));
	if (d->n == 0) {
		git_oid_cpy(out, base);
		return NULL;
	}
	do {
		rc = git_tree_create_updated(out, d->g->repo, d->base, d->n,
					     d->update);
	} while (git_transient(rc, &tries));
	return object_written(rc, d->g, out,
			      "cannot write the tree of a candidate");
}

struct error *tree_compose(git_oid *out, struct gitstore *g,
			   const git_oid *base, const struct fileset *sources,
			   const struct compose *how)
{
	cleanup_git_tree git_tree *tree = NULL;
	struct diff d = {.g = g, .sources = sources, .how = how};
	struct error *err;

	if (sources->n == 0)
		return error_new(ERROR_REFUSED,
				 "no source file is left in the workspace");
	TRY(git_check(git_tree_lookup(&tree, g->repo, base),
		      "cannot read the tree of the parent"));
	d.base = tree;
	d.seen = xcalloc(sources->n, sizeof *d.seen);
	err = apply(out, &d, base);
	for (size_t i = 0; i < d.n; i++)
		free((char *)d.update[i].path);
	free(d.update);
	free(d.seen);
	return err;
}
