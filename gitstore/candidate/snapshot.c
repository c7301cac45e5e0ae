/*
 * Reads the user's work tree and never writes to it: how it differs from a
 * commit, and a candidate made of its sources. Contents are those that git
 * would commit (line ends converted). A path with a filter of its own, such as
 * LFS, is refused, because only git runs filters.
 */
#include <git2/sys/repository.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gitstore/candidate/candidate.h"
#include "gitstore/git/submodule.h"

struct worktree_reader {
	struct gitstore *g;
	const struct fileset *raw;    /* as on disk */
	const struct fileset *commit; /* the same paths in the commit */
	bool trust_modes;	      /* core.fileMode */
};

/* ---- reading the work tree ----------------------------------------------- */

/* Settings that decide what git makes of a file of the work tree. */
static const char *const conversions[] = {"core.autocrlf", "core.eol",
					  "core.attributesfile",
					  "core.excludesfile"};

/* A value of a configuration file, quoted. */
static void add_value(struct buf *out, const char *value)
{
	buf_addc(out, '"');
	for (const char *p = value; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_addc(out, '\\');
		if (*p == '\n')
			buf_adds(out, "\\n");
		else
			buf_addc(out, *p);
	}
	buf_adds(out, "\"\n");
}

/* Those that git knows and libgit2 does not (GIT_CONFIG_GLOBAL, `git -c`), as
 * the text of a configuration file. */
static void list_unknown(struct buf *out, struct gitstore *g,
			 const git_config *config)
{
	for (size_t i = 0; i < ARRAY_SIZE(conversions); i++) {
		const char *value = config_get(g, conversions[i]);
		cleanup_git_buf git_buf known = {0};

		if (!value || (git_config_get_string_buf(&known, config,
							 conversions[i]) == 0 &&
			       str_eq(known.ptr, value)))
			continue;
		if (!out->len)
			buf_adds(out, "[core]\n");
		buf_addf(out, "%s = ", conversions[i] + strlen("core."));
		add_value(out, value);
	}
}

/* libgit2 takes settings from files only: this one is in memory. */
static struct error *tell_libgit2(struct gitstore *g)
{
	cleanup_git_config git_config *config = NULL;
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *path = NULL;
	cleanup_fd int fd = -1;

	TRY(git_check(git_repository_config(&config, g->repo),
		      "cannot read git's configuration"));
	list_unknown(&text, g, config);
	if (!text.len)
		return NULL;
	fd = memfd_create("avogit-config", MFD_CLOEXEC);
	if (fd < 0 || write(fd, text.data, text.len) != (ssize_t)text.len)
		return error_errno("cannot keep git's settings");
	path = xasprintf("/proc/self/fd/%d", fd);
	return git_check(git_config_add_file_ondisk(config, path,
						    GIT_CONFIG_LEVEL_APP,
						    g->repo, 1),
			 "cannot use git's settings");
}

/* libgit2 reads attributes through the index, and cannot read a split or sparse
 * index. HEAD's files in memory serve as well, because the index itself does
 * not matter here. */
static struct error *prepare_attributes(struct gitstore *g)
{
	cleanup_git_index git_index *index = NULL, *own = NULL;
	cleanup_git_object git_object *tree = NULL;

	if (g->index_is_readable)
		return NULL;
	TRY(tell_libgit2(g));
	if (git_repository_index(&index, g->repo) == 0) {
		g->index_is_readable = true;
		return NULL;
	}
	TRY(git_check(git_index_new(&own), "cannot make an index"));
	if (git_revparse_single(&tree, g->repo, "HEAD^{tree}") == 0)
		TRY(git_check(git_index_read_tree(own, (git_tree *)tree),
			      "cannot read HEAD"));
	git_repository_set_index(g->repo, own);
	g->index_is_readable = true;
	return NULL;
}

struct error *filter_check(struct gitstore *g, const char *path,
			   const git_oid *commit)
{
	git_attr_options options = {
		.version = GIT_ATTR_OPTIONS_VERSION,
		.flags = GIT_ATTR_CHECK_FILE_THEN_INDEX,
	};
	const char *value = NULL;

	if (commit) {
		options.flags = GIT_ATTR_CHECK_INDEX_ONLY |
				GIT_ATTR_CHECK_INCLUDE_COMMIT;
		options.attr_commit_id = *commit;
	}
	TRY(prepare_attributes(g));
	TRY(git_check(git_attr_get_ext(&value, g->repo, &options, path,
				       "filter"),
		      "cannot read the attributes of %s", path));
	if (git_attr_value(value) == GIT_ATTR_VALUE_STRING)
		return error_new(ERROR_REFUSED,
				 "%s goes through git's filter '%s', which "
				 "avogit does not run: take it out with a line "
				 "`%s -filter` at the end of .gitattributes, "
				 "and commit that",
				 path, value, path);
	TRY(git_check(git_attr_get_ext(&value, g->repo, &options, path,
				       "working-tree-encoding"),
		      "cannot read the attributes of %s", path));
	if (git_attr_value(value) == GIT_ATTR_VALUE_STRING &&
	    strcasecmp(value, "UTF-8") != 0)
		return error_new(ERROR_REFUSED,
				 "%s has the working-tree-encoding '%s', "
				 "which avogit does not convert: keep the "
				 "files of a task out of it in .gitattributes",
				 path, value);
	return NULL;
}

static struct error *convert(git_buf *out, struct gitstore *g,
			     const struct file_entry *f)
{
	cleanup_git_filter_list git_filter_list *filters = NULL;

	TRY(filter_check(g, f->path, NULL));
	TRY(git_check(git_filter_list_load(&filters, g->repo, NULL, f->path,
					   GIT_FILTER_TO_ODB,
					   GIT_FILTER_ALLOW_UNSAFE),
		      "cannot read the attributes of %s", f->path));
	return git_check(git_filter_list_apply_to_buffer(out, filters, f->data,
							 f->len),
			 "cannot convert %s", f->path);
}

/* An untracked file that git ignores does not belong to the task. */
static struct error *is_ignored(bool *out, const struct worktree_reader *r,
				const char *path)
{
	int ignored = 0;

	*out = false;
	if (fileset_get(r->commit, path))
		return NULL;
	TRY(git_check(git_ignore_path_is_ignored(&ignored, r->g->repo, path),
		      "cannot read .gitignore for %s", path));
	*out = ignored;
	return NULL;
}

static struct error *add_file(struct fileset *out,
			      const struct worktree_reader *r,
			      const struct file_entry *f)
{
	const struct file_entry *before = fileset_get(r->commit, f->path);
	bool executable = f->executable;
	cleanup_git_buf git_buf text = {0};
	bool ignored;

	TRY(is_ignored(&ignored, r, f->path));
	if (ignored)
		return NULL;
	if (!r->trust_modes)
		executable = before && before->executable;
	TRY(convert(&text, r->g, f));
	return fileset_put(out, f->path, text.ptr ? text.ptr : "", text.size,
			   executable);
}

/* The patterns, but for a recursive one the files that it found in the commit: it
 * is not meant to find what lies in folders of builds. */
static void without_recursive(struct strvec *out, const struct strvec *patterns,
			      const struct fileset *commit)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (pattern_recursive(patterns->v[i]) < 0)
			strvec_push(out, patterns->v[i]);
	if (out->n == patterns->n)
		return;
	for (size_t i = 0; i < commit->n; i++)
		if (!path_is_named(commit->file[i].path, patterns))
			strvec_push(out, commit->file[i].path);
}

/* Reads the files of the work tree that match, as git would commit them, and
 * the same files of the commit. */
static struct error *read_both(struct fileset *work, struct fileset *commit,
			       struct gitstore *g, const char *id,
			       const struct strvec *patterns)
{
	cleanup_fileset struct fileset raw = FILESET_INIT;
	cleanup_strvec struct strvec there = STRVEC_INIT;
	struct worktree_reader r = {.g = g, .raw = &raw, .commit = commit};
	const char *mode = config_get(g, "core.filemode");

	if (!g->work_dir)
		return error_new(ERROR_REFUSED,
				 "%s is a bare repository and has no work "
				 "tree: name a commit",
				 g->git_dir);
	r.trust_modes = !mode || !str_eq(mode, "false");
	TRY(prepare_attributes(g));
	TRY(gitstore_files(commit, g, id, patterns));
	without_recursive(&there, patterns, commit);
	TRY(fileset_read(&raw, g->work_dir, &there));
	for (size_t i = 0; i < raw.n; i++)
		TRY(add_file(work, &r, &raw.file[i]));
	return NULL;
}

struct error *gitstore_work_files(struct fileset *out, struct gitstore *g,
				  const char *commit,
				  const struct strvec *patterns)
{
	cleanup_fileset struct fileset work = FILESET_INIT;
	cleanup_fileset struct fileset before = FILESET_INIT;

	TRY(read_both(&work, &before, g, commit, patterns));
	return fileset_copy(out, &work);
}

/* ---- what differs -------------------------------------------------------- */

/* Each path once: a submodule is committed as a whole. */
static void push_path(struct strvec *out, const char *path,
		      const struct strvec *submodules)
{
	for (size_t i = 0; i < submodules->n; i++) {
		const char *sub = submodules->v[i];

		if (starts_with(path, sub) && path[strlen(sub)] == '/')
			path = sub;
	}
	if (!strvec_has(out, path))
		strvec_push(out, path);
}

struct error *gitstore_differing(struct strvec *out, struct gitstore *g,
				 const char *commit,
				 const struct strvec *patterns)
{
	cleanup_fileset struct fileset work = FILESET_INIT;
	cleanup_fileset struct fileset old = FILESET_INIT;
	cleanup_strvec struct strvec submodules = STRVEC_INIT;

	TRY(read_both(&work, &old, g, commit, patterns));
	TRY(gitstore_submodules(&submodules, g, commit, patterns));
	for (size_t i = 0; i < old.n; i++) {
		const struct file_entry *f = &old.file[i];

		if (!file_entry_equal(f, fileset_get(&work, f->path)))
			push_path(out, f->path, &submodules);
	}
	for (size_t i = 0; i < work.n; i++)
		if (!fileset_get(&old, work.file[i].path))
			push_path(out, work.file[i].path, &submodules);
	strvec_sort(out);
	return NULL;
}

/* ---- the work tree as a candidate ---------------------------------------- */

/* With the dates of the base, so that the same work tree on the same base
 * always gives the same commit. */
static struct error *commit_snapshot(git_oid *out, struct gitstore *g,
				     const git_oid *tree, const char *base,
				     const char *subject)
{
	cleanup_git_signature git_signature *author = NULL, *committer = NULL;
	cleanup_git_commit git_commit *parent = NULL;
	cleanup_buf struct buf message = BUF_INIT(BUF_LIMIT_TEXT);
	struct commit_spec spec = {.tree = tree, .n_parents = 1};
	int64_t time;

	TRY(commit_lookup(&parent, g, base));
	time = git_commit_time(parent);
	TRY(identity_load(g));
	TRY(identity_at(&author, g->author, time));
	TRY(identity_at(&committer, g->committer, time));
	message_subject(&message, subject);
	buf_addc(&message, '\n');
	spec.author = author;
	spec.committer = committer;
	spec.message = message.data;
	spec.parent[0] = git_commit_id(parent);
	return commit_write(out, g, &spec);
}

struct error *gitstore_snapshot(struct commit_id *id, bool *same,
				struct gitstore *g, const char *base,
				const struct strvec *source_patterns,
				const char *subject)
{
	cleanup_fileset struct fileset work = FILESET_INIT;
	cleanup_fileset struct fileset old = FILESET_INIT;
	const struct compose how = {source_patterns, true, true};
	git_oid before, tree, commit;

	TRY(submodule_refuse_sources(g, base, source_patterns));
	TRY(read_both(&work, &old, g, base, source_patterns));
	TRY(commit_tree_id(&before, g, base));
	TRY(tree_compose(&tree, g, &before, &work, &how));
	*same = git_oid_equal(&tree, &before);
	if (*same) {
		*id = commit_id(base);
		return NULL;
	}
	TRY(commit_snapshot(&commit, g, &tree, base, subject));
	*id = oid_hex(&commit);
	return NULL;
}
