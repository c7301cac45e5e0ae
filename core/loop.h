/*
 * What the parts of the evolution loop share: evolve.c (the algorithm) and
 * measure.c (an attempt gets its measurement, its place, perhaps the crown).
 * Nobody else includes it.
 */
#ifndef CORE_LOOP_H
#define CORE_LOOP_H

#include "core/evolve.h"

struct loop {
	struct allowance allowance; /* first: cast back */
	struct evolve *e;
	struct population *p;
	struct random random;
	double began;		 /* clock_seconds() of this call */
	double before;		 /* seconds spent by earlier calls */
	int64_t attempts;	 /* made in this call */
	struct spend unrecorded; /* goes into the next entry */
	unsigned idle;		 /* steps in a row without an idea */
	const char *exhausted;
};

void loop_tell(struct loop *l, enum evolve_event event, const struct attempt *a,
	       const char *text);
/* Seconds of work since the start of the run, over all its processes. */
double loop_spent(const struct loop *l);
/* Applies the entry to the population and appends it to the journal: the
 * journal is the state, so what a later process will do when it reads the
 * run is done here the same way. */
struct error *loop_record(struct loop *l, struct entry *e) MUST_CHECK;

/* Measures the attempt `id`, unless a measurement that serves exists. */
struct error *loop_measure(struct loop *l, const char *id) MUST_CHECK;
/* Where two machines crowned apart: the one whose crown came first against the
 * champion. It wins the crown back if it is told faster twice; either way the
 * two have met, and nobody asks again. */
struct error *loop_settle_crowns(struct loop *l) MUST_CHECK;
/* The champion against the start and the baselines, if not done yet: what
 * people ask first, and no chain of ratios answers as well. */
struct error *loop_measure_champion(struct loop *l) MUST_CHECK;

#endif
