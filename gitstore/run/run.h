/*
 * Shared by the files of this module: a run as git stores it.
 */
#ifndef GITSTORE_RUN_RUN_H
#define GITSTORE_RUN_RUN_H

#include "gitstore/git/internal.h"

/* ---- commits.c ------------------------------------------------------------- */

/* Folds the lineage of a candidate of `run`, down to the base, into p (empty
 * before), as the run's journal would. */
struct error *population_from_commits(struct population *p, struct gitstore *g,
				      const char *run,
				      const char *id) MUST_CHECK;

/* ---- winner.c -------------------------------------------------------------- */

/* One commit on the run's base with the tree of `last` and a message with its
 * lineage; *made is false if `last` is the base. */
struct error *story_commit(git_oid *out, bool *made, struct gitstore *g,
			   const struct population *p,
			   const struct attempt *last) MUST_CHECK;

#endif
