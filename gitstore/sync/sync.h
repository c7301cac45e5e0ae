/*
 * Moves runs between repositories: journals, which have one writer each and so
 * only grow; notes, which are merged line by line; and on request logs and
 * branches. git itself does the transfer (fetch and push with refspecs that are
 * made here), so ssh, https and credential helpers are the user's.
 *
 * What was fetched is under refs/avogit-sync/ and refs/notes/avogit-sync until
 * it is taken in; the next sync takes in what a killed one left there.
 */
#ifndef GITSTORE_SYNC_SYNC_H
#define GITSTORE_SYNC_SYNC_H

#include "gitstore/gitstore.h"

struct sync_options {
	bool branches, logs;
	/* Only this run, and no notes, which the other side makes from its
	 * journals; NULL: all, where what was scored outside a run (RUN_OUTSIDE)
	 * is received and not sent. */
	const char *run;
};

/* What would move, as refspecs for git. Never moved: refs with names that
 * avogit does not give, journals that were removed here, and their marks. */
struct sync_plan {
	struct strvec receive, send;
	/* Neither side continues the other: never moved. */
	struct strvec diverged;
};
/* `listing`: what `git ls-remote` prints for the other side, "ID\tREF"
 * lines. */
struct error *sync_plan_make(struct sync_plan *out, struct gitstore *g,
			     const char *listing,
			     const struct sync_options *o) MUST_CHECK;
void sync_plan_release(struct sync_plan *p);

struct sync_taken {
	size_t journals, logs;
	bool notes;	       /* they changed */
	size_t restored;       /* notes restored from the journals */
	struct strvec refused; /* "REF: why" of refs that were not taken in */
	struct strvec runs;    /* that have something new */
};
/* Takes in what was fetched: journals first, then notes, which are checked
 * against the journals; then moves the branches of runs that changed, unless a
 * process is extending them. */
struct error *sync_take(struct sync_taken *out, struct gitstore *g) MUST_CHECK;
/* The same for what the user's own `git fetch` brought, with the settings that
 * `avogit init` makes; no logs, which were not asked for. Leaves *out as it is
 * if there is nothing. */
struct error *sync_take_fetched(struct sync_taken *out,
				struct gitstore *g) MUST_CHECK;
void sync_taken_release(struct sync_taken *t);

DEFINE_RELEASE(sync_plan, struct sync_plan, sync_plan_release)
#define cleanup_sync_plan CLEANUP(sync_plan)
DEFINE_RELEASE(sync_taken, struct sync_taken, sync_taken_release)
#define cleanup_sync_taken CLEANUP(sync_taken)

#endif
