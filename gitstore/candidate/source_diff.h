/*
 * The difference of two sets of sources, as git computes and prints it: with
 * renames, and hunks by git's own indent heuristic. It runs no program of the
 * user (textconv, external diff).
 */
#ifndef GITSTORE_CANDIDATE_SOURCE_DIFF_H
#define GITSTORE_CANDIDATE_SOURCE_DIFF_H

#include "gitstore/gitstore.h"

struct source_diff;

/* Of two commits: the paths that match (`patterns` NULL: every path). */
struct error *source_diff_commits(struct source_diff **out, struct gitstore *g,
				  const char *from, const char *to,
				  const struct strvec *patterns) MUST_CHECK;
/* Compares files with different names, the first with the first and so on: a
 * baseline seldom has the name of the kernel. */
struct error *source_diff_files(struct source_diff **out,
				const struct fileset *from,
				const struct fileset *to) MUST_CHECK;
void source_diff_free(struct source_diff *d);

enum diff_line {
	DIFF_META, /* one or more lines of a file's header */
	DIFF_HUNK,
	DIFF_CONTEXT,
	DIFF_ADDED,
	DIFF_REMOVED,
	DIFF_REMARK, /* "\ No newline at end of file" */
};
/* `text` is the line with its '+', '-' or blank and its newline; its `len`
 * bytes may be any. */
typedef void (*diff_line_fn)(void *arg, enum diff_line kind, const char *text,
			     size_t len);
struct error *source_diff_print(const struct source_diff *d, diff_line_fn each,
				void *arg) MUST_CHECK;
/* In the form of `git diff --stat`, in `width` columns. */
struct error *source_diff_stat(struct buf *out, const struct source_diff *d,
			       size_t width) MUST_CHECK;

/* Adds the difference of two commits in what matches, as a patch, up to the
 * limit of *text. */
struct error *candidate_diff(struct buf *text, struct gitstore *g,
			     const char *from, const char *to,
			     const struct strvec *patterns) MUST_CHECK;
/* The same for files: each with that of its name. */
struct error *fileset_diff(struct buf *text, const struct fileset *from,
			   const struct fileset *to) MUST_CHECK;

DEFINE_CLEANUP(source_diff, struct source_diff, source_diff_free)
#define cleanup_source_diff CLEANUP(source_diff)

#endif
