/*
 * Commits as one file, for a machine that measures them (cmd/launch): a bundle
 * as `git bundle` makes it, with all that the commits are made of except what
 * the other side has. It is made beside the repository, whose refs stay as they
 * are.
 */
#ifndef GITSTORE_SYNC_PARCEL_H
#define GITSTORE_SYNC_PARCEL_H

#include "gitstore/gitstore.h"

/* Makes what parcel_write needs below `folder`, once. */
struct error *parcel_prepare(const struct gitstore *g,
			     const char *folder) MUST_CHECK;
/* Writes these commits (ids) to `path`. Those in `there`, and what they are made
 * of, the other side has: the bundle needs them, and is not whole. An empty
 * file if nothing is left to send. */
struct error *parcel_write(const char *path, const char *folder,
			   const struct strvec *commits,
			   const struct strvec *there) MUST_CHECK;
/* Takes in such a file, and keeps its commits; nothing if it is empty. *taken is
 * false if it is no bundle, or commits that it needs are missing here, with
 * git's words in *why. */
struct error *parcel_take(bool *taken, struct buf *why, struct gitstore *g,
			  const char *path) MUST_CHECK;
/* Is the commit here, from a parcel or otherwise? */
bool parcel_has(struct gitstore *g, const char *commit);

#endif
