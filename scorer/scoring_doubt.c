/* Where a rate says little of the kernel. What a kernel does may depend on what its
 * inputs hold: a search returns at the first hit, a comparison at the first
 * difference, a validator at the first fault, and random inputs have one within a
 * few bytes. Then a launch is all hand-over, and the task's `bytes` over its time is
 * no rate of anything. */
#include <math.h>

#include "scorer/contest/series.h"
#include "scorer/device/copy_rate.h"
#include "scorer/scoring.h"

/* A kernel that only reads moves at most twice what a copy in the nearest cache
 * does: a CPU loads two registers where it loads and stores one. */
#define OVER_COPY 2
/* No kernel is blamed by fewer times, which are no interval; and by the times of two
 * cases only by more, since those of one may all be of a bad moment. */
#define LEAST_TIMES	   4
#define LEAST_TIMES_OF_TWO 6
/* Of two cases, work that differs by less says nothing of how time grows; and for
 * time that grows the fourth root of it is little. */
#define LEAST_GROWTH 4
#define GROWTH_ROOT  0.25

#define CONTENTS                                                             \
	"let `fill` in avogit.yaml make inputs that it goes through to the " \
	"end (a range, or `{generator: NAME}`)"

static bool is_compiled(const struct task *t)
{
	return t->language == LANGUAGE_C || t->language == LANGUAGE_CXX;
}

/* Or so much that noise leaves nothing of the kernel. In another program, Python for
 * one, a launch of an ordinary kernel has such a share that is fixed. */
#define LOST_SHARE 0.25

static bool is_mostly_fixed(const struct case_result *r, const struct task *t,
			    const struct timed_case *timed)
{
	double share = (r->overhead + r->fixed) / (r->seconds + r->fixed);

	return timed->times >= LEAST_TIMES &&
	       (share > SERIES_FIXED_MOST ||
		(share > LOST_SHARE && is_compiled(t) && !(timed->own.lo > 0)));
}

static char *bytes_text(double bytes)
{
	static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
	size_t i = 0;

	for (; bytes >= 1000 && i + 1 < ARRAY_SIZE(unit); i++)
		bytes /= 1000;
	return xasprintf("%.3g %s", bytes, unit[i]);
}

/* No CPU moves so much in the time that the kernel took at most. */
static char *returned_early(const struct measurement *m, const struct task *t,
			    const struct timed_case *timed)
{
	cleanup_free char *bytes = NULL;
	double most = 0;

	if (!m->rate_is_bytes || !is_compiled(t))
		return NULL;
	for (size_t i = 0; i < m->n_cases; i++) {
		if (!is_mostly_fixed(&m->cases[i], t, &timed[i]))
			continue;
		if (!(most > 0))
			most = OVER_COPY * copy_rate() *
			       (double)MAX(t->threads, 1U);
		if (timed[i].work <= most * timed[i].own.hi)
			continue;
		bytes = bytes_text(timed[i].work);
		return xasprintf("in case %s the kernel alone took %.2g us at "
				 "most, in which no CPU here reads %s: it "
				 "returned before the end of its inputs, so "
				 "its rate is none; " CONTENTS,
				 m->cases[i].name, 1e6 * timed[i].own.hi,
				 bytes);
	}
	return NULL;
}

/* Where one size is larger and another smaller, they may be other work: a lookup in
 * a table that is in the cache, and in one that is not. */
static bool is_larger(const struct task *t, size_t large, size_t small)
{
	for (size_t i = 0; i < t->symbols.n; i++)
		if (t->cases[large].value[i] < t->cases[small].value[i])
			return false;
	return true;
}

/* Does the time of the larger of two cases surely grow by next to nothing? */
static bool is_flat(const struct timed_case *small,
		    const struct timed_case *large)
{
	double growth = large->work / small->work;

	return growth >= LEAST_GROWTH && small->own.lo > 0 &&
	       MIN(small->times, large->times) >= LEAST_TIMES_OF_TWO &&
	       large->own.hi < pow(growth, GROWTH_ROOT) * small->own.lo;
}

static char *flat_time(const struct measurement *m, const struct task *t,
		       const struct timed_case *timed)
{
	/* To start threads takes a time of its own. And four times the arithmetic
	 * on the same memory may take the time of that: a matrix times one vector,
	 * and times four. */
	if (!m->rate_is_bytes || !is_compiled(t) || t->threads > 1)
		return NULL;
	for (size_t i = 0; i < m->n_cases; i++)
		for (size_t k = 0; k < m->n_cases; k++)
			if (is_flat(&timed[k], &timed[i]) && is_larger(t, i, k))
				return xasprintf(
					"case %s has %.3g times the bytes of "
					"case %s, and the kernel took less "
					"than "
					"%.2g times as long, so their rates "
					"say little; if it returns early (at "
					"the first hit, difference or "
					"fault), " CONTENTS,
					m->cases[i].name,
					timed[i].work / timed[k].work,
					m->cases[k].name,
					timed[i].own.hi / timed[k].own.lo);
	return NULL;
}

static char *too_short(const struct measurement *m, const struct task *t,
		       const struct timed_case *timed)
{
	for (size_t i = 0; i < m->n_cases; i++)
		if (is_mostly_fixed(&m->cases[i], t, &timed[i]))
			return xasprintf(
				"in case %s the kernel's own time is hardly "
				"told from the launch's, so its rate says "
				"little: give larger `cases`; or, if it "
				"returns early (at the first hit, difference "
				"or fault), " CONTENTS,
				m->cases[i].name);
	return NULL;
}

void score_doubt(struct measurement *m, const struct task *t,
		 const struct timed_case *timed)
{
	cleanup_free char *why = returned_early(m, t, timed);

	if (!why)
		why = flat_time(m, t, timed);
	if (!why)
		why = too_short(m, t, timed);
	if (why)
		measurement_set(m, DOUBT_KEY, why);
}
