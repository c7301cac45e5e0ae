/*
 * Finds and finishes what a killed process leaves: lock files of avogit's own
 * refs, git's gc.pid of a dead process, workspaces and unfinished caches, refs
 * that a sync had fetched and not taken in, notes that the journals have and
 * refs/notes/avogit lacks, branches that do not match the journals. Leaves
 * everything of the user alone: for example, git reports a stale index.lock
 * itself.
 */
#ifndef GITSTORE_SYNC_REPAIR_H
#define GITSTORE_SYNC_REPAIR_H

#include "gitstore/gitstore.h"

struct repair {
	struct strvec done; /* one line each, for people */
};
/* Does all of that. repair_release disposes of *out. */
struct error *gitstore_repair(struct repair *out,
			      struct gitstore *g) MUST_CHECK;
/* Reads all loose objects and adds "the object's file ... is damaged (why)" for
 * each that is; *n is their number, *mend the remedy. */
void gitstore_damaged(struct strvec *damaged, size_t *n, const char **mend,
		      const struct gitstore *g);
void repair_release(struct repair *r);

/* After a run: packs what it wrote, as `git gc --auto` would, by git itself and
 * with the user's settings (gc.auto=0 turns it off). Ignores errors. Quick if
 * there is little to do. */
void gitstore_tidy(struct gitstore *g);

DEFINE_RELEASE(repair, struct repair, repair_release)
#define cleanup_repair CLEANUP(repair)

#endif
