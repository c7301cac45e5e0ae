/* What the drawing of hidden cases has in common: not for other folders. */
#ifndef CORE_TASK_HIDDEN_PARTS_H
#define CORE_TASK_HIDDEN_PARTS_H

#include "core/task/hidden.h"

struct secret_random;
/* The ends of a range, multiples of its step. */
int64_t hidden_lowest(const struct hidden_range *h);
int64_t hidden_highest(const struct hidden_range *h);
/* Has it one size only? */
bool hidden_is_fixed(const struct hidden_range *h);
/* A size of the range from low to high, each doubling as likely: small ones are not
 * rare. */
int64_t hidden_draw_between(const struct hidden_range *h, int64_t low,
			    int64_t high, struct secret_random *r);
/* Those of a text with a NUL behind it. */
void hidden_numbers_add(struct hidden_numbers *out, const char *text,
			size_t len);
/* The memory of a launch; UINT64_MAX: there is none of these sizes. */
uint64_t hidden_bytes(const struct task *t, const struct task_case *c);

/* Sizes for all symbols into `value`, the smaller the greater `try`. */
typedef void hidden_sizes_fn(int64_t *value, void *of, size_t try);
#define HIDDEN_TRIES ((size_t)64)
/* The greatest size that is drawn from a range in this try: it is halved a few times,
 * since large sizes may take too many bytes. */
int64_t hidden_highest_of_try(const struct hidden_range *h, size_t try);
/* One of sizes that `draw` draws: few bytes are more than large sizes, so of few, or of
 * the fewest of HIDDEN_TRIES. False: there is none, and nothing to dispose of. */
bool hidden_draw_small(struct task_case *out, const struct task *t,
		       hidden_sizes_fn *draw, void *of) MUST_CHECK;

#endif
