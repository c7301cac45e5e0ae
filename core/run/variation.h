/*
 * The variation operator of AVO, Vary(P) = Agent(P, K, f): it turns a parent
 * into new candidates and decides itself how. The loop hands it a `variation`:
 * the population, a workspace that holds the parent, and the power to have
 * what is in the workspace committed and scored, as often as it likes within
 * the budget.
 */
#ifndef CORE_RUN_VARIATION_H
#define CORE_RUN_VARIATION_H

#include "core/run/allowance.h"
#include "core/run/archive.h"
#include "core/run/evaluator.h"
#include "core/task/task.h"

struct advisor;
struct sandbox;

struct variation {
	const struct task *task;
	const struct population *population;
	size_t parent; /* tip of the lineage: an index of the population */
	int64_t lineage;
	const char *direction; /* the supervisor's, or NULL */
	const char *workspace; /* folder, the repository's top */
	uint64_t seed;	       /* of this step; same run, same seed */
	/* To look with; what is made goes through `score`. */
	struct archive *archive;
	struct evaluator *evaluator;
	const struct sandbox *sandbox; /* may be NULL: none to run things in */

	/* Commits the workspace as a candidate and scores it. *out is borrowed
	 * from the population and valid until the next call; NULL in *out when
	 * the workspace equals the parent or the budget is spent. Where it was
	 * accepted it is the parent from then on: the step goes on from its own
	 * gain, with the workspace as it is. Where the supervisor spoke after
	 * it, lineage, parent and direction are those of a new lineage. */
	struct error *(*score)(struct variation *self,
			       const struct attempt **out, const char *subject,
			       const char *hypothesis,
			       const char *operator_state);
	/* A candidate with these sources will come up soon (`is_sure`), or may:
	 * it is built meanwhile, where that disturbs nobody; what may come
	 * leaves room for what will. False where there is no room just now.
	 * NULL: nothing is built beside a score, so that there is nothing to be
	 * won by choosing early. */
	bool (*foresee)(struct variation *self, const struct fileset *sources,
			bool is_sure);
	/* So many are worth choosing early, each before the one before it is
	 * scored; 0: where foresee is NULL. */
	size_t ahead;
	/* The budget allows another attempt and nobody asked to stop. */
	bool (*may_go_on)(struct variation *self);
	struct allowance *allowance; /* NULL: there is no end to it */
	/* The workspace holds this candidate's sources now, so that what comes
	 * next was edited on it (Avogit-After). */
	void (*goes_on_from)(struct variation *self, const char *id);
	/* Puts what came of this step into the journal, in words. */
	struct error *(*remark)(struct variation *self, const char *text);
	/* Set by the operator where it failed or is exhausted: how or why, in
	 * words. The loop frees it; NULL: nothing to say. */
	char *because;
};

/* What it goes on from. Borrowed from the population until the next score. */
static inline const struct attempt *variation_parent(const struct variation *v)
{
	return &v->population->attempt[v->parent];
}

enum varied {
	VARIED,		  /* at least one candidate was scored */
	VARIED_NOTHING,	  /* no idea from this parent this time */
	VARIED_BARREN,	  /* nothing is left to try from this parent */
	VARIED_FAILED,	  /* nothing came of it, by a fault of the operator */
	VARIED_EXHAUSTED, /* nothing is left to try anywhere */
};

struct variation_operator {
	const char *name;
	struct error *(*vary)(struct variation_operator *self, enum varied *out,
			      struct variation *v);
	void (*free)(struct variation_operator *self);
	/* Why it could never vary a candidate of these files; NULL: it can.
	 * What it cannot vary is no parent. (optional: it can vary any) */
	struct error *(*check)(struct variation_operator *self,
			       const struct fileset *files);
	/* What it will try first, chosen while the parent itself is measured:
	 * nothing can be scored, but v->foresee can be called, and is there.
	 * (optional) */
	struct error *(*look_ahead)(struct variation_operator *self,
				    struct variation *v);
	/* What one attempt takes, about; false: nothing is known or it costs
	 * nothing. (optional) */
	bool (*estimate)(struct variation_operator *self, struct spend *out);
	/* "avogit:MODEL", for the candidates it makes; NULL: no model does. */
	const char *assisted_by;
	/* It asks for no measurement, so it can propose where nothing can be
	 * run (evolve.h). */
	bool proposes;
	/* Who is behind it, for the supervisor to ask: core/run/supervisor.h.
	 * (optional) */
	struct advisor *advisor;
};

#endif
