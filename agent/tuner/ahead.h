/*
 * Points that the tuner asks for ahead of their turn, so that each is built
 * while others are scored: what is tried next was chosen some attempts ago.
 * Lineages have points of their own, since each asks for other ones.
 */
#ifndef AGENT_TUNER_AHEAD_H
#define AGENT_TUNER_AHEAD_H

#include "agent/tuner/search.h"

/* A compiler of CUDA takes about two seconds, a score on a card sometimes less
 * than one: what was chosen three attempts ago is built. Most are scored longer
 * than they are built, and fewer will do: who chooses early knows less, and
 * needs a twentieth more measurements for each. */
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

/* What is asked for, and for whom. */
struct tuner_wish {
	int64_t lineage;
	const size_t *around; /* as for search_ask */
	size_t ahead;	      /* points to be chosen beyond the next one */
};

void tuner_ahead_init(struct tuner_ahead *a, size_t dims);
/* The next point and why it was chosen; false when nothing is left. What the
 * lineage asked for around another point is dropped and may be asked again;
 * what was told meanwhile is skipped. */
bool tuner_ahead_take(struct tuner_ahead *a, struct tuner_search *s,
		      const struct tuner_wish *wish, size_t *point,
		      const char **reason);
/* Asks for so many points of the lineage's that none is asked for beyond them:
 * wish->ahead, the next one among them. */
void tuner_ahead_ask(struct tuner_ahead *a, struct tuner_search *s,
		     const struct tuner_wish *wish);
/* Drops everything: with the search, or before it may end. */
void tuner_ahead_release(struct tuner_ahead *a);

DEFINE_RELEASE(tuner_ahead, struct tuner_ahead, tuner_ahead_release)
#define cleanup_tuner_ahead CLEANUP(tuner_ahead)

#endif
