/*
 * Hidden cases of which two sizes are equal, or one is twice the other: a kernel may
 * have a short way for an image that keeps its width, a square matrix or a half, and
 * sizes that are drawn apart meet one seldom. So there are, for each two symbols of
 * up to ALIKE_SYMBOLS whose ranges have such sizes,
 *
 *  - two with both equal: one near the greatest size that both may have, and one of
 *    any size that is not tiny, or beside a number of the candidate's sources;
 *  - one with the first, and one with the second, twice as great, near the
 *    greatest.
 *
 * Up to three pairs that have no symbol in common share a case, each with another of
 * these; what is in none is drawn, small. Few bytes are more than large sizes.
 */
#ifndef CORE_TASK_HIDDEN_ALIKE_H
#define CORE_TASK_HIDDEN_ALIKE_H

#include "core/task/hidden.h"

#define ALIKE_SYMBOLS 6
#define HIDDEN_ALIKE  24 /* cases at most */

/* How many hidden_alike_draw draws at most; 0 without `hidden`. */
size_t hidden_alike_most(const struct task *t);
/* Returns how many it drew. `numbers`: of the candidate's sources. task_case_release
 * disposes of each. */
size_t hidden_alike_draw(struct task_case *out, const struct task *t,
			 const struct hidden_numbers *numbers,
			 struct secret_random *r);

#endif
