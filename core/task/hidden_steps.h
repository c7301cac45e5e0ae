/*
 * Hidden cases that differ from the one before in a single size. A kernel that
 * keeps a table or a plan from call to call, and makes it anew where some of the
 * sizes are others, is wrong where one that it forgot is another: two cases that
 * are drawn apart differ in all sizes, and hardly ever show it. So there are, in
 * one process and in this order,
 *
 *  - one of small sizes, twice: with other contents;
 *  - for each symbol, up to HIDDEN_STEPPED of them in an order that is drawn, one
 *    with it at a greater size, and one with it back where it was. The first of
 *    them makes a step of one size in between.
 *
 * They are small, for there are many, and a table is as wrong in a small case.
 */
#ifndef CORE_TASK_HIDDEN_STEPS_H
#define CORE_TASK_HIDDEN_STEPS_H

#include "core/task/task.h"

#define HIDDEN_STEPPED 5

struct secret_random;
/* How many cases hidden_steps_draw draws at most; 0 without `hidden`. */
size_t hidden_steps_most(const struct task *t);
/* Returns how many it drew: fewer where sizes cannot change alone.
 * task_case_release disposes of each. */
size_t hidden_steps_draw(struct task_case *out, const struct task *t,
			 struct secret_random *r);

#endif
