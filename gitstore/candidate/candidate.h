/*
 * A candidate as a commit: its message, its tree, and the folders in which
 * candidates are edited.
 */
#ifndef GITSTORE_CANDIDATE_CANDIDATE_H
#define GITSTORE_CANDIDATE_CANDIDATE_H

#include "gitstore/git/internal.h"

/* ---- message.c ------------------------------------------------------------- */

/* One line of at most 72 bytes: no control characters, cut with "...". */
void message_subject(struct buf *out, const char *subject);
/* Paragraphs wrapped at 72 columns. */
void message_body(struct buf *out, const char *text);
/* The body of a commit's message: without its subject and its trailers. */
void message_own_body(struct buf *out, const char *message);
/* Where its trailers begin, the last paragraph if git finds some in it; else its end,
 * without line ends. */
size_t message_trailers_at(const char *message);
/* Adds nothing if the value is NULL or empty. */
void message_trailer(struct buf *out, const char *key, const char *value);
void message_of_proposal(struct buf *out, const struct proposal *p);
/* In a commit that quotes a candidate: the candidate's full id. */
#define TRAILER_OF "Avogit-Of"
/* The last trailer with that key; NULL in *out if there is none. */
struct error *commit_trailer(char **out, const git_commit *c,
			     const char *key) MUST_CHECK;

/* ---- compose.c ------------------------------------------------------------- */

struct compose {
	const struct strvec *patterns; /* of the paths that may differ */
	bool may_add, may_remove;
};
/* The tree of `base` with exactly `sources` in place of what matches. */
struct error *tree_compose(git_oid *out, struct gitstore *g,
			   const git_oid *base, const struct fileset *sources,
			   const struct compose *how) MUST_CHECK;

/* ---- snapshot.c ------------------------------------------------------------ */

/* Refuses a path with a filter of its own, such as LFS: in the work tree's
 * attributes, or with `commit` in that commit's. */
struct error *filter_check(struct gitstore *g, const char *path,
			   const git_oid *commit) MUST_CHECK;

/* ---- workspace.c ----------------------------------------------------------- */

struct workspaces; /* the open ones of one archive */
struct error *workspaces_new(struct workspaces **out,
			     struct gitstore *g) MUST_CHECK;
/* Makes a locked folder with these files. free() disposes of *dir. */
struct error *workspaces_open(char **dir, struct workspaces *ws,
			      const struct fileset *files) MUST_CHECK;
void workspaces_close(struct workspaces *ws, const char *dir);
void workspaces_free(struct workspaces *ws);
/* From now on workspaces are opened at `place`, an absolute path, instead of
 * below the git directory. `chosen`: there and only there, in a folder that is
 * not there yet or empty. Else its last folder is made, one that git ignores,
 * and where `place` is taken a number is added. */
void workspaces_place(struct workspaces *ws, const char *place, bool chosen);
/* A descriptor of the folder with the lock that marks it as in use; -1 if
 * another process has the lock. */
int workspace_lock(const char *dir);
/* placed.c: such a folder, with the lock of the store held. */
struct error *placed_make(char **out, struct gitstore *g, const char *place,
			  bool chosen) MUST_CHECK;
void placed_remove(struct gitstore *g, const char *dir);
/* Adds to *swept. */
struct error *placed_sweep(size_t *swept, struct gitstore *g) MUST_CHECK;
/* Removes the workspaces that killed processes left; *swept: how many. */
struct error *workspaces_sweep(size_t *swept, struct gitstore *g) MUST_CHECK;

#endif
