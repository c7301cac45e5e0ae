/*
 * Hidden cases that a short key does not tell from the one before: the last ones of
 * hidden_steps.h, of which this is a part. A kernel that keeps a table for
 * 3 * rows + cols, or for cols % 48, finds the table of other sizes. So there are,
 * for the symbols that change there,
 *
 *  - two sizes that change so that a * one + b * other stays: with 1 and 3, 2 and 3,
 *    1 and 4, either way round, and 1 with a number of the candidate's sources, and
 *    with one of a list;
 *  - one size that changes by a number of the sources, or by one of a few that many
 *    moduli divide.
 *
 * What does not fit into the ranges is left out. Keys of other numbers remain.
 */
#ifndef CORE_TASK_HIDDEN_KEYS_H
#define CORE_TASK_HIDDEN_KEYS_H

#include "core/task/hidden.h"

#define HIDDEN_KEYED	 96 /* cases at most */
#define STEPS_LEAST_SIZE 4  /* of the first case, where the range has it */

/* The steps of one scoring. */
struct hidden_steps {
	const struct task *task;
	struct secret_random *secret;
	uint64_t most; /* bytes of the first case */
	size_t *order; /* the symbols that change */
	size_t n_order;
	struct task_case base;
	struct task_case *out;
	size_t n;
};

/* Adds a copy of the case. */
void hidden_steps_add(struct hidden_steps *x, const struct task_case *c);
/* Do the sizes go together, and take no more than a few times the memory of the
 * first case? */
bool hidden_steps_fit(const struct hidden_steps *x, const struct task_case *c);
bool hidden_is_in_range(const struct hidden_range *h, int64_t size);

/* Adds up to HIDDEN_KEYED of them. */
void hidden_keys_add(struct hidden_steps *x,
		     const struct hidden_numbers *numbers);

#endif
