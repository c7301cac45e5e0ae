/* Trees: the files of a commit that match a task's patterns. Does not open
 * folders in which nothing can match: the repository may be large. */
#include <fnmatch.h>

#include "gitstore/git/submodule.h"

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

struct tree_walk {
	const struct tree_source *from;
	const struct strvec *patterns;
	tree_entry_fn each;
	/* Called for a submodule below which entries may match; NULL: it is an
	 * entry like others. */
	tree_entry_fn enter;
	void *arg;
	struct error *err;
};

/* Could anything below the folder "dir/" match? Compares only the part of a
 * pattern before its first wildcard, so a yes may be wrong, but not a no. */
static bool may_match_below(const char *dir, const struct strvec *patterns)
{
	for (size_t i = 0; i < patterns->n; i++) {
		const char *pattern = patterns->v[i];
		size_t literal = strcspn(pattern, "*?[\\");
		ptrdiff_t folder = pattern_recursive(pattern);

		if (folder >= 0)
			literal = (size_t)folder;
		if (strncmp(dir, pattern, MIN(literal, strlen(dir))) == 0)
			return true;
	}
	return false;
}

/* Does "a/b/" of the folder "a" match as far as the folder goes, with more to
 * follow? A wildcard matches no slash. */
static bool reaches_below(const char *dir, const char *pattern)
{
	for (;;) {
		size_t part = strcspn(pattern, "/"), len = strcspn(dir, "/");
		cleanup_free char *one = xstrndup(pattern, part);
		cleanup_free char *name = xstrndup(dir, len);

		if (!pattern[part] || fnmatch(one, name, 0) != 0)
			return false;
		pattern += part + 1;
		dir += len;
		if (!*pattern || str_eq(pattern, "**") || !*dir)
			return true;
		dir++;
	}
}

static bool any_reaches_below(const char *dir, const struct strvec *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (reaches_below(dir, patterns->v[i]))
			return true;
	return false;
}

static int visit(const char *root, const git_tree_entry *e, void *arg)
{
	struct tree_walk *w = arg;
	bool folder = git_tree_entry_type(e) == GIT_OBJECT_TREE;
	cleanup_free char *path = xasprintf("%s%s%s%s", w->from->prefix, root,
					    git_tree_entry_name(e),
					    folder ? "/" : "");

	if (folder)
		return may_match_below(path, w->patterns) ? 0 : 1;
	if (w->enter && git_tree_entry_filemode(e) == GIT_FILEMODE_COMMIT &&
	    any_reaches_below(path, w->patterns))
		w->err = w->enter(w->arg, w->from, path, e);
	else if (path_matches(path, w->patterns))
		w->err = w->each(w->arg, w->from, path, e);
	return w->err ? GIT_EUSER : 0;
}

static struct error *walk(struct tree_walk *w, const git_oid *tree)
{
	cleanup_git_tree git_tree *t = NULL;
	int rc;

	TRY(git_check(git_tree_lookup(&t, w->from->repo, tree),
		      "cannot read a tree"));
	rc = git_tree_walk(t, GIT_TREEWALK_PRE, visit, w);
	if (w->err)
		return w->err;
	return git_check(rc, "cannot read a tree");
}

static struct tree_source source_of(const struct gitstore *g)
{
	return (struct tree_source){.repo = g->repo,
				    .odb = g->odb,
				    .prefix = "",
				    .work_dir = g->work_dir,
				    .git_dir = g->git_dir};
}

struct error *tree_each(struct gitstore *g, const git_oid *tree,
			const struct strvec *patterns, tree_entry_fn each,
			void *arg)
{
	const struct tree_source from = source_of(g);
	struct tree_walk w = {
		.from = &from, .patterns = patterns, .each = each, .arg = arg};

	return walk(&w, tree);
}

/* ---- files of a commit --------------------------------------------------- */

struct collect {
	struct gitstore *g;
	const struct strvec *patterns;
	tree_entry_fn each;
	/* One of the two is set. */
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

static struct error *collect_file(void *arg, const struct tree_source *from,
				  const char *path, const git_tree_entry *e)
{
	struct collect *c = arg;
	cleanup_buf struct buf b = BUF_INIT(FILESET_MAX_BYTES);

	if (!entry_is_file(e) && !path_is_named(path, c->patterns))
		return NULL;
	if (!entry_is_file(e))
		return entry_not_a_file(path, e);
	if (from->depth)
		TRY(submodule_blob(&b, from, git_tree_entry_id(e), path));
	else
		TRY(blob_read(&b, c->g, git_tree_entry_id(e), path));
	return fileset_put(c->files, path, b.data, b.len,
			   entry_is_executable(e));
}

static struct error *collect_path(void *arg,
				  const struct tree_source *from UNUSED,
				  const char *path,
				  const git_tree_entry *e UNUSED)
{
	struct collect *c = arg;

	strvec_push(c->paths, path);
	return NULL;
}

static struct error *enter_submodule(void *arg, const struct tree_source *from,
				     const char *path, const git_tree_entry *e)
{
	struct collect *c = arg;
	cleanup_submodule struct submodule s = {0};
	struct tree_walk w = {.from = &s.source,
			      .patterns = c->patterns,
			      .each = c->each,
			      .enter = enter_submodule,
			      .arg = c};

	TRY(submodule_open(&s, from, path, git_tree_entry_id(e)));
	return walk(&w, &s.tree);
}

static struct error *collect(struct collect *c, const char *commit,
			     tree_entry_fn enter)
{
	const struct tree_source from = source_of(c->g);
	struct tree_walk w = {.from = &from,
			      .patterns = c->patterns,
			      .each = c->each,
			      .enter = enter,
			      .arg = c};
	git_oid tree;

	TRY(commit_tree_id(&tree, c->g, commit));
	return walk(&w, &tree);
}

struct error *gitstore_files(struct fileset *out, struct gitstore *g,
			     const char *commit, const struct strvec *patterns)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	struct collect c = {.g = g,
			    .patterns = patterns,
			    .each = collect_file,
			    .files = &files};

	TRY(collect(&c, commit, enter_submodule));
	return fileset_copy(out, &files);
}

struct error *gitstore_paths(struct strvec *out, struct gitstore *g,
			     const char *commit, const struct strvec *patterns)
{
	struct collect c = {.g = g,
			    .patterns = patterns,
			    .each = collect_path,
			    .paths = out};

	return collect(&c, commit, enter_submodule);
}

static struct error *pass_over(void *arg UNUSED,
			       const struct tree_source *from UNUSED,
			       const char *path UNUSED,
			       const git_tree_entry *e UNUSED)
{
	return NULL;
}

struct error *gitstore_submodules(struct strvec *out, struct gitstore *g,
				  const char *commit,
				  const struct strvec *patterns)
{
	struct collect c = {
		.g = g, .patterns = patterns, .each = pass_over, .paths = out};

	return collect(&c, commit, collect_path);
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

struct error *gitstore_export(struct gitstore *g, const char *commit,
			      const char *dir)
{
	cleanup_git_commit git_commit *c = NULL;
	git_checkout_options o;

	TRY(commit_lookup(&c, g, commit));
	TRY(git_check(git_checkout_options_init(&o,
						GIT_CHECKOUT_OPTIONS_VERSION),
		      "cannot check out commit %s", commit));
	o.checkout_strategy = GIT_CHECKOUT_FORCE |
			      GIT_CHECKOUT_DONT_UPDATE_INDEX |
			      GIT_CHECKOUT_SKIP_UNMERGED;
	o.target_directory = dir;
	return git_check(git_checkout_tree(g->repo, (const git_object *)c, &o),
			 "cannot check out commit %s", commit);
}
