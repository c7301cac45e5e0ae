/*
 * The tuner: a variation operator that needs no network. It varies the tunables
 * that a source declares, by a search that learns from the run's measurements
 * and never repeats a point. If candidates are built during scores, it chooses
 * some attempts ahead (ahead.h).
 */
#ifndef AGENT_TUNER_TUNER_H
#define AGENT_TUNER_TUNER_H

#include "agent/tuner/tunables.h"
#include "core/run/variation.h"

struct buf;
struct json;

/* Borrows the task for the operator's life. operator->free disposes. */
struct error *tuner_new(struct variation_operator **out,
			const struct task *task) MUST_CHECK;
/* Lets measurements of others (known.h) guide its searches, as far as they are
 * of the same tunables. Borrows the text for the operator's life. */
void tuner_guide(struct variation_operator *tuner, const struct buf *known);

/* The values of a point by name; json_free disposes. */
struct json *tuner_values(const struct tunables *space,
			  const size_t *point) MUST_CHECK;
/* Reads a point of this space, and the id of the rest of its sources
 * (tunables_locate), which is part of the state, from the state that the tuner
 * keeps with an attempt. False: it is of another space, or not the tuner's. */
bool tuner_point(size_t *point, const char **rest, const struct tunables *space,
		 const struct json *state);

#endif
