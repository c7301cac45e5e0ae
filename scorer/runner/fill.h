/* The contents of inputs on the CPU, and what a recipe's keys are for. */
#ifndef RUNNER_FILL_H
#define RUNNER_FILL_H

#include "scorer/wire/protocol.h"
#include "scorer/runner/contents.h"
#include "scorer/runner/element_runs.h"

/* What argument i of image `image` holds; not for FILL_GENERATOR. */
void contents_init(struct contents *out, const struct recipe *r,
		   const struct tensor_layout *t, size_t i, uint32_t image);
/* Fills it; element 0 is at `data`. */
void fill_tensor(void *data, const struct tensor_layout *t, size_t i,
		 const struct recipe *r, uint32_t image);
/* For the task's own generators: all of an image have the same. */
uint64_t recipe_seed(const struct recipe *r, size_t i, uint32_t image);
/* Seed of the poison around the inputs, which the candidate may read. */
uint64_t recipe_gaps(const struct recipe *r);
/* Another set like it: static inputs are the same, and no other. */
void recipe_other(struct recipe *out, const struct recipe *like,
		  uint64_t number);

#endif
