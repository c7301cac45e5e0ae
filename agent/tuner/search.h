/*
 * The tuner's search, apart from files and git so that it can be simulated:
 * it is told points and their speeds and proposes the next point.
 *
 * A Gaussian process over the points told so far says what to expect of the
 * others and how surely; the point of the largest expected improvement over
 * the best is next. Sources: Rasmussen and Williams 2006, ch. 2 and 5 (the
 * process, its length scales by marginal likelihood); Jones, Schonlau and
 * Welch 1998 (expected improvement). Where several points are asked before
 * the first of them is told, the model takes each to have the value that it
 * expects of it: Ginsbourger, Le Riche and Carraro 2010 (kriging believer).
 */
#ifndef AGENT_TUNER_SEARCH_H
#define AGENT_TUNER_SEARCH_H

#include "core/base/random.h"

struct search_space {
	size_t n;	      /* dimensions */
	const size_t *values; /* how many values each has */
	const bool *ordered;  /* neighbours are near in this dimension */
	bool (*allowed)(const void *arg, const size_t *point);
	const void *arg;
};

struct tuner_search;

struct tuner_search *search_new(const struct search_space *space,
				uint64_t seed) MUST_CHECK;
/* `gain`: log speed, larger is better; NAN for a point that failed. */
void search_tell(struct tuner_search *s, const size_t *point, double gain);
/* The next point, never one that was told or asked; false when nothing is
 * left. `around`, unless NULL, keeps to neighbours of that point as long as
 * there are any. `reason` (static string) says why: "a neighbour of ...". */
bool search_ask(struct tuner_search *s, size_t *point, const size_t *around,
		const char **reason);
/* `point` was asked and will be told, but other points are asked before: until
 * then, or until it is no longer expected, the model counts with it. */
void search_expect(struct tuner_search *s, const size_t *point,
		   bool is_expected);
/* As if `point` had not been asked, so that it may be asked again; nothing
 * where it was told. */
void search_withdraw(struct tuner_search *s, const size_t *point);
bool search_was_told(const struct tuner_search *s, const size_t *point);
/* Up to `n` points (one after another in `points`) that might be asked next,
 * as things stand: nothing is asked by this. Returns how many. */
size_t search_foresee(struct tuner_search *s, size_t *points, size_t n,
		      const size_t *around);
void search_free(struct tuner_search *s);

#endif
