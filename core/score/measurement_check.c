/* What others wrote is looked through before anybody reckons with it. The
 * bounds are far beyond what a machine can do and a scoring can take, so that
 * none of our own figures is ever refused. */
#include <math.h>

#include "core/score/measurement.h"

#define COUNT_MAX  (INT64_C(1) << 40)
#define RATE_MAX   1e24 /* flop/s or byte/s */
#define RATIO_MAX  1e9
#define NOISE_MAX  1e3
#define ERROR_MAX  1e30
#define WEIGHT_MAX 1e100

struct figure {
	const char *name;
	double value, low, high;
};

int64_t measurement_count(int64_t n)
{
	return MIN(MAX(n, 0), COUNT_MAX);
}

/* The first that is not within its bounds, in words; NULL: all are. */
static char *outside(const struct figure *f, size_t n, const char *where,
		     const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!(f[i].value >= f[i].low && f[i].value <= f[i].high))
			return xasprintf("%s%s says %s=%g", where, name,
					 f[i].name, f[i].value);
	return NULL;
}

static char *headline_nonsense(const struct measurement *m)
{
	const struct figure f[] = {
		{"score", m->score, 0, RATE_MAX},
		{"noise", m->noise, 0, NOISE_MAX},
		{"seconds_build", m->seconds_build, 0, SECONDS_MAX},
		{"seconds_judge", m->seconds_judge, 0, SECONDS_MAX},
		{"seconds_timed", m->seconds_timed, 0, SECONDS_MAX},
		{"seconds_starting", m->seconds_starting, 0, SECONDS_MAX},
		{"seconds_total", m->seconds_total, 0, SECONDS_MAX},
	};

	if (m->n_cases > MEASUREMENT_MAX_CASES)
		return xasprintf("it has over %d cases", MEASUREMENT_MAX_CASES);
	if (m->n_comparisons > MEASUREMENT_MAX_COMPARISONS)
		return xasprintf("it has over %d comparisons",
				 MEASUREMENT_MAX_COMPARISONS);
	return outside(f, ARRAY_SIZE(f), "it", "");
}

static char *case_nonsense(const struct case_result *c)
{
	const struct figure f[] = {
		{"weight", c->weight, 0, WEIGHT_MAX},
		{"seconds", c->seconds, 0, SECONDS_MAX},
		{"rate", c->rate, 0, RATE_MAX},
		{"error", c->error, 0, ERROR_MAX},
		{"overhead", c->overhead, 0, SECONDS_MAX},
		{"ceiling", c->ceiling, 0, RATIO_MAX},
	};

	return outside(f, ARRAY_SIZE(f), "case ", c->name);
}

/* NAN is said of what was not found out. */
static double known(double ratio)
{
	return isnan(ratio) ? 0 : ratio;
}

/* Where nothing was told there may have been too few blocks for any figure.
 * What was told lies on its side of 1, and its interval ends. */
static char *comparison_nonsense(const struct comparison *c)
{
	bool told = c->told != TOLD_NOTHING;
	double most = told ? RATIO_MAX : INFINITY;
	const struct figure f[] = {
		{"ratio", told ? c->ratio : known(c->ratio),
		 c->told == TOLD_FASTER,
		 c->told == TOLD_SLOWER ? 1 : RATIO_MAX},
		{"low", c->ratio95.lo, 0, RATIO_MAX},
		{"high", c->ratio95.hi, c->ratio95.lo, most},
		{"worst_case", told ? c->worst_case : known(c->worst_case), 0,
		 most},
	};

	for (size_t i = 0; i < c->n_cases; i++)
		if (!(known(c->case_ratio[i]) >= 0 &&
		      known(c->case_ratio[i]) <= RATIO_MAX))
			return xasprintf("the comparison with %s says "
					 "case_ratio=%g",
					 c->name, c->case_ratio[i]);
	return outside(f, ARRAY_SIZE(f), "the comparison with ", c->name);
}

static char *nonsense(const struct measurement *m)
{
	char *why = headline_nonsense(m);

	for (size_t i = 0; i < m->n_cases && !why; i++)
		why = case_nonsense(&m->cases[i]);
	for (size_t i = 0; i < m->n_comparisons && !why; i++)
		why = comparison_nonsense(&m->comparisons[i]);
	return why;
}

static void drop_figures(struct measurement *m)
{
	for (size_t i = 0; i < m->n_cases; i++)
		free(m->cases[i].name);
	for (size_t i = 0; i < m->n_comparisons; i++) {
		free(m->comparisons[i].name);
		free(m->comparisons[i].case_ratio);
	}
	m->n_cases = m->n_comparisons = 0;
	m->score = m->noise = 0;
	m->seconds_build = m->seconds_judge = m->seconds_timed = 0;
	m->seconds_starting = m->seconds_total = 0;
}

void measurement_check(struct measurement *m)
{
	cleanup_free char *why = nonsense(m);

	if (!why)
		return;
	drop_figures(m);
	if (m->verdict == VERDICT_PASS)
		measurement_fail(m, VERDICT_UNUSABLE, "%.200s", why);
}
