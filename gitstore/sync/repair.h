/*
 * What a killed process leaves, found and finished: lock files of refs that
 * are avogit's own, git's gc.pid of a dead process, workspaces and half
 * written caches, refs that a sync had fetched and not taken in, notes that
 * the journals have and refs/notes/avogit lacks, branches that do not say what
 * the journals say. Nothing of the user's is touched: a stale index.lock, say,
 * is git's to report.
 */
#ifndef GITSTORE_SYNC_REPAIR_H
#define GITSTORE_SYNC_REPAIR_H

#include "gitstore/gitstore.h"

struct repair {
	struct strvec done; /* a line each, for people */
};
struct error *gitstore_repair(struct repair *out,
			      struct gitstore *g) MUST_CHECK;
/* Reads all loose objects: "the object's file ... is damaged (why)" for each
 * that is; *n is how many there are, *mend what to do about one. */
void gitstore_damaged(struct strvec *damaged, size_t *n, const char **mend,
		      const struct gitstore *g);
void repair_release(struct repair *r);

/* After a run: packs what it wrote, as `git gc --auto` would, by git itself
 * and with the user's settings (gc.auto=0 leaves it). What cannot be packed
 * stays as it is. Quick where there is little to do. */
void gitstore_tidy(struct gitstore *g);

DEFINE_RELEASE(repair, struct repair, repair_release)
#define cleanup_repair CLEANUP(repair)

#endif
