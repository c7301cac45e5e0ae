/*
 * Hidden cases of one size at the low end of its range: a kernel often has a short way
 * for a single row, and what is wrong there may show only where another size is
 * large, or a third one small (a capacity, a radius). So for each symbol, of up to
 * ENDS_SYMBOLS, whose range has more than one size there are four cases with it at its
 * low end, in which any two others are near their ends in each of the four ways: an
 * orthogonal array of two levels (R. Plackett and J. Burman, The design of optimum
 * multifactorial experiments, 1946). Of more than three others some pairs are in two
 * ways only. Few bytes are more than large sizes.
 */
#ifndef CORE_TASK_HIDDEN_ENDS_H
#define CORE_TASK_HIDDEN_ENDS_H

#include "core/task/hidden.h"

#define ENDS_SYMBOLS 10
#define ENDS_RUNS    4
#define HIDDEN_ENDS  (ENDS_SYMBOLS * ENDS_RUNS) /* cases at most */

/* How many hidden_ends_draw draws at most; 0 without `hidden`. */
size_t hidden_ends_most(const struct task *t);
/* Returns how many it drew. task_case_release disposes of each. */
size_t hidden_ends_draw(struct task_case *out, const struct task *t,
			struct secret_random *r);

#endif
