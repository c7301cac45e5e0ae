/* What the parts of a search share. */
#ifndef AGENT_TUNER_SEARCH_STATE_H
#define AGENT_TUNER_SEARCH_STATE_H

#include "agent/tuner/gaussian.h"
#include "agent/tuner/search.h"

struct search_point {
	size_t *point;
	double gain;	  /* log speed; NAN: failed */
	double deviation; /* how far it may be off; 0: unknown */
	bool is_told;
	bool is_expected; /* asked and not told, see search_expect */
};

/* What another tuner measured. */
struct guide {
	size_t *point;
	double gain; /* NAN: failed */
};

/* What slow points count as: all as the floor, or as less than it by the log of
 * how much slower they are. */
enum search_slow { SLOW_CUT_OFF, SLOW_SQUEEZED, SLOW_WAYS };

/* Weights and noise of the model, 0 before any were learned. */
struct search_learned {
	double weight[GAUSSIAN_MAX_DIMS], noise;
};

/* Which way slow points count now, and what was learned with each way. */
struct search_ways {
	enum search_slow chosen;
	struct search_learned learned[SLOW_WAYS];
};

/* The told points of a model, best first. */
struct search_sample {
	const size_t *point[GAUSSIAN_MAX_POINTS];
	double gain[GAUSSIAN_MAX_POINTS];      /* as told */
	double value[GAUSSIAN_MAX_POINTS];     /* what it counts as */
	double deviation[GAUSSIAN_MAX_POINTS]; /* how far it may be off */
	size_t n;
	double floor; /* search_floor */
};

struct tuner_search {
	struct search_space space;
	struct random random;
	struct search_point *told; /* points asked or told */
	size_t n, cap;
	struct guide *guide; /* best first, once `is_sorted` */
	size_t n_guides, cap_guides;
	bool is_sorted;
	/* Indices + 1 of told by hash of the point; 0: free. A power of two of
	 * slots, at least twice as many as points. */
	size_t *slot, n_slots;
	size_t few; /* points of the space, or MOST_CANDIDATES if it has more */
	struct gaussian model;
	struct search_ways slow;
	double best;	/* largest gain told, likely or believed */
	bool has_begun; /* the middle was proposed */
	/* Best proposal so far while search_ask runs. */
	size_t *proposal;
	double improvement;
	bool has_proposal;
};

/* The point if it was asked or told, else NULL. */
struct search_point *search_find(const struct tuner_search *s,
				 const size_t *point);
bool search_is_known(const struct tuner_search *s, const size_t *point);
/* What others measured, best first. */
void search_sort_guides(struct tuner_search *s);
/* Proposes the best of their points; false: it ran here, or so many failed that
 * they are of no use. */
bool search_propose_guide(struct tuner_search *s);
/* Adds the best of their points and a spread of the rest to the n of the model,
 * as far as they are not told here, each as unsure as the gains told of such points
 * differ. Returns the new number. */
size_t search_add_guides(const struct tuner_search *s, const size_t **point,
			 double *value, double *deviation, size_t n,
			 double floor);
/* Gains below it are slow. index: n points told, best first. */
double search_floor(const struct tuner_search *s, const size_t *index,
		    size_t n);
/* Fills the sample's values from its gains. `is_learning`: chooses the way that
 * slow points count before, and leaves the model with the weights that go with
 * it. */
void search_fill_values(struct tuner_search *s, struct search_sample *m,
			bool is_learning);

#endif
