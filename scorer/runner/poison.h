/*
 * What outputs and workspaces hold before a launch: one random page,
 * repeated. Each pair of its bytes is a NaN of every floating type, none of
 * them the NaN that arithmetic makes, so that an element nobody wrote is
 * told from any result.
 */
#ifndef RUNNER_POISON_H
#define RUNNER_POISON_H

#include "scorer/runner/element_runs.h"

struct poison {
	uint64_t page[LAYOUT_PAGE / sizeof(uint64_t)];
};

void poison_init(struct poison *p, uint64_t seed);
/* Memory that starts at a page boundary of its file. */
void poison_spread(const struct poison *p, void *memory, size_t bytes);
/* The slot of a tensor that is about to be filled, all but its elements: for
 * inputs, so that who reads past them reads no harmless zeros. */
void poison_round(const struct poison *p, unsigned char *region,
		  const struct tensor_layout *t);
/* Checks the slot of a tensor (`region` is where its region begins): guards,
 * then gaps between its rows. */
bool poison_guards_intact(const struct poison *p, const unsigned char *region,
			  const struct tensor_layout *t);
/* How many elements of the tensor nobody wrote, and the first of them.
 * Integers count in groups of eight bytes: alone one may equal poison. */
int64_t poison_left(const struct poison *p, const unsigned char *region,
		    const struct tensor_layout *t, int64_t *first);

#endif
