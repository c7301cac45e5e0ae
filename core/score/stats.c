#include "core/score/stats.h"

#include <math.h>

/* The share that is cut off at each end; see locate(). Noise beside other
 * programs has heavy tails: of the recorded kind (tests/bench/interval_bench.c)
 * a mean of the middle third is closer to the truth than one of the middle
 * three fifths. Of few blocks too little would be left for the error. */
#define TRIM	   0.35
#define TRIM_FEW   0.2
#define FEW	   48
#define RESAMPLES  999
#define MAX_SAMPLE 512
/* Two that are called the same differ by at most this, with 95 % confidence.
 * For equal candidates the usual stop shows a far smaller difference; a
 * comparison that its time limit cut short can still show this much on a quiet
 * machine, and nothing on a busy one. */
#define SAME 0.05

bool decision_is_same(enum decision t, struct interval ratio95)
{
	return t == DECISION_NONE && ratio95.lo <= 1 && ratio95.hi >= 1 &&
	       ratio95.lo >= 1 - SAME && ratio95.hi <= 1 + SAME;
}

const char *decision_name(enum decision t, struct interval ratio95)
{
	if (t != DECISION_NONE)
		return t == DECISION_FASTER ? "faster" : "slower";
	return decision_is_same(t, ratio95) ? "same" : "undecided";
}

bool decision_parse(enum decision *t, const char *name)
{
	static const struct {
		const char *name;
		enum decision decision;
	} names[] = {{"slower", DECISION_SLOWER},
		     {"faster", DECISION_FASTER},
		     {"same", DECISION_NONE},
		     {"undecided", DECISION_NONE}};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(names[i].name, name)) {
			*t = names[i].decision;
			return true;
		}
	return false;
}

double stats_mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : NAN;
}

double stats_sd(const double *x, size_t n)
{
	double mean = stats_mean(x, n), sum = 0;

	if (n < 2)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *sorted(const double *x, size_t n)
{
	double *copy = xmemdup(x, n * sizeof *x);

	qsort(copy, n, sizeof *copy, ascending);
	return copy;
}

double stats_quantile(const double *x, size_t n, double q)
{
	cleanup_free double *s = NULL;
	double at;
	size_t i;

	if (!n)
		return NAN;
	s = sorted(x, n);
	at = q * (double)(n - 1);
	i = (size_t)at;
	if (i + 1 >= n)
		return s[n - 1];
	return s[i] + (at - (double)i) * (s[i + 1] - s[i]);
}

double stats_median(const double *x, size_t n)
{
	return stats_quantile(x, n, 0.5);
}

double stats_geomean(const double *x, const double *weight, size_t n)
{
	double sum = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		double w = weight ? weight[i] : 1;

		if (!(x[i] > 0))
			return 0;
		sum += w * log(x[i]);
		total += w;
	}
	return total > 0 ? exp(sum / total) : 0;
}

/* ---- the trimmed mean and its error ------------------------------------ */

struct location {
	double value, error; /* standard error */
	double freedom;
};

static void insertion_sort(double *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double v = x[i];
		size_t j = i;

		for (; j && x[j - 1] > v; j--)
			x[j] = x[j - 1];
		x[j] = v;
	}
}

/* How many are cut off at each end. */
static size_t trimmed(size_t n)
{
	return (size_t)((n < FEW ? TRIM_FEW : TRIM) * (double)n);
}

/* The trimmed mean with the standard error of Tukey and McLaughlin, from the
 * winsorised sum of squares. A burst of load on one block moves neither. */
static struct location locate(double *x, size_t n)
{
	size_t g = trimmed(n), kept = n - 2 * g;
	double sum = 0, low, high, mean, squares = 0;

	insertion_sort(x, n);
	low = x[g];
	high = x[n - 1 - g];
	for (size_t i = g; i < n - g; i++)
		sum += x[i];
	mean = (sum + (double)g * (low + high)) / (double)n;
	for (size_t i = 0; i < n; i++) {
		double v = x[i] < low ? low : x[i] > high ? high : x[i];

		squares += (v - mean) * (v - mean);
	}
	return (struct location){
		.value = sum / (double)kept,
		.error = sqrt(squares / (double)(kept * (kept - 1))),
		.freedom = (double)(kept - 1),
	};
}

/* The continued fraction of the incomplete beta function (Lentz's method). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m <= 200; m++) {
		double k = m,
		       even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
		double odd = -(a + k) * (a + b + k) * x /
			     ((a + 2 * k) * (a + 2 * k + 1));

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		h *= d * (fabs(c) < tiny ? tiny : c);
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		h *= d * (fabs(c) < tiny ? tiny : c);
	}
	return h;
}

static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* P(|T| > t) for Student's t with `freedom` degrees of freedom. */
static double t_two_sided(double t, double freedom)
{
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double stats_t_above(double t, double freedom)
{
	double tail = t_two_sided(t, freedom) / 2;

	return t > 0 ? tail : 1 - tail;
}

/* The t that |T| exceeds with probability p. */
static double t_critical(double p, double freedom)
{
	double lo = 0, hi = 2;

	while (t_two_sided(hi, freedom) > p && hi < 1e9)
		hi *= 2;
	for (int i = 0; i < 60; i++) {
		double mid = (lo + hi) / 2;

		if (t_two_sided(mid, freedom) > p)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

/* ---- intervals --------------------------------------------------------- */

/* What |T| = |location* - location| / error* exceeds in a share 1 - level of
 * the resamples: the bootstrap's own critical value instead of Student's. */
static double bootstrap_critical(const double *x, size_t n, double level,
				 uint64_t seed)
{
	double t[RESAMPLES], draw[MAX_SAMPLE], whole[MAX_SAMPLE];
	struct location all;
	struct random r;

	memcpy(whole, x, n * sizeof *x);
	all = locate(whole, n);
	random_init(&r, seed);
	for (size_t i = 0; i < RESAMPLES; i++) {
		struct location l;

		for (size_t j = 0; j < n; j++)
			draw[j] = x[random_below(&r, n)];
		l = locate(draw, n);
		t[i] = l.error > 0 ? fabs(l.value - all.value) / l.error
				   : INFINITY;
	}
	return stats_quantile(t, RESAMPLES, level);
}

/* With fewer observations the bootstrap has too little to draw from, so
 * Student's t is used. */
#define BOOTSTRAP_MIN 10

static struct interval interval_of(struct location *l, const double *x,
				   size_t n, double level, uint64_t seed)
{
	double copy[MAX_SAMPLE], critical;

	memcpy(copy, x, n * sizeof *x);
	*l = locate(copy, n);
	critical = t_critical(1 - level, l->freedom);
	if (n >= BOOTSTRAP_MIN) {
		double boot = bootstrap_critical(x, n, level, seed);

		/* Ties can make the error of a resample zero. */
		critical = isfinite(boot) ? boot : critical;
	}
	return (struct interval){l->value - critical * l->error,
				 l->value + critical * l->error};
}

struct interval stats_interval(const double *x, size_t n, double level,
			       uint64_t seed)
{
	struct location l;

	if (n < 2)
		return (struct interval){-INFINITY, INFINITY};
	/* Beyond the limit the newest observations are enough. */
	if (n > MAX_SAMPLE) {
		x += n - MAX_SAMPLE;
		n = MAX_SAMPLE;
	}
	return interval_of(&l, x, n, level, seed);
}

/* ---- the comparison ---------------------------------------------------- */

/* Stopping at the first clear look makes an interval of nominal 95 % contain
 * the truth less often than that. An interval of this nominal level does in 93
 * to 97 % of simulated comparisons, on normal noise and on recorded noise of
 * quiet and of busy machines (tests/bench/interval_bench.c). */
#define REPORTED 0.965

/* The first look is at min blocks; the next after half as many more, to max. */
static size_t next_look(size_t n)
{
	return n + MAX(n / 2, 1);
}

/* The number, from 0, of the look at n blocks; -1 if there is none. *count is
 * how many looks there are in all. */
static int look_number(const struct comparison_design *design, size_t n,
		       int *count)
{
	int number = -1, i = 0;
	size_t at = MAX(design->min_blocks, 2);

	for (; at < design->max_blocks; at = next_look(at), i++)
		if (at == n)
			number = i;
	if (n >= design->max_blocks)
		number = i;
	*count = i + 1;
	return number;
}

/* What a look may spend of alpha. A large difference is clear at any level; a
 * small one can only be found at the last looks, so they have most of it. The
 * sum is alpha (Bonferroni's bound). */
static double level_of(const struct comparison_design *design, int number,
		       int looks)
{
	static const double last[] = {0.4, 0.15, 0.05};
	const int n_last = ARRAY_SIZE(last);
	int from_end = looks - 1 - number;

	if (looks <= n_last)
		return design->alpha / looks;
	return design->alpha *
	       (from_end < n_last ? last[from_end] : 0.4 / (looks - n_last));
}

#define NOTHING_KNOWN                                    \
	{                                                \
		.ratio = NAN, .ratio95 = { 0, INFINITY } \
	}

static struct interval ratios(struct interval log_ratio)
{
	return (struct interval){exp(log_ratio.lo), exp(log_ratio.hi)};
}

/* Would the last look not find it faster, even if all further blocks were at
 * the upper end of the interval? Assumes for them the scatter of the blocks so
 * far. */
static bool is_futile(const struct comparison_design *design, struct location l,
		      double hi, size_t n, int looks)
{
	double all = (double)design->max_blocks, had = (double)n / all;
	double last = had * l.value + (1 - had) * hi;
	double freedom = all - 2 * (double)trimmed(design->max_blocks) - 1;

	return design->curtailed && n < design->max_blocks &&
	       last < l.error * sqrt(had) *
			       t_critical(level_of(design, looks - 1, looks),
					  freedom);
}

/* Two processes with the same code differ a little and always in the same
 * direction, and blocks with little scatter show that difference. */
static bool is_equal(const struct comparison_design *design,
		     struct interval i95)
{
	return i95.lo > -design->precision && i95.hi < design->precision;
}

struct comparison_state comparison_look(const struct comparison_design *design,
					const double *log_ratio, size_t n,
					uint64_t seed)
{
	struct comparison_state s = NOTHING_KNOWN;
	int looks, number = look_number(design, n, &looks);
	struct interval i95;
	struct location l;
	double p;

	if (n < 2 || n > MAX_SAMPLE)
		return s;
	if (number < 0)
		return s;
	i95 = interval_of(&l, log_ratio, n, REPORTED, seed);
	s.ratio = exp(l.value);
	s.ratio95 = ratios(i95);
	/* Every look has a share of alpha, so a clear difference ends the
	 * comparison at the first look. The test and the interval must agree.
	 */
	p = l.error > 0 ? t_two_sided(fabs(l.value) / l.error, l.freedom) : 0;
	if (l.value != 0 && p < level_of(design, number, looks) &&
	    (i95.lo > 0 || i95.hi < 0) && !is_equal(design, i95))
		s.decision = l.value > 0 ? DECISION_FASTER : DECISION_SLOWER;
	/* The comparison is given up: "slower" then rests on the interval
	 * alone, which is enough because nothing is won by it. */
	if (i95.hi < design->hopeless && i95.hi < 0)
		s.decision = DECISION_SLOWER;
	s.done = s.decision != DECISION_NONE || number == looks - 1 ||
		 (i95.hi - i95.lo) / 2 < design->precision ||
		 i95.hi < design->hopeless ||
		 is_futile(design, l, i95.hi, n, looks);
	return s;
}

struct comparison_state comparison_glance(
	const struct comparison_design *design, const double *log_ratio,
	size_t n, uint64_t seed)
{
	struct comparison_state s = NOTHING_KNOWN;
	double luck = design->luck;
	struct interval i =
		stats_interval(log_ratio, n, 1 - design->alpha, seed);

	if (luck <= 0 || !(i.hi + luck < 0))
		return s;
	i = stats_interval(log_ratio, n, REPORTED, seed);
	s.ratio = exp((i.lo + i.hi) / 2);
	s.ratio95 = ratios((struct interval){i.lo - luck, i.hi + luck});
	s.decision = DECISION_SLOWER;
	s.done = true;
	return s;
}
