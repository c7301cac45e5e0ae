/*
 * Where an operator works in a step: a workspace, and the calls of a variation.
 * Part of the loop: only its files include it (loop.h).
 */
#ifndef CORE_RUN_BENCH_H
#define CORE_RUN_BENCH_H

#include "core/run/loop.h"

struct agent;

struct bench {
	struct variation v; /* must be first: callbacks cast it to the bench */
	struct loop *l;
	struct variation_operator *operator_; /* borrowed */
	struct agent *agent; /* whose it is; NULL: the run's only one */
	struct island island;
	size_t newest; /* lineage of the island that the step knows of */
	struct workspace workspace;
	struct candidate base; /* the parent's files; loaded when needed */
	/* The candidate that the workspace was edited on, if that is not the
	 * parent; else "". */
	struct commit_id after;
};

/* A new bench begins with the tip of the lineage. bench_close disposes. */
struct error *bench_open(struct bench *b, struct loop *l,
			 const struct lineage *lineage,
			 uint64_t seed) MUST_CHECK;
void bench_close(struct bench *b);
/* The candidate that the workspace would be now, without an id.
 * candidate_release disposes. */
struct error *bench_candidate(struct candidate *out,
			      struct bench *b) MUST_CHECK;

/* variation.score and variation.measure_again, in the thread of the loop. */
struct error *bench_score(struct variation *v, const struct attempt **out,
			  const char *subject, const char *hypothesis,
			  const char *operator_state) MUST_CHECK;
struct error *bench_measure_again(struct variation *v,
				  const struct attempt **out,
				  const char *id) MUST_CHECK;

#endif
