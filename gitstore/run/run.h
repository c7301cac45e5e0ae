/*
 * What the files of this module share: a run as git has it.
 */
#ifndef GITSTORE_RUN_RUN_H
#define GITSTORE_RUN_RUN_H

#include "gitstore/git/internal.h"

/* ---- commits.c ------------------------------------------------------------- */

/* The lineage of a candidate of `run`, down to the base, folded into p (empty
 * before) as its journal would be. */
struct error *population_from_commits(struct population *p, struct gitstore *g,
				      const char *run,
				      const char *id) MUST_CHECK;

/* ---- winner.c -------------------------------------------------------------- */

/* One commit on the run's base with the tree of `last`, telling its lineage;
 * *made false where that is the base. */
struct error *story_commit(git_oid *out, bool *made, struct gitstore *g,
			   const struct population *p,
			   const struct attempt *last) MUST_CHECK;

#endif
