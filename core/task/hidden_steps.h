/*
 * Hidden cases that differ from the one before in a single size, or in two. A
 * kernel that keeps a table or a plan from call to call, and makes it anew where
 * some of the sizes are others, is wrong where one that it forgot is another: two
 * cases that are drawn apart differ in all sizes, and hardly ever show it. So there
 * are, in one process and in this order,
 *
 *  - one of small sizes, twice: with other contents;
 *  - for each symbol, up to HIDDEN_STEPPED of them in an order that is drawn, one
 *    with it at a size at least twice as great, whose last bits are the same as far
 *    as can be; one beside that, the next one, and the one before; and one with it
 *    back where it was;
 *  - for each two of these, where their ranges have such sizes: swapped; one twice
 *    and the other half as great; one more and one less; both twice or half as
 *    great; both one more or less; one by one and the other by two against it. Where
 *    the sizes that are there allow none of it, a case with others comes first;
 *  - those of hidden_keys.h.
 *
 * They are small, for there are many, and a table is as wrong in a small case.
 */
#ifndef CORE_TASK_HIDDEN_STEPS_H
#define CORE_TASK_HIDDEN_STEPS_H

#include "core/task/hidden.h"

#define HIDDEN_STEPPED 5

struct secret_random;
/* How many cases hidden_steps_draw draws at most; 0 without `hidden`. */
size_t hidden_steps_most(const struct task *t);
/* Returns how many it drew: fewer where sizes cannot change alone. `numbers`: of
 * the candidate's sources. task_case_release disposes of each. */
size_t hidden_steps_draw(struct task_case *out, const struct task *t,
			 const struct hidden_numbers *numbers,
			 struct secret_random *r);

#endif
