/* Time that a candidate's events leave out, and its launcher's clock does not. */
#include <math.h>

#include "scorer/contest/block.h"
#include "scorer/contest/gpu_contest_internal.h"

#define HIDDEN_ERRORS  3.0    /* standard errors that chance is given */
#define HIDDEN_FEW     4.0    /* and of few halves more: as t is to normal */
#define HIDDEN_VERDICT 0.03   /* of a launch: no disagreement of clocks */
#define HIDDEN_SECONDS 0.5e-6 /* the same, where launches are short */

/* The slot of the first rival that has such a clock: a task's own baseline,
 * called as a user would, has none. */
static size_t find_rival(const struct block *b, const double *left_out)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->slot[i] != 0 && b->slot[i] != SLOT_TWIN &&
		    !isnan(left_out[i]))
			return i;
	return b->n;
}

void gpu_hidden_add(struct hidden *h, size_t which, double share,
		    double seconds)
{
	GROW(h->half, h->n, h->cap);
	h->half[h->n++] = (struct hidden_half){which, share, seconds};
}

void gpu_hidden_take(struct gpu_contest *f, const struct block *b,
		     const double *left_out)
{
	size_t mine = 0, his = find_rival(b, left_out);
	struct hidden *h = &f->hidden;

	while (mine < b->n && b->slot[mine] != 0)
		mine++;
	if (mine == b->n || his == b->n || isnan(left_out[mine]))
		return;
	gpu_hidden_add(h, b->which,
		       (left_out[mine] - left_out[his]) / b->seconds[his],
		       left_out[mine] - left_out[his]);
}

size_t gpu_hidden_shares(double **share, const struct hidden *h, size_t which)
{
	size_t n = 0;

	*share = xcalloc(MAX(h->n, 1), sizeof **share);
	for (size_t i = 0; i < h->n; i++)
		if (which == HIDDEN_ALL_CASES || h->half[i].which == which)
			(*share)[n++] = h->half[i].share;
	return n;
}

static double mean_in(double *error, size_t *n, const struct hidden *h,
		      size_t which)
{
	cleanup_free double *share = NULL;

	*n = gpu_hidden_shares(&share, h, which);
	*error = stats_sd(share, *n) / sqrt((double)MAX(*n, 1));
	return stats_mean(share, *n);
}

/* What is there for sure, of one case or of all. */
static double surely_in(const struct hidden *h, size_t which)
{
	double error, mean;
	size_t n;

	mean = mean_in(&error, &n, h, which);
	if (n < HIDDEN_LEAST)
		return 0;
	error *= HIDDEN_ERRORS * (1 + HIDDEN_FEW / (double)(n - 1));
	return MAX(mean - error, 0);
}

double gpu_hidden_mean(const struct hidden *h, double *error)
{
	size_t n;

	return mean_in(error, &n, h, HIDDEN_ALL_CASES);
}

double gpu_hidden_surely(const struct hidden *h)
{
	return surely_in(h, HIDDEN_ALL_CASES);
}

static double mean_seconds(const struct hidden *h, size_t which)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		if (which == HIDDEN_ALL_CASES || h->half[i].which == which) {
			sum += h->half[i].seconds;
			n++;
		}
	return sum / (double)MAX(n, 1);
}

static double least(const struct hidden *h, size_t which, double seconds)
{
	return mean_seconds(h, which) > seconds ? surely_in(h, which) : 0;
}

/* In the case where it is most: what clocks differ by is little of a long
 * launch and much of a short one, which would drown the other. Less than
 * `seconds` of a launch does not count. */
static double surely(const struct hidden *h, double seconds)
{
	double most = least(h, HIDDEN_ALL_CASES, seconds);
	size_t cases = 0;

	for (size_t i = 0; i < h->n; i++)
		cases = MAX(cases, h->half[i].which + 1);
	for (size_t k = 0; k < cases; k++)
		most = MAX(most, least(h, k, seconds));
	return most;
}

void gpu_left_out_verdict(struct outcome *o, const struct gpu_contest *f)
{
	double share = surely(&f->hidden, HIDDEN_SECONDS);

	if (o->verdict == VERDICT_PASS && share > HIDDEN_VERDICT)
		outcome_set(o, VERDICT_FORBIDDEN,
			    "its events leave out %.0f %% of a launch that the "
			    "scorer's clock saw",
			    100 * share);
}

double gpu_hidden_bias(char **why, const struct gpu_contest *f)
{
	double share = surely(&f->hidden, 0);

	if (share <= 0)
		return 0;
	*why = xasprintf("its events leave out %.2g %% of a launch that the "
			 "scorer's clock saw",
			 100 * share);
	return -log1p(-MIN(share, 0.9));
}
