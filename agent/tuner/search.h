/*
 * The tuner's search. It knows no files and no git, so that it can be
 * simulated: it is given points with their speeds and proposes the next point.
 *
 * A Gaussian process over the points told so far predicts the others; the point
 * with the largest expected improvement over the best is next. While nothing is
 * known, and in a space of many points while only the one is that the source has,
 * it is the middle of all ranges, where Kernel Tuner's local searches begin, too;
 * of two middle values the lower, which mostly takes less of what a card has.
 * Points slower than the median of those told, and failed ones, count as the
 * median, or from twelve points on as less than it by the log of how much slower
 * they are: whichever way the faster ones are predicted better, each from all
 * others (gaussian_loo), anew whenever weights are learned. A space of few points
 * is looked at in full; of a larger one random points and neighbours of the best
 * are, as many as keep the cost of an ask the same. The process holds at most GAUSSIAN_MAX_POINTS points: the best
 * of those told and a spread of the others. Sources:
 * Rasmussen and Williams 2006, ch. 2, 5 and 8.3.1 (the process, its length
 * scales by their posterior density, a subset of the data); Jones, Schonlau and
 * Welch 1998 (expected improvement); Snoek, Larochelle and Adams 2012 (such a
 * search over the parameters of programs); Dixon 1960 (values raised to a
 * quantile); Sundararajan and Keerthi 2001, and Rasmussen and Williams 2006,
 * ch. 5.4.2 (a model chosen by its predictions of points left out); Hutter, Hoos and Leyton-Brown 2011 (candidates: random points and
 * neighbours of the best).
 * Of a gain that is told with its deviation the model takes so much for noise,
 * and what is to be improved on is then the best that the model holds for likely
 * at a point told, not a gain that may be luck: Ankenman, Nelson and Staum 2010
 * (known variances); Vazquez, Villemonteix, Sidorkiewicz and Walter 2008 (the
 * plug-in for expected improvement).
 * If several points are asked before the first of them is told, the model
 * assumes for each the value that it predicts: Ginsbourger, Le Riche and
 * Carraro 2010 (kriging believer).
 */
#ifndef AGENT_TUNER_SEARCH_H
#define AGENT_TUNER_SEARCH_H

#include "core/base/random.h"

struct search_space {
	size_t n;	      /* dimensions */
	const size_t *values; /* number of values of each */
	const bool *ordered;  /* neighbours are near in this dimension */
	/* By dimension, or NULL: how many steps apart two values of an unordered
	 * one are, values squared; NULL for one where all are as far apart. */
	const uint8_t *const *steps;
	bool (*allowed)(const void *arg, const size_t *point);
	/* May a point that is allowed begin with these n values? So that random
	 * points are made of what is allowed and not drawn until one is.
	 * (optional) */
	bool (*may_begin)(const void *arg, const size_t *point, size_t n);
	const void *arg;
};

struct tuner_search;

/* Borrows the arrays of `space` for its life. search_free disposes. */
struct tuner_search *search_new(const struct search_space *space,
				uint64_t seed) MUST_CHECK;
/* Tells a result. `gain` is the log speed, larger is better; NAN: it failed. */
void search_tell(struct tuner_search *s, const size_t *point, double gain);
/* The same where the gain's standard deviation is known. */
void search_tell_within(struct tuner_search *s, const size_t *point,
			double gain, double deviation);
/* Tells what another tuner measured at the point: on another machine, so that
 * its gain is only compared with others of this kind. It guides the search and
 * can be asked all the same. The best of them is asked first, and as long as it
 * failed the next best, three at most; then they are in the model, moved by what
 * the gains told of them differ by in the mean, and as unsure as they differ by
 * else, until enough is known without them. */
void search_guide(struct tuner_search *s, const size_t *point, double gain);
/* Asks for the next point, never one that was told or asked; false if none is
 * left. If `around` is given, neighbours of that point are chosen as long as
 * there are any. *reason (static string) is the reason for the choice: "a
 * neighbour of ...". */
bool search_ask(struct tuner_search *s, size_t *point, const size_t *around,
		const char **reason);
/* Marks a point that was asked and will be told, but after other points are
 * asked. Until it is told or unmarked, the model assumes its predicted
 * value. */
void search_expect(struct tuner_search *s, const size_t *point,
		   bool is_expected);
/* Forgets that `point` was asked, so that it may be asked again, unless it was
 * told. */
void search_withdraw(struct tuner_search *s, const size_t *point);
bool search_was_told(const struct tuner_search *s, const size_t *point);
/* Finds up to `n` points (stored one after another) that may be asked next,
 * without asking them. Returns their number. */
size_t search_foresee(struct tuner_search *s, size_t *points, size_t n,
		      const size_t *around);
void search_free(struct tuner_search *s);

#endif
