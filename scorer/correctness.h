/*
 * The first phase of a scoring: is it right at all? Every declared case and
 * freshly drawn hidden ones, each kind of contents in turn, one launch each,
 * whole outputs where the reference can afford them.
 */
#ifndef SCORER_CORRECTNESS_H
#define SCORER_CORRECTNESS_H

#include "scorer/check.h"

/* case_error has one figure a declared case, which is raised; `cost` one of
 * what the reference costs there, which is learnt. */
struct error *correctness_check(struct outcome *o, double *case_error,
				struct reference_cost *cost, struct scoring *sc,
				int object_fd, const char *entry) MUST_CHECK;

#endif
