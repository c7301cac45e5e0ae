#include "scorer/contest/series.h"

#include <math.h>
#include <unistd.h>

#include "scorer/contest/half.h"

#define SHORT_SECONDS 100e-6 /* a shorter launch is one of a series */
#define HAND_OVER     300e-6 /* seconds of launches in a hand-over */
#define LEVEL2_LEAST  ((long)512 << 10)
#define LEVEL2_MOST   ((long)4 << 20)
#define LEAST_SHARE   0.02 /* of a launch that is taken for the kernel's */
/* What is fixed is timed at other moments than launches are: the kernel may always
 * have had this share of one. */
#define OWN_LEAST 0.1
/* A candidate that patches the program around it may leave out a part of what is
 * fixed; nearly all of it where that is a program in Python, say. */
#define SHAVED	      0.5
#define SHAVED_RUNNER 1.0

static bool may_be_series(const struct task *t)
{
	return t->language != LANGUAGE_CUDA && t->metric != METRIC_THROUGHPUT &&
	       t->threads == 1 && t->cache != CACHE_COLD;
}

/* Of the launches of one contender. */
static const struct samples *fixed_of(const struct contest *c, size_t contender,
				      size_t which)
{
	return contest_is_other(c, contender) ? &c->other_fixed[which]
					      : &c->fixed[which];
}

static double fixed_seconds(const struct contest *c, size_t contender,
			    size_t which)
{
	const struct samples *s = fixed_of(c, contender, which);

	if (c->gpu)
		return c->case_overhead[which];
	return s->n ? stats_median(s->value, s->n) : 0;
}

double series_fixed(const struct contest *c, size_t which)
{
	return fixed_seconds(c, 0, which);
}

/* The standard error of a median, 1.25 times that of a mean. The deviation is of
 * the middle half: what is far off now and then does not count. */
static double median_error(const struct samples *s)
{
	double sd = (stats_quantile(s->value, s->n, 0.75) -
		     stats_quantile(s->value, s->n, 0.25)) /
		    1.349;

	return 1.253 * sd / sqrt((double)s->n);
}

static double fixed_error(const struct contest *c, size_t contender,
			  size_t which)
{
	const struct samples *s = fixed_of(c, contender, which);

	return c->gpu || s->n < 4 ? 0 : 1.96 * median_error(s);
}

double series_fixed_error(const struct contest *c, size_t which)
{
	return fixed_error(c, 0, which);
}

struct interval series_own(const struct contest *c, size_t which)
{
	const struct samples *s = &c->seconds[which];
	double whole = stats_median(s->value, s->n);
	double own = whole - series_fixed(c, which);
	double error = hypot(1.96 * median_error(s), fixed_error(c, 0, which));

	return (struct interval){MAX(own - error, 0),
				 MAX(own + error, OWN_LEAST * whole)};
}

/* Never nothing: a launch may by chance take less than nothing does. */
static double net(const struct contest *c, size_t contender, size_t which,
		  double seconds)
{
	if (c->gpu)
		return seconds;
	return MAX(seconds - fixed_seconds(c, contender, which),
		   LEAST_SHARE * seconds);
}

double series_log(const struct contest *c, size_t contender, size_t which,
		  double seconds)
{
	return log(net(c, contender, which, seconds));
}

static double series_seconds(const struct contest *c, size_t contender,
			     size_t which)
{
	const struct samples *s = &c->seconds[which];
	double own = net(c, 0, which, stats_median(s->value, s->n));

	if (!contender)
		return own;
	return own * contest_case_ratio(c, contender, which);
}

/* ---- how many in a hand-over ---------------------------------------------- */

/* Raises *bytes to what one image of a case takes. */
static struct error *image_bytes(size_t *bytes, const struct contest *c,
				 size_t which)
{
	const struct task *t = c->sc->task;
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);

	TRY(layout_make(l, t, &t->cases[which], true));
	*bytes = l->region_bytes[REGION_INPUT] +
		 l->region_bytes[REGION_OUTPUT] +
		 l->region_bytes[REGION_WORKSPACE];
	return NULL;
}

/* The images of a series shall be in the second level of the caches, where the
 * judge left them: half of it. */
static size_t series_bytes(void)
{
	long level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);

	return (size_t)MIN(MAX(level2, LEVEL2_LEAST), LEVEL2_MOST) / 2;
}

/* Seconds of the fastest contender. */
static double shortest(const struct contest *c, size_t which)
{
	double least = series_seconds(c, 0, which);

	for (size_t i = 1; i < c->n; i++)
		if (c->contender[i].rounds.n)
			least = MIN(least, series_seconds(c, i, which));
	return least;
}

static struct error *choose(uint32_t *out, const struct contest *c,
			    size_t which)
{
	double seconds = shortest(c, which);
	size_t bytes = 0, most;

	*out = 1;
	if (seconds >= SHORT_SECONDS)
		return NULL;
	TRY(image_bytes(&bytes, c, which));
	most = MIN(series_bytes() / MAX(bytes, 1), (size_t)PROTOCOL_SERIES);
	if (HAND_OVER / seconds < (double)most)
		most = (size_t)ceil(HAND_OVER / seconds);
	*out = (uint32_t)MAX(most, 1);
	return NULL;
}

static void forget(struct contest *c)
{
	for (size_t i = 0; i < c->sc->task->n_cases; i++)
		c->seconds[i].n = 0;
	for (size_t i = 0; i < c->n; i++) {
		c->contender[i].n = 0;
		c->contender[i].rounds.n = 0;
		c->contender[i].gathered = 0;
	}
	c->twin_log.n = 0;
	steadiness_forget_rounds(&c->steady);
	kept_launches_release(&c->kept);
	kept_launches_init(&c->kept, c->sc->task);
}

struct error *series_choose(struct contest *c)
{
	bool any = false;

	if (!may_be_series(c->sc->task) || c->gpu)
		return NULL;
	for (size_t i = 0; i < c->sc->task->n_cases; i++) {
		TRY(choose(&c->in_series[i], c, i));
		if (!series_is(c, i))
			continue;
		any = true;
		TRY(contest_sample_fixed(c, i));
	}
	if (any)
		forget(c);
	return NULL;
}

bool series_is(const struct contest *c, size_t which)
{
	return c->in_series[which] > 1;
}

struct error *series_set(struct input_set *s, struct contest *c, size_t which,
			 enum fill fill, bool single)
{
	const struct task *t = c->sc->task;
	int64_t n = t->metric == METRIC_THROUGHPUT ? MAX(t->batch, 1) : 1;
	bool series = series_is(c, which);

	if (series)
		n = single ? 2 : 2 * (int64_t)c->in_series[which];
	TRY(set_init(s, t, &t->cases[which], fill, n, &c->sc->secret,
		     &c->sc->layout));
	if (series)
		set_draw_series(s, &c->sc->secret);
	return NULL;
}

/* ---- what is said of it --------------------------------------------------- */

bool series_too_short(const struct contest *c, size_t contender)
{
	for (size_t i = 0; i < c->sc->task->n_cases; i++) {
		if (c->gpu)
			return false;
		if (series_fixed(c, i) > series_seconds(c, 0, i) ||
		    fixed_seconds(c, contender, i) >
			    series_seconds(c, contender, i))
			return true;
	}
	return false;
}

double series_whole_ratio(const struct contest *c, size_t contender,
			  double ratio)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < c->sc->task->n_cases; i++) {
		double weight = c->sc->task->cases[i].weight;
		double own = series_seconds(c, 0, i);
		double other = fixed_seconds(c, contender, i);

		weights += weight;
		sum += weight *
		       log((ratio * own + other) / (own + series_fixed(c, i)));
	}
	return weights > 0 ? exp(sum / weights) : ratio;
}

double series_ratio_error(const struct contest *c, size_t contender)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < c->sc->task->n_cases; i++) {
		double weight = c->sc->task->cases[i].weight;
		double own = fixed_error(c, 0, i) / series_seconds(c, 0, i);
		double other = fixed_error(c, contender, i) /
			       series_seconds(c, contender, i);

		/* The same error is in both, or two are. */
		weights += weight;
		sum += weight * (contest_is_other(c, contender)
					 ? hypot(own, other)
					 : fabs(other - own));
	}
	return weights > 0 ? sum / weights : 0;
}

/* How much longer a launch alone takes the candidate than one among others,
 * beyond what it takes its rival, at most: the upper end of an interval, so that
 * neither few launches nor noisy ones hide work for several at once. */
static double first_excess(const struct contest *c, size_t which)
{
	const struct samples *s = &c->excess[which];
	double among;

	if (s->n < SERIES_LEAST_ALONE)
		return HUGE_VAL;
	among = series_seconds(c, 0, which) - series_seconds(c, 1, which);
	return MAX(stats_median(s->value, s->n) - among + 2.5 * median_error(s),
		   0);
}

static char *first_reason(double seconds)
{
	if (!isfinite(seconds))
		return xstrdup("no launch alone shows yet whether it works for "
			       "several at once");
	return xasprintf("a launch alone may take it %.3g us longer than one "
			 "among others, beyond what it takes its rival",
			 1e6 * seconds);
}

double series_bias(char **why, const struct contest *c)
{
	bool runner = c->sc->task->language == LANGUAGE_RUNNER;
	double shaved = runner ? SHAVED_RUNNER : SHAVED;
	double worst = 0;

	for (size_t i = 0; i < c->sc->task->n_cases; i++) {
		double own = series_seconds(c, 0, i);
		double fixed = series_fixed(c, i) / own;
		double first = series_is(c, i) ? first_excess(c, i) / own : 0;

		if (!series_is(c, i) && !runner)
			continue;
		if (log1p(shaved * fixed) > worst) {
			worst = log1p(shaved * fixed);
			free(*why);
			*why = xasprintf("handing over takes %.0f %% of what a "
					 "launch of %.3g us does",
					 100 * fixed, 1e6 * own);
		}
		if (first > 0 && log1p(first) > worst) {
			worst = log1p(first);
			free(*why);
			*why = first_reason(first * own);
		}
	}
	return worst;
}
