/*
 * Removing a run from this clone: its branches, journals and logs, and what
 * lies of it in the private folder (logs that a killed process was writing, the
 * cache). Each journal leaves a mark, refs/avogit/RUN/removed/WRITER, which
 * stays at home: a journal with a mark is not read, should a fetch bring it
 * back. A mark is a commit on the empty tree, so that it keeps nothing of the
 * run. A new run of the same name begins with journals of new writers, and so
 * is not mistaken for the old one.
 */
#ifndef GITSTORE_RUN_REMOVE_H
#define GITSTORE_RUN_REMOVE_H

#include "gitstore/gitstore.h"

/* What goes, as names of refs, sorted; `kept` are branches below avo/RUN/ that
 * avogit did not make. Refuses where a work tree has one of them checked
 * out. */
struct removal {
	char run[RUN_NAME_MAX + 1];
	struct strvec branches, journals, logs, kept;
	struct strvec unfinished; /* logs being written: files, by path */
};
struct error *removal_plan(struct removal *out, struct gitstore *g,
			   const char *run) MUST_CHECK;
/* Marks first, journals last: one that was interrupted is done again. The
 * caller holds gitstore_lock_run. Notes stay: a score belongs to a commit,
 * and `git notes --ref=avogit prune` drops those of commits that are gone. */
struct error *removal_do(struct gitstore *g,
			 const struct removal *r) MUST_CHECK;
void removal_release(struct removal *r);

/* The refs of a run, among those of another repository. */
bool ref_is_of_run(const char *ref, const char *run);

DEFINE_RELEASE(removal, struct removal, removal_release)
#define cleanup_removal CLEANUP(removal)

#endif
