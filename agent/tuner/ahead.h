/*
 * Points that the tuner asks for before their turn, so that they are built
 * while others are scored. The next point to try was thus chosen some attempts
 * earlier. Each lineage has its own points, because lineages ask around
 * different points.
 */
#ifndef AGENT_TUNER_AHEAD_H
#define AGENT_TUNER_AHEAD_H

#include "agent/tuner/search.h"

/* A CUDA compiler takes about two seconds, a score on a GPU sometimes less than
 * one, so a point chosen three attempts ago is built in time. Mostly a score
 * takes longer than a build and fewer points are enough. Each point chosen
 * ahead costs a twentieth more measurements, because its choice knows fewer
 * results. */
#define TUNER_AHEAD 3

struct asked_point {
	size_t *point;
	size_t *around; /* as for search_ask */
	const char *reason;
	int64_t lineage;
	bool is_building;
};

struct tuner_ahead {
	size_t dims;
	struct asked_point *asked; /* oldest first */
	size_t n, cap;
};

/* The lineage that asks, and for what. */
struct tuner_wish {
	int64_t lineage;
	const size_t *around; /* as for search_ask */
	size_t ahead;	      /* points to choose beyond the next one */
};

void tuner_ahead_init(struct tuner_ahead *a, size_t dims);
/* Takes the lineage's next point and the reason for its choice; false if no
 * point is left. Points that the lineage asked around another point are dropped
 * and may be asked again; points told meanwhile are skipped. */
bool tuner_ahead_take(struct tuner_ahead *a, struct tuner_search *s,
		      const struct tuner_wish *wish, size_t *point,
		      const char **reason);
/* Asks for points until wish->ahead wait for the lineage, the next included. */
void tuner_ahead_ask(struct tuner_ahead *a, struct tuner_search *s,
		     const struct tuner_wish *wish);
/* Drops all points: with the search, or earlier. */
void tuner_ahead_release(struct tuner_ahead *a);

DEFINE_RELEASE(tuner_ahead, struct tuner_ahead, tuner_ahead_release)
#define cleanup_tuner_ahead CLEANUP(tuner_ahead)

#endif
