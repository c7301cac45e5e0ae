/* Trees: what of a commit matches a task's patterns. Folders in which nothing
 * can match are not opened: the repository may be large. */
#include "gitstore/internal.h"

bool entry_is_file(const git_tree_entry *e)
{
	git_filemode_t mode = git_tree_entry_filemode(e);

	return mode == GIT_FILEMODE_BLOB ||
	       mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

bool entry_is_executable(const git_tree_entry *e)
{
	return git_tree_entry_filemode(e) == GIT_FILEMODE_BLOB_EXECUTABLE;
}

/* ---- walking ------------------------------------------------------------- */

struct walk {
	struct gitstore *g;
	const struct strvec *patterns;
	tree_entry_fn each;
	void *arg;
	struct error *err;
};

/* Could anything below the folder "dir/" match? Only the part of a pattern
 * before its first wildcard is compared, so a yes may be wrong, a no not. */
static bool may_match_below(const char *dir, const struct strvec *patterns)
{
	for (size_t i = 0; i < patterns->n; i++) {
		const char *pattern = patterns->v[i];
		size_t literal = strcspn(pattern, "*?[\\");

		if (strncmp(dir, pattern, MIN(literal, strlen(dir))) == 0)
			return true;
	}
	return false;
}

static int visit(const char *root, const git_tree_entry *e, void *arg)
{
	struct walk *w = arg;
	bool folder = git_tree_entry_type(e) == GIT_OBJECT_TREE;
	cleanup_free char *path = xasprintf(
		"%s%s%s", root, git_tree_entry_name(e), folder ? "/" : "");

	if (folder)
		return may_match_below(path, w->patterns) ? 0 : 1;
	if (!path_matches(path, w->patterns))
		return 0;
	w->err = w->each(w->arg, path, e);
	return w->err ? GIT_EUSER : 0;
}

struct error *tree_each(struct gitstore *g, const git_oid *tree,
			const struct strvec *patterns, tree_entry_fn each,
			void *arg)
{
	struct walk w = {g, patterns, each, arg, NULL};
	cleanup_git_tree git_tree *t = NULL;
	int rc;

	TRY(git_check(git_tree_lookup(&t, g->repo, tree),
		      "cannot read a tree"));
	rc = git_tree_walk(t, GIT_TREEWALK_PRE, visit, &w);
	if (w.err)
		return w.err;
	return git_check(rc, "cannot read a tree");
}

/* ---- files of a commit --------------------------------------------------- */

struct collect {
	struct gitstore *g;
	struct fileset *files;
	struct strvec *paths;
};

struct error *entry_not_a_file(const char *path, const git_tree_entry *e)
{
	bool link = git_tree_entry_filemode(e) == GIT_FILEMODE_LINK;

	return error_new(ERROR_REFUSED,
			 "%s is a %s: avogit takes regular files only; put the "
			 "file itself there, or keep it out of the task",
			 path, link ? "symbolic link" : "submodule");
}

static struct error *collect_file(void *arg, const char *path,
				  const git_tree_entry *e)
{
	struct collect *c = arg;
	cleanup_buf struct buf b = BUF_INIT(FILESET_MAX_BYTES);

	if (!entry_is_file(e))
		return entry_not_a_file(path, e);
	TRY(blob_read(&b, c->g, git_tree_entry_id(e), path));
	return fileset_put(c->files, path, b.data, b.len,
			   entry_is_executable(e));
}

static struct error *collect_path(void *arg, const char *path,
				  const git_tree_entry *e)
{
	struct collect *c = arg;

	(void)e;
	strvec_push(c->paths, path);
	return NULL;
}

struct error *gitstore_files(struct fileset *out, struct gitstore *g,
			     const char *commit, const struct strvec *patterns)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	struct collect c = {.g = g, .files = &files};
	git_oid tree;

	TRY(commit_tree_id(&tree, g, commit));
	TRY(tree_each(g, &tree, patterns, collect_file, &c));
	return fileset_copy(out, &files);
}

struct error *gitstore_paths(struct strvec *out, struct gitstore *g,
			     const char *commit, const struct strvec *patterns)
{
	struct collect c = {.g = g, .paths = out};
	git_oid tree;

	TRY(commit_tree_id(&tree, g, commit));
	return tree_each(g, &tree, patterns, collect_path, &c);
}

struct error *gitstore_file(struct buf *out, struct gitstore *g,
			    const char *commit, const char *path)
{
	cleanup_git_tree_entry git_tree_entry *e = NULL;
	cleanup_git_tree git_tree *tree = NULL;
	git_oid id;
	int rc;

	TRY(commit_tree_id(&id, g, commit));
	TRY(git_check(git_tree_lookup(&tree, g->repo, &id),
		      "cannot read the tree of %s", commit));
	rc = git_tree_entry_bypath(&e, tree, path);
	if (rc == GIT_ENOTFOUND)
		return error_new(ERROR_NOT_FOUND, "%s is not in commit %.12s",
				 path, commit);
	TRY(git_check(rc, "cannot read %s", path));
	if (!entry_is_file(e))
		return entry_not_a_file(path, e);
	return blob_read(out, g, git_tree_entry_id(e), path);
}
