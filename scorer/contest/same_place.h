/*
 * Launches a kernel several times in the same buffers: with other contents, and
 * then with one changed element of each input in turn, where the reference says
 * that it shows. What is kept by the address of an input, or by its size and some
 * of its elements, is handed out there although it is wrong. All other launches
 * have addresses of their own and contents that differ everywhere.
 */
#ifndef SCORER_CONTEST_SAME_PLACE_H
#define SCORER_CONTEST_SAME_PLACE_H

#include "scorer/contest/check_cases.h"
#include "scorer/contest/check.h"

/* In some of the cases that were launched and were right, of those whose reference
 * and launch are short; cases->one[].whole says of which all rows can be computed.
 * Nothing where the arm cannot launch again in its buffers. */
struct error *same_place_check(struct score_outcome *o, struct scoring *sc,
			       struct arm *arm,
			       const struct check_cases *cases) MUST_CHECK;

#endif
