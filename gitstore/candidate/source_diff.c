#include "gitstore/candidate/source_diff.h"

#include "gitstore/git/internal.h"

#define TEXT_MAX ((size_t)256 << 20)

struct source_diff {
	git_diff *diff;
};

void source_diff_free(struct source_diff *d)
{
	if (!d)
		return;
	git_diff_free(d->diff);
	free(d);
}

static struct source_diff *wrap(git_diff *diff)
{
	struct source_diff *d = xcalloc(1, sizeof *d);

	d->diff = diff;
	return d;
}

/* ---- of two commits ------------------------------------------------------ */

/* A result above zero leaves the file out. */
static int is_unwanted(const git_diff *so_far, const git_diff_delta *delta,
		       const char *matched, void *patterns)
{
	(void)so_far;
	(void)matched;
	return !path_matches(delta->old_file.path, patterns) &&
	       !path_matches(delta->new_file.path, patterns);
}

static struct error *tree_of(git_tree **out, struct gitstore *g, const char *id)
{
	cleanup_git_commit git_commit *c = NULL;

	TRY(commit_lookup(&c, g, id));
	return git_check(git_commit_tree(out, c),
			 "cannot read the tree of commit %s", id);
}

struct error *source_diff_commits(struct source_diff **out, struct gitstore *g,
				  const char *from, const char *to,
				  const struct strvec *patterns)
{
	git_diff_options options;
	cleanup_git_diff git_diff *diff = NULL;
	cleanup_git_tree git_tree *old = NULL, *new = NULL;

	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	if (patterns) {
		options.notify_cb = is_unwanted;
		options.payload = (void *)(uintptr_t)patterns;
	}
	options.flags = GIT_DIFF_INDENT_HEURISTIC;
	TRY(tree_of(&old, g, from));
	TRY(tree_of(&new, g, to));
	TRY(git_check(git_diff_tree_to_tree(&diff, g->repo, old, new, &options),
		      "cannot compare %.12s with %.12s", from, to));
	TRY(git_check(git_diff_find_similar(diff, NULL),
		      "cannot compare %.12s with %.12s", from, to));
	*out = wrap(diff);
	diff = NULL;
	return NULL;
}

/* ---- of files ------------------------------------------------------------ */

static const struct file_entry *file_at(const struct fileset *fs, size_t at)
{
	static const struct file_entry none;

	return at < fs->n ? &fs->file[at] : &none;
}

/* A path of NULL: the file was added or removed, so this side has none. */
static struct error *add_pair(struct buf *text, const struct file_entry *old,
			      const struct file_entry *new)
{
	const char *name = new->path ? new->path : old->path;
	git_diff_options options;
	cleanup_git_patch git_patch *patch = NULL;
	cleanup_git_buf git_buf b = {0};

	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.flags = GIT_DIFF_INDENT_HEURISTIC;
	TRY(git_check(git_patch_from_buffers(&patch, old->data, old->len,
					     old->path, new->data, new->len,
					     new->path, &options),
		      "cannot compare %s", name));
	TRY(git_check(git_patch_to_buf(&b, patch), "cannot compare %s", name));
	buf_add(text, b.ptr, b.size);
	return NULL;
}

struct error *source_diff_files(struct source_diff **out,
				const struct fileset *from,
				const struct fileset *to)
{
	cleanup_buf struct buf text = BUF_INIT(TEXT_MAX);
	git_diff *diff = NULL;

	for (size_t i = 0; i < MAX(from->n, to->n); i++)
		TRY(add_pair(&text, file_at(from, i), file_at(to, i)));
	TRY(git_check(git_diff_from_buffer(&diff, text.data, text.len),
		      "cannot compare the sources"));
	*out = wrap(diff);
	return NULL;
}

/* ---- showing it ---------------------------------------------------------- */

struct diff_callback {
	diff_line_fn each;
	void *arg;
};

static enum diff_line kind_of(char origin)
{
	switch (origin) {
	case GIT_DIFF_LINE_ADDITION:
		return DIFF_ADDED;
	case GIT_DIFF_LINE_DELETION:
		return DIFF_REMOVED;
	case GIT_DIFF_LINE_CONTEXT:
		return DIFF_CONTEXT;
	case GIT_DIFF_LINE_HUNK_HDR:
		return DIFF_HUNK;
	case GIT_DIFF_LINE_FILE_HDR:
	case GIT_DIFF_LINE_BINARY:
		return DIFF_META;
	default:
		return DIFF_REMARK;
	}
}

static int print_line(const git_diff_delta *delta, const git_diff_hunk *hunk,
		      const git_diff_line *line, void *arg)
{
	const struct diff_callback *p = arg;
	cleanup_buf struct buf text = BUF_INIT(TEXT_MAX);
	enum diff_line kind = kind_of(line->origin);

	(void)delta;
	(void)hunk;
	if (kind == DIFF_ADDED || kind == DIFF_REMOVED || kind == DIFF_CONTEXT)
		buf_addc(&text, line->origin);
	buf_add(&text, line->content, line->content_len);
	p->each(p->arg, kind, text.data, text.len);
	return 0;
}

struct error *source_diff_print(const struct source_diff *d, diff_line_fn each,
				void *arg)
{
	struct diff_callback p = {each, arg};

	return git_check(git_diff_print(d->diff, GIT_DIFF_FORMAT_PATCH,
					print_line, &p),
			 "cannot print the difference");
}

struct error *source_diff_stat(struct buf *out, const struct source_diff *d,
			       size_t width)
{
	cleanup_git_diff_stats git_diff_stats *stats = NULL;
	cleanup_git_buf git_buf text = {0};

	TRY(git_check(git_diff_get_stats(&stats, d->diff),
		      "cannot count the difference"));
	TRY(git_check(git_diff_stats_to_buf(&text, stats, GIT_DIFF_STATS_FULL,
					    width),
		      "cannot count the difference"));
	buf_add(out, text.ptr, text.size);
	return NULL;
}

/* ---- as text --------------------------------------------------------------- */

static void add_line(void *arg, enum diff_line kind UNUSED, const char *text,
		     size_t len)
{
	buf_add(arg, text, len);
}

struct error *candidate_diff(struct buf *text, struct gitstore *g,
			     const char *from, const char *to,
			     const struct strvec *patterns)
{
	struct source_diff *d = NULL;
	struct error *err;

	TRY(source_diff_commits(&d, g, from, to, patterns));
	err = source_diff_print(d, add_line, text);
	source_diff_free(d);
	return err;
}

/* What one side lacks is an empty file there: files are compared in order. */
static struct error *fill_up(struct fileset *out, const struct fileset *own,
			     const struct fileset *other)
{
	TRY(fileset_copy(out, own));
	for (size_t i = 0; i < other->n; i++)
		if (!fileset_get(own, other->file[i].path))
			TRY(fileset_put(out, other->file[i].path, "", 0,
					false));
	return NULL;
}

struct error *fileset_diff(struct buf *text, const struct fileset *from,
			   const struct fileset *to)
{
	cleanup_fileset struct fileset before = FILESET_INIT;
	cleanup_fileset struct fileset after = FILESET_INIT;
	cleanup_source_diff struct source_diff *d = NULL;

	TRY(fill_up(&before, from, to));
	TRY(fill_up(&after, to, from));
	TRY(source_diff_files(&d, &before, &after));
	return source_diff_print(d, add_line, text);
}
