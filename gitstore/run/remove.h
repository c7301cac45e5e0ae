/*
 * Removes a run from this clone: its branches, journals and logs, and its files
 * in the private folder (logs that a killed process was writing, the cache).
 * Each journal leaves a mark, refs/avogit/RUN/removed/WRITER, which is never
 * sent: a journal with a mark is not read if a fetch brings it back. A mark is
 * a commit on the empty tree, so it keeps nothing of the run reachable. A new
 * run of the same name begins with journals of new writers, so it is not
 * confused with the old one.
 */
#ifndef GITSTORE_RUN_REMOVE_H
#define GITSTORE_RUN_REMOVE_H

#include "gitstore/gitstore.h"

/* The refs to remove, sorted; `kept` are branches below avo/RUN/ that avogit
 * did not make. Refuses if a work tree has one of them checked out. */
struct removal {
	char run[RUN_NAME_MAX + 1];
	struct strvec branches, journals, logs, kept;
	struct strvec unfinished; /* logs being written: files, by path */
};
struct error *removal_plan(struct removal *out, struct gitstore *g,
			   const char *run) MUST_CHECK;
/* Marks first, journals last, so that an interrupted removal can be repeated.
 * The caller holds gitstore_lock_run. Notes stay: a score belongs to a commit,
 * and `git notes --ref=avogit prune` drops those of commits that are gone. */
struct error *removal_do(struct gitstore *g,
			 const struct removal *r) MUST_CHECK;
/* Would it remove a journal that another clone wrote? After a removal of its own
 * journal a clone writes under a new id; the mark tells its old one. */
struct error *removal_is_of_others(bool *out, struct gitstore *g,
				   const struct removal *r) MUST_CHECK;
void removal_release(struct removal *r);

/* Is it a ref of the run, among those of another repository? */
bool ref_is_of_run(const char *ref, const char *run);

DEFINE_RELEASE(removal, struct removal, removal_release)
#define cleanup_removal CLEANUP(removal)

#endif
