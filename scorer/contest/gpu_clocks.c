/*
 * Two detectors of cheats that need the clocks of all halves of a contest.
 *
 * Left out: time that a launcher's clock counts and a candidate's events do
 * not. Kernels can overwrite events, but cannot reach the launcher's clock.
 *
 * First launch: an earlier launch does the work of later ones. All inputs are
 * there when a batch begins, and a kernel can keep results in its own memory,
 * which is not checked. A kernel that leaves most of the card idle can do sixty
 * launches in the time of one, so that the sum of all is small. But the first
 * launch of a batch has none before it: it takes as long as a launch really
 * does.
 */
#include <math.h>

#include "scorer/contest/half.h"
#include "scorer/contest/gpu_contest_internal.h"

/* ---- one number a half --------------------------------------------------- */

#define CHANCE_ERRORS 3.0 /* standard errors that chance may explain */
#define CHANCE_FEW    4.0 /* more for few halves: as t is to normal */

static void add_sample(struct half_samples *h, size_t which, double share,
		       double seconds)
{
	GROW(h->sample, h->n, h->cap);
	h->sample[h->n++] = (struct half_sample){which, share, seconds};
}

#define ALL_CASES SIZE_MAX

/* The shares of all halves, or of those of a case; free() *share. Returns how
 * many. */
static size_t shares_of(double **share, const struct half_samples *h,
			size_t which)
{
	size_t n = 0;

	*share = xcalloc(MAX(h->n, 1), sizeof **share);
	for (size_t i = 0; i < h->n; i++)
		if (which == ALL_CASES || h->sample[i].which == which)
			(*share)[n++] = h->sample[i].share;
	return n;
}

static double mean_in(double *error, size_t *n, const struct half_samples *h,
		      size_t which)
{
	cleanup_free double *share = NULL;

	*n = shares_of(&share, h, which);
	*error = stats_sd(share, *n) / sqrt((double)MAX(*n, 1));
	return stats_mean(share, *n);
}

/* The mean of one case or of all, less what chance may explain; at least 0. */
static double lower_bound_in(const struct half_samples *h, size_t which)
{
	double error, mean;
	size_t n;

	mean = mean_in(&error, &n, h, which);
	if (n < HALF_SAMPLES_MIN)
		return 0;
	error *= CHANCE_ERRORS * (1 + CHANCE_FEW / (double)(n - 1));
	return MAX(mean - error, 0);
}

/* The mean over all cases and its standard error. */
static double mean_of_all(const struct half_samples *h, double *error)
{
	size_t n;

	return mean_in(error, &n, h, ALL_CASES);
}

/* The mean over all cases less what chance may explain. */
static double lower_bound_of_all(const struct half_samples *h)
{
	return lower_bound_in(h, ALL_CASES);
}

static double mean_seconds(const struct half_samples *h, size_t which)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		if (which == ALL_CASES || h->sample[i].which == which) {
			sum += h->sample[i].seconds;
			n++;
		}
	return sum / (double)MAX(n, 1);
}

/* ---- time left out by events --------------------------------------------- */

#define LEFT_OUT_VERDICT 0.03	/* of a launch: clocks never differ so much */
#define LEFT_OUT_SECONDS 0.5e-6 /* the same for short launches */

/* The slot of the first rival with a launcher's clock: a baseline of the task,
 * called as a user would call it, has none. */
static size_t find_rival(const struct half *b, const double *left_out)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->slot[i] != 0 && b->slot[i] != SLOT_TWIN &&
		    !isnan(left_out[i]))
			return i;
	return b->n;
}

void gpu_left_out_take(struct gpu_contest *f, const struct half *b,
		       const double *left_out)
{
	size_t mine = 0, his = find_rival(b, left_out);
	struct half_samples *h = &f->left_out;

	while (mine < b->n && b->slot[mine] != 0)
		mine++;
	if (mine == b->n || his == b->n || isnan(left_out[mine]))
		return;
	add_sample(h, b->which,
		   (left_out[mine] - left_out[his]) / b->seconds[his],
		   left_out[mine] - left_out[his]);
}

static double least(const struct half_samples *h, size_t which, double seconds)
{
	return mean_seconds(h, which) > seconds ? lower_bound_in(h, which) : 0;
}

/* The largest lower bound of a case or of all: the difference of clocks is a
 * large share of a short launch, whose noise would hide a gain in a long one.
 * Less than `seconds` of a launch does not count. */
static double surely(const struct half_samples *h, double seconds)
{
	double most = least(h, ALL_CASES, seconds);
	size_t cases = 0;

	for (size_t i = 0; i < h->n; i++)
		cases = MAX(cases, h->sample[i].which + 1);
	for (size_t k = 0; k < cases; k++)
		most = MAX(most, least(h, k, seconds));
	return most;
}

void gpu_left_out_verdict(struct score_outcome *o, const struct gpu_contest *f)
{
	double share = surely(&f->left_out, LEFT_OUT_SECONDS);

	if (o->verdict == VERDICT_PASS && share > LEFT_OUT_VERDICT)
		score_outcome_set(
			o, VERDICT_FORBIDDEN,
			"its events leave out %.0f %% of a launch that the "
			"scorer's clock saw",
			100 * share);
}

double gpu_left_out_bias(char **why, const struct gpu_contest *f)
{
	double share = surely(&f->left_out, 0);

	if (share <= 0)
		return 0;
	*why = xasprintf("its events leave out %.2g %% of a launch that the "
			 "scorer's clock saw",
			 100 * share);
	return -log1p(-MIN(share, 0.9));
}

/* ---- the first launch of a batch ----------------------------------------- */

/* Time that a first launch may take more, since code and tables are cold. By
 * working ahead a kernel cannot gain more than the first launch is longer than
 * the mean. */
#define COLD_SECONDS 5e-6
/* More than a cold start: so many times the mean, and so much longer. */
#define FIRST_TIMES   3.0
#define FIRST_SECONDS 50e-6
#define FIRST_ERRORS  2.0
/* A kernel that works ahead only in some halves has such a spread that chance
 * seems to explain the mean. So this share of halves is enough for a verdict,
 * and a half with FIRST_SEEN is never chance. */
#define FIRST_HALVES 0.25
#define FIRST_SEEN   1.5 /* times */

static double log_of(double first, double mean)
{
	return log(MAX(first - COLD_SECONDS, mean) / mean);
}

void gpu_first_launch_take(struct gpu_contest *f, const struct half *b,
			   const double *first)
{
	size_t mine = b->n, his = b->n;
	double share;

	for (size_t i = b->n; i-- > 0;)
		if (b->slot[i] == 0)
			mine = i;
		else if (b->slot[i] != SLOT_TWIN)
			his = i;
	if (mine == b->n || !(first[mine] > 0))
		return;
	share = log_of(first[mine], b->seconds[mine]);
	add_sample(&f->first, b->which,
		   first[mine] - b->seconds[mine] > FIRST_SECONDS ? share : 0,
		   0);
	if (his < b->n && first[his] > 0)
		add_sample(&f->first_over_rival, b->which,
			   share - log_of(first[his], b->seconds[his]), 0);
}

/* The share that FIRST_HALVES of the halves of one case reach. */
static double reached_in(const struct half_samples *h, size_t which)
{
	cleanup_free double *share = NULL;
	size_t n = shares_of(&share, h, which);

	return n >= HALF_SAMPLES_MIN
		       ? stats_quantile(share, n, 1 - FIRST_HALVES)
		       : 0;
}

/* Compared with the rival too, since a card that wakes slowly does so for both.
 */
static bool works_ahead(const struct gpu_contest *f, size_t which)
{
	return reached_in(&f->first, which) > log(FIRST_TIMES) &&
	       (!f->first_over_rival.n ||
		reached_in(&f->first_over_rival, which) > log(FIRST_TIMES));
}

void gpu_first_launch_verdict(struct score_outcome *o,
			      const struct gpu_contest *f)
{
	size_t cases = 0;

	for (size_t i = 0; i < f->first.n; i++)
		cases = MAX(cases, f->first.sample[i].which + 1);
	for (size_t k = 0; k < cases && o->verdict == VERDICT_PASS; k++)
		if (works_ahead(f, k))
			score_outcome_set(
				o, VERDICT_FORBIDDEN,
				"the first launch of a batch takes %.3g "
				"times as long as the mean of all: it does "
				"the work of others",
				exp(reached_in(&f->first, k)));
}

/* The mean over all halves, in which less than FIRST_SEEN counts as 0. */
static double seen(const struct half_samples *h)
{
	double sum = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->sample[i].share > log(FIRST_SEEN))
			sum += h->sample[i].share;
	return h->n >= HALF_SAMPLES_MIN ? sum / (double)h->n : 0;
}

double gpu_first_launch_bias(char **why, const struct gpu_contest *f)
{
	double error, mean = mean_of_all(&f->first_over_rival, &error);
	double bias = seen(&f->first_over_rival);

	if (lower_bound_of_all(&f->first_over_rival) > 0)
		bias = MAX(bias, mean + FIRST_ERRORS * error);
	if (bias > 0)
		*why = xasprintf("the first launch of a batch takes %.2g %% "
				 "longer than the mean of all, more than the "
				 "rival's does",
				 100 * expm1(bias));
	return bias;
}
