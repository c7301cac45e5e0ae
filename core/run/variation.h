/*
 * The variation operator of AVO, Vary(P) = Agent(P, K, f): it makes new
 * candidates of a parent and decides itself how. The loop gives it a
 * `variation`: the population, a workspace with the parent's files, and calls
 * that commit and score what is in the workspace, as often as the budget
 * allows.
 */
#ifndef CORE_RUN_VARIATION_H
#define CORE_RUN_VARIATION_H

#include "core/run/allowance.h"
#include "core/run/archive.h"
#include "core/run/evaluator.h"
#include "core/task/task.h"

struct advisor;
struct sandbox;
struct variation_operator;

/* What a role of the operator made in this step, for the journal. */
struct artefact {
	enum role role;
	const char *line; /* for people */
	const char *text; /* the whole of it, many lines; or NULL */
	/* The attempt (id of its commit) that it is about; NULL: one to come,
	 * or none. */
	const char *about;
	struct spend spend; /* of the talk that made it */
};

struct variation {
	const struct task *task;
	const struct population *population;
	size_t parent; /* tip of the lineage: an index of the population */
	int64_t lineage;
	const char *direction; /* from the supervisor, or NULL */
	const char *workspace; /* folder, the repository's top */
	uint64_t seed;	       /* of this step; same run, same seed */
	unsigned agent;	       /* 1, 2, ... of several; 0: the only one */
	/* For reading; new candidates go through `score`. */
	struct archive *archive;
	struct evaluator *evaluator;
	const struct sandbox *sandbox; /* may be NULL: tools cannot be run */

	/* Commits the workspace as a candidate and scores it. *out is borrowed
	 * from the population and valid until the next call; it is NULL if the
	 * workspace equals the parent or the budget is spent. An accepted
	 * candidate is the parent from then on: the step goes on from it, and
	 * the workspace stays as it is. If the supervisor intervened after it,
	 * lineage, parent and direction are those of a new lineage. */
	struct error *(*score)(struct variation *self,
			       const struct attempt **out, const char *subject,
			       const char *hypothesis,
			       const char *operator_state);
	/* The attempt that `score` made last, measured or not; "": none yet. */
	struct commit_id made;
	/* Measures an attempt of the run (id of its commit) again, at length
	 * and against the champion: for one that passed and whose comparison
	 * decided nothing. The workspace holds its sources. Costs an attempt
	 * of the budget and makes none; *out as by score. */
	struct error *(*measure_again)(struct variation *self,
				       const struct attempt **out,
				       const char *id);
	/* A candidate with these sources will be scored soon (`is_sure`), or
	 * may be: it is built in the meantime, if that disturbs no measurement.
	 * One that may be scored leaves builds to sure ones. False: not at the
	 * moment. NULL: nothing is built during a score, so choosing early
	 * gains nothing. */
	bool (*foresee)(struct variation *self, const struct fileset *sources,
			bool is_sure);
	/* How many candidates to choose early, each before the previous one is
	 * scored; 0 if foresee is NULL. */
	size_t ahead;
	/* The budget allows another attempt and no stop was asked for. */
	bool (*may_go_on)(struct variation *self);
	struct allowance *allowance; /* NULL: no limits */
	/* Sweeps the tunables that the workspace's sources declare, on behalf
	 * of an operator with a model: each of its steps is one attempt of this
	 * variation. NULL: there is none. */
	struct variation_operator *tuner;
	/* The workspace now holds this candidate's sources, so the next
	 * candidate was edited on it (Avogit-After). */
	void (*goes_on_from)(struct variation *self, const char *id);
	/* Records a result of this step in the journal, in words. */
	struct error *(*remark)(struct variation *self, const char *text);
	/* Records what a role made; *id is the entry's. (optional) */
	struct error *(*keep_artefact)(struct variation *self,
				       struct commit_id *id,
				       const struct artefact *a);
	/* Ids of the entries of artefacts that the next attempts follow,
	 * separated by spaces; NULL: none. The operator's. */
	const char *artefacts;
	/* Records the operator's state (JSON text) in the journal, as `score`
	 * does with an attempt. (optional) */
	struct error *(*keep_state)(struct variation *self,
				    const char *operator_state);
	/* Saves the step as it is (workspace and spend included) with this state
	 * of the operator's own (JSON text), so that a later process goes on
	 * with it after a kill or an interruption. NULL: the step is over.
	 * (optional) */
	struct error *(*save)(struct variation *self, const char *state);
	/* Where other processes extend the run, too: applies what they have
	 * written since. NULL: there are none. */
	struct error *(*catch_up)(struct variation *self);
	/* Are there such processes now, for whose turn a change may wait? NULL:
	 * no. */
	bool (*has_others)(struct variation *self);
	/* The state that an earlier process saved in the middle of this step;
	 * NULL: the step is new. `attempts`: how many the run had then, with
	 * its base. */
	const char *saved;
	size_t saved_attempts;
	/* Set by an operator that has more than one thread: called with true
	 * before a candidate is built or measured, and with false after that.
	 * In between the population and the archive are not in use, and other
	 * threads may read them. NULL: none does. */
	void (*at_rest)(void *arg, bool begins);
	void *at_rest_arg;
	/* Set by the operator if it failed or is exhausted: how or why, in
	 * words. The loop frees it. May be NULL. */
	char *because;
};

/* The current parent. Borrowed from the population until the next score. */
static inline const struct attempt *variation_parent(const struct variation *v)
{
	return &v->population->attempt[v->parent];
}

/* With several agents others use the run then, so that no other thread of the
 * operator may. */
static inline void variation_at_rest(const struct variation *v, bool begins)
{
	if (v && v->allowance && v->allowance->away)
		allowance_away(v->allowance, begins);
	else if (v && v->at_rest)
		v->at_rest(v->at_rest_arg, begins);
}

enum varied {
	VARIED,		  /* at least one candidate was scored */
	VARIED_NOTHING,	  /* no idea from this parent this time */
	VARIED_DEAD_END,  /* nothing is left to try from this parent */
	VARIED_FAILED,	  /* no result, by a fault of the operator */
	VARIED_EXHAUSTED, /* nothing is left to try anywhere */
};

struct variation_operator {
	const char *name;
	struct error *(*vary)(struct variation_operator *self, enum varied *out,
			      struct variation *v);
	void (*free)(struct variation_operator *self);
	/* Why it could never vary a candidate with these files, which then does
	 * not become a parent; NULL: it can. (optional: it can vary all) */
	struct error *(*check)(struct variation_operator *self,
			       const struct fileset *files);
	/* Lets it choose what it will try first while the parent is still being
	 * measured: it cannot score, but it can call v->foresee, which is set.
	 * (optional) */
	struct error *(*look_ahead)(struct variation_operator *self,
				    struct variation *v);
	/* Of a tuner: writes the best point that was measured of the sources in
	 * the workspace into them. *out: that attempt, borrowed as by score;
	 * NULL: none passed, and nothing is written. (optional) */
	struct error *(*take_best)(struct variation_operator *self,
				   const struct attempt **out,
				   struct variation *v);
	/* What one attempt costs, approximately; false: unknown, or it costs
	 * nothing. (optional) */
	bool (*estimate)(struct variation_operator *self, struct spend *out);
	/* Of the price in the estimate, for people: its date, or how to set it.
	 * (optional) */
	const char *price_note;
	/* "avogit:MODEL", for the candidates it makes; NULL: without a
	 * model. */
	const char *assisted_by;
	/* It never needs a measurement, so it can propose where nothing can be
	 * run (evolve.h). */
	bool proposes;
	/* The advisor that the supervisor asks (core/run/supervisor.h), if the
	 * operator has one. (optional) */
	struct advisor *advisor;
};

#endif
