/*
 * The tuner: the variation operator that needs no network. It varies what a
 * source declares as tunable, by a local search that learns from what the
 * lineage already measured and never repeats a point. Where candidates are
 * built beside scores it chooses some attempts ahead (ahead.h).
 */
#ifndef AGENT_TUNER_TUNER_H
#define AGENT_TUNER_TUNER_H

#include "agent/tuner/tunables.h"
#include "core/run/variation.h"

/* Borrows task. operator->free disposes. */
struct error *tuner_new(struct variation_operator **out,
			const struct task *task) MUST_CHECK;

#endif
