/* Time that a candidate's events leave out, and its launcher's clock does not. */
#include <math.h>

#include "scorer/gpu_field_internal.h"

#define HIDDEN_LEAST   4    /* halves, before anything is said */
#define HIDDEN_ERRORS  3.0  /* standard errors that chance is given */
#define HIDDEN_VERDICT 0.03 /* of a launch: no disagreement of clocks */
#define RIVAL	       1    /* the one that a gain is told over */

void gpu_hidden_take(struct gpu_field *f, const struct block *b,
		     const double *left_out)
{
	size_t mine = b->n, his = b->n;
	struct hidden *h = &f->hidden;

	for (size_t i = 0; i < b->n; i++) {
		if (b->slot[i] == 0)
			mine = i;
		if (b->slot[i] == RIVAL)
			his = i;
	}
	if (mine == b->n || his == b->n || isnan(left_out[mine]) ||
	    isnan(left_out[his]))
		return;
	GROW(h->share, h->n, h->cap);
	h->share[h->n++] = (left_out[mine] - left_out[his]) / b->seconds[his];
}

/* The share of a launch that is left out for sure. Halves of one block are next
 * to each other, so chance is given more than it needs. */
static double surely(const struct hidden *h)
{
	double error;

	if (h->n < HIDDEN_LEAST)
		return 0;
	error = stats_sd(h->share, h->n) / sqrt((double)h->n);
	return MAX(stats_mean(h->share, h->n) - HIDDEN_ERRORS * error, 0);
}

void gpu_hidden_settle(struct outcome *o, const struct gpu_field *f)
{
	double share = surely(&f->hidden);

	if (o->verdict == VERDICT_PASS && share > HIDDEN_VERDICT)
		outcome_set(o, VERDICT_FORBIDDEN,
			    "its events leave out %.0f %% of a launch that the "
			    "scorer's clock saw",
			    100 * share);
}

double gpu_hidden_bias(char **why, const struct gpu_field *f)
{
	double share = surely(&f->hidden);

	if (share <= 0)
		return 0;
	*why = xasprintf("its events leave out %.2g %% of a launch that the "
			 "scorer's clock saw",
			 100 * share);
	return -log1p(-MIN(share, 0.9));
}
