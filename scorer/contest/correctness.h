/*
 * The first phase of a scoring: is the candidate right? It checks one launch of
 * every declared case and of newly drawn hidden ones, each kind of contents in
 * turn, and whole outputs if the reference is fast enough. One launch is made
 * twice with the same inputs, at other addresses and over other poison, to see
 * whether it leaves the same bits; with several threads those of declared cases
 * many times, and what differs is checked. At the end some launches follow each
 * other in the same buffers (same_place.h).
 */
#ifndef SCORER_CONTEST_CORRECTNESS_H
#define SCORER_CONTEST_CORRECTNESS_H

#include "core/base/hash.h"
#include "scorer/contest/check.h"
#include "scorer/wire/gpu_protocol.h"

struct build;

struct correctness {
	/* One for each declared case, borrowed: the worst error, which is
	 * raised, and the cost of the reference, which is measured. */
	double *case_error;
	struct reference_cost *cost;
	const struct fileset *files; /* the candidate's; borrowed */
	struct buf *checked;	     /* gets the hidden cases; borrowed */
	struct buf *unreached;	     /* as check_cases_unreached; borrowed */
	unsigned repeats;	     /* launches with the inputs of another */
	unsigned unlike;	     /* of these, with other bits */
	/* CUDA, class replayed: hash of the launches in the declared cases and
	 * of their code; "": not known. */
	char code[HASH_HEX_LEN + 1];
};

struct error *correctness_check(struct score_outcome *o,
				struct correctness *found, struct scoring *sc,
				const struct build *build) MUST_CHECK;

#endif
