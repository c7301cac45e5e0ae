/* Runs as one file, for a machine that this one shares no remote with: a bundle
 * as `git bundle` makes it, of journals, candidates and all that they are made
 * of. */
#ifndef GITSTORE_SYNC_BUNDLE_H
#define GITSTORE_SYNC_BUNDLE_H

#include "gitstore/gitstore.h"

/* Writes the journals of these runs to a file, with every commit that they
 * name. */
struct error *bundle_write(const char *path, const struct gitstore *g,
			   const struct strvec *runs) MUST_CHECK;
/* Takes in the journals of such a file, with the looks of a sync. `refused`: as
 * in struct sync_taken. */
struct error *bundle_take(struct strvec *refused, struct gitstore *g,
			  const char *path) MUST_CHECK;
/* Makes an empty bare repository, unless there is one. */
struct error *bundle_repository(const char *dir) MUST_CHECK;

#endif
