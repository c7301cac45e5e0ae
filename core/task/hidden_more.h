/*
 * Hidden cases beside those of hidden.h, which leave room for a kernel that is wrong
 *
 *  - at one value of a symbol that has few: each that no other case has, of ranges
 *    of up to HIDDEN_SMALL sizes;
 *  - between the end of a range and the largest of the task's cases. A range often
 *    ends long before, for many large cases would take long. So there are up to
 *    HIDDEN_BETWEEN cases with one size beyond its range, and small others: beside a
 *    number of the candidate's sources, or anywhere; and some in which all sizes are
 *    the same part of a case's. None needs more memory or work than the largest case,
 *    a symbol whose range is a single size keeps it, and where all sizes of one range
 *    are below all of another and the task's cases keep to that, these do.
 */
#ifndef CORE_TASK_HIDDEN_MORE_H
#define CORE_TASK_HIDDEN_MORE_H

#include "core/task/hidden.h"

#define HIDDEN_SMALL   16
#define HIDDEN_BETWEEN 12

/* How many the two below draw at most. */
size_t hidden_more_most(const struct task *t);
/* One for each value of a small range that none of the `n` cases has. Returns how
 * many it drew. task_case_release disposes of each. */
size_t hidden_cover_draw(struct task_case *out, const struct task *t,
			 const struct task_case *drawn, size_t n,
			 struct secret_random *r);
/* Those beyond the ranges: as hidden_cover_draw. */
size_t hidden_between_draw(struct task_case *out, const struct task *t,
			   const struct hidden_numbers *numbers,
			   struct secret_random *r);

#endif
