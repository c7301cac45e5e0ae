/*
 * The first phase of a scoring: is it right at all? Every declared case and
 * freshly drawn hidden ones, each kind of contents in turn, one launch each,
 * whole outputs where the reference can afford them. One launch is made twice
 * with the same inputs, elsewhere and over other poison: do the same bits
 * come out?
 */
#ifndef SCORER_CONTEST_CORRECTNESS_H
#define SCORER_CONTEST_CORRECTNESS_H

#include "core/base/hash.h"
#include "scorer/contest/check.h"
#include "scorer/wire/gpu_protocol.h"

struct correctness {
	/* One a declared case, borrowed: the worst error, which is raised, and
	 * what the reference costs there, which is learnt. */
	double *case_error;
	struct reference_cost *cost;
	bool repeated; /* a launch was made twice ... */
	bool repeats;  /* ... and left the same bits */
	/* CUDA, class replayed: what it launches in the declared cases, with
	 * what code; "": not known. */
	char code[HASH_HEX_LEN + 1];
};

struct error *correctness_check(struct score_outcome *o,
				struct correctness *found, struct scoring *sc,
				int object_fd) MUST_CHECK;

#endif
