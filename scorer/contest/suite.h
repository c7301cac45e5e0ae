/*
 * What the suite that a problem was imported from would say of a candidate, by
 * its own rule: KernelBench calls a kernel correct if, in five trials, all its
 * outputs are within 1e-2 + 1e-2 |right| of the right ones (torch.allclose).
 * It decides nothing here.
 *
 * The trials are launches like those that correctness.h checks: contents as the
 * problem draws them (normal, or uniform where the task says so), outputs over
 * poison, the reference in another process. Right is what the reference says,
 * in double; KernelBench takes the problem's code in its own precision.
 */
#ifndef SCORER_CONTEST_SUITE_H
#define SCORER_CONTEST_SUITE_H

#include "scorer/host/context.h"

#define SUITE_TRIALS 5

/* *passed: how many of SUITE_TRIALS the candidate passes. Not for CUDA. */
struct error *suite_check(size_t *passed, struct scoring *sc,
			  const struct build *build) MUST_CHECK;

#endif
