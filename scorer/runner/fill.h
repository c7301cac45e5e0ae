/* The contents of inputs on the CPU, and the use of a recipe's keys. */
#ifndef RUNNER_FILL_H
#define RUNNER_FILL_H

#include "scorer/wire/protocol.h"
#include "scorer/runner/contents.h"
#include "scorer/runner/element_runs.h"

/* The contents of argument i of image `image`; not for FILL_GENERATOR. */
void contents_init(struct contents *out, const struct recipe *r,
		   const struct tensor_layout *t, size_t i, uint32_t image);
/* Fills such an argument; element 0 is at `data`. */
void fill_tensor(void *data, const struct tensor_layout *t, size_t i,
		 const struct recipe *r, uint32_t image);
/* Gives one element another value, of the same kind, if its kind has two. Element
 * 0 of the argument, which is filled, is at `data`. */
void fill_change(void *data, const struct tensor_layout *t,
		 const struct recipe *r, uint32_t image,
		 const struct changed_element *change);
/* The same where the element lies at `here`. */
void fill_changed(void *here, const struct tensor_layout *t,
		  const struct recipe *r, uint32_t image,
		  const struct changed_element *change);
/* Where a row-major index lies, in elements from element 0. */
int64_t fill_place(const struct tensor_layout *t, int64_t element);
/* The seed for the task's generators, the same for all of an image. */
uint64_t recipe_seed(const struct recipe *r, size_t i, uint32_t image);
/* Seed of the poison around the inputs, which the candidate may read. */
uint64_t recipe_gaps(const struct recipe *r);
/* A similar recipe: only static inputs keep their contents, and no element is
 * changed. */
void recipe_other(struct recipe *out, const struct recipe *like,
		  uint64_t number);

#endif
