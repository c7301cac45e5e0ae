/*
 * Work of later launches done in an earlier one. Inputs are all there when a
 * batch begins, and a kernel may keep what it works out in memory of its own,
 * where nobody looks: who leaves most of the card idle does sixty launches in
 * the time of one, and the sum of all is small. But nobody works ahead for the
 * first launch of a batch: it takes as long as a launch does.
 */
#include <math.h>

#include "scorer/contest/block.h"
#include "scorer/contest/gpu_contest_internal.h"

/* What a first launch may take more, since code and tables are cold. Nobody can
 * gain more by working ahead than the first launch is longer than the mean. */
#define COLD_SECONDS 5e-6
/* No cold start: so many times the mean, and so much longer. */
#define AHEAD_TIMES   3.0
#define AHEAD_SECONDS 50e-6
#define AHEAD_ERRORS  2.0
/* Who works ahead in some halves alone has them spread so that chance seems to
 * explain it: in this share of halves it is a verdict, and a half with so much
 * is no chance. */
#define AHEAD_HALVES 0.25
#define AHEAD_SEEN   1.5 /* times */

static double log_of(double first, double mean)
{
	return log(MAX(first - COLD_SECONDS, mean) / mean);
}

void gpu_ahead_take(struct gpu_contest *f, const struct block *b,
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
	gpu_hidden_add(
		&f->first, b->which,
		first[mine] - b->seconds[mine] > AHEAD_SECONDS ? share : 0, 0);
	if (his < b->n && first[his] > 0)
		gpu_hidden_add(&f->ahead, b->which,
			       share - log_of(first[his], b->seconds[his]), 0);
}

/* That so many of the halves of one case reach. */
static double reached_in(const struct hidden *h, size_t which)
{
	cleanup_free double *share = NULL;
	size_t n = gpu_hidden_shares(&share, h, which);

	return n >= HIDDEN_LEAST ? stats_quantile(share, n, 1 - AHEAD_HALVES)
				 : 0;
}

/* A card that is slow to wake is so for the rival, too. */
static bool is_ahead(const struct gpu_contest *f, size_t which)
{
	return reached_in(&f->first, which) > log(AHEAD_TIMES) &&
	       (!f->ahead.n || reached_in(&f->ahead, which) > log(AHEAD_TIMES));
}

void gpu_first_launch_verdict(struct outcome *o, const struct gpu_contest *f)
{
	size_t cases = 0;

	for (size_t i = 0; i < f->first.n; i++)
		cases = MAX(cases, f->first.half[i].which + 1);
	for (size_t k = 0; k < cases && o->verdict == VERDICT_PASS; k++)
		if (is_ahead(f, k))
			outcome_set(o, VERDICT_FORBIDDEN,
				    "the first launch of a batch takes %.3g "
				    "times as long as the mean of all: it does "
				    "the work of others",
				    exp(reached_in(&f->first, k)));
}

/* The mean of what halves said that said much. */
static double seen(const struct hidden *h)
{
	double sum = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->half[i].share > log(AHEAD_SEEN))
			sum += h->half[i].share;
	return h->n >= HIDDEN_LEAST ? sum / (double)h->n : 0;
}

double gpu_ahead_bias(char **why, const struct gpu_contest *f)
{
	double error, mean = gpu_hidden_mean(&f->ahead, &error);
	double bias = seen(&f->ahead);

	if (gpu_hidden_surely(&f->ahead) > 0)
		bias = MAX(bias, mean + AHEAD_ERRORS * error);
	if (bias > 0)
		*why = xasprintf("the first launch of a batch takes %.2g %% "
				 "longer than the mean of all, more than the "
				 "rival's does",
				 100 * expm1(bias));
	return bias;
}
