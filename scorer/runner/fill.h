/*
 * The contents of inputs. Every element is a hash of the seed, the argument
 * and its index, so it is made without state, in any order, and a compiler
 * can do many at once. Normal numbers are sums of four uniforms (they end at
 * 3.46 deviations) with random low bits, so that no product of two is exact.
 */
#ifndef RUNNER_FILL_H
#define RUNNER_FILL_H

#include "scorer/protocol.h"
#include "scorer/runner/runs.h"

/* Fills argument i of a launch, whose element 0 is at `data`; not for
 * FILL_GENERATOR. */
void fill_tensor(void *data, const struct tensor_layout *t, size_t i,
		 const struct recipe *recipe);
/* Seeds of the same stream that must not meet: image k of a batch. */
uint64_t fill_seed(uint64_t seed, uint64_t k);

#endif
