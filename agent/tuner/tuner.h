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

/* Borrows the task for the operator's life. operator->free disposes. */
struct error *tuner_new(struct variation_operator **out,
			const struct task *task) MUST_CHECK;
/* Lets measurements of others (known.h) guide its searches, as far as they are
 * of the same tunables. Borrows the text for the operator's life. */
void tuner_guide(struct variation_operator *tuner, const struct buf *known);

#endif
