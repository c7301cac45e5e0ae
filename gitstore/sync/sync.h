/*
 * Moving runs between repositories: journals, which have one writer each and
 * so only ever grow, notes, which are merged line by line, and where asked
 * logs and branches. What goes over the wire is git's own work (fetch and push
 * with refspecs that are made here), so that ssh, https and credential helpers
 * are the user's.
 *
 * What was fetched lies under refs/avogit-sync/ and refs/notes/avogit-sync
 * until it is taken in; a sync that was killed leaves it there for the next.
 */
#ifndef GITSTORE_SYNC_SYNC_H
#define GITSTORE_SYNC_SYNC_H

#include "gitstore/gitstore.h"

struct sync_options {
	bool branches, logs;
};

/* What would move, as refspecs for git; refs of a name that avogit does not
 * give, of journals that were removed here, and marks of removal never do. */
struct sync_plan {
	struct strvec receive, send;
	/* Neither side's is the other's beginning: never moved. */
	struct strvec diverged;
};
/* `listing`: what `git ls-remote` said of the other side, "ID\tREF" lines. */
struct error *sync_plan_make(struct sync_plan *out, struct gitstore *g,
			     const char *listing,
			     const struct sync_options *o) MUST_CHECK;
void sync_plan_release(struct sync_plan *p);

struct sync_taken {
	size_t journals, logs;
	bool notes;	       /* they changed */
	size_t restored;       /* notes put back from the journals */
	struct strvec refused; /* "REF: why" of what was not taken in */
	struct strvec runs;    /* that have something new */
};
/* Takes in what was fetched: journals first, then notes, which are checked
 * against the journals; then points the branches of runs that changed, unless
 * a process is extending them. */
struct error *sync_take(struct sync_taken *out, struct gitstore *g) MUST_CHECK;
void sync_taken_release(struct sync_taken *t);

DEFINE_RELEASE(sync_plan, struct sync_plan, sync_plan_release)
#define cleanup_sync_plan CLEANUP(sync_plan)
DEFINE_RELEASE(sync_taken, struct sync_taken, sync_taken_release)
#define cleanup_sync_taken CLEANUP(sync_taken)

#endif
