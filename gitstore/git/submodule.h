/*
 * Submodules: the files that a commit has below one, read from the objects of
 * the submodule's own repository, at the commit that is recorded there. Never
 * reads its work tree, in which the user may be working, and fetches nothing.
 */
#ifndef GITSTORE_GIT_SUBMODULE_H
#define GITSTORE_GIT_SUBMODULE_H

#include "gitstore/git/internal.h"

/* At most so many submodules are nested. */
#define SUBMODULE_DEPTH 16

struct submodule {
	struct tree_source source;
	git_oid tree;
	/* Owned; the source borrows them. */
	char *prefix, *work_dir, *git_dir;
};

/* The submodule at `path` (from the top of the outermost repository), which
 * `above` records at this commit. ERROR_REPO with the command to run if its
 * repository, or that commit, is missing. */
struct error *submodule_open(struct submodule *out,
			     const struct tree_source *above, const char *path,
			     const git_oid *commit) MUST_CHECK;
void submodule_release(struct submodule *s);
DEFINE_RELEASE(submodule, struct submodule, submodule_release)
#define cleanup_submodule CLEANUP(submodule)

/* As blob_read, for a file of a submodule. */
struct error *submodule_blob(struct buf *out, const struct tree_source *from,
			     const git_oid *id, const char *path) MUST_CHECK;
/* Refuses patterns of sources that reach into a submodule: a candidate is a
 * commit of this repository and cannot change another. */
struct error *submodule_refuse_sources(struct gitstore *g, const char *commit,
				       const struct strvec *patterns)
	MUST_CHECK;

#endif
