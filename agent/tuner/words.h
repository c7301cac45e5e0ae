/*
 * What the tuner writes beside an attempt: its point, for itself to read again,
 * and what was changed and why, for people.
 */
#ifndef AGENT_TUNER_WORDS_H
#define AGENT_TUNER_WORDS_H

#include "agent/tuner/tunables.h"
#include "core/run/population.h"

/* {"tunables": {"NAME": "VALUE", ...}, "parent": {...}}: by name and text, so
 * that a later version of the sources with other values still understands it;
 * the parent's too, since a person may have made it. free() disposes. */
char *tuner_state(const struct tunables *space, const size_t *point,
		  const size_t *parent) MUST_CHECK;
/* Reads it; `whose` is "tunables" or "parent". False where there is no such
 * point in this space. */
bool tuner_point(size_t *point, const struct tunables *space, const char *state,
		 const char *whose);
/* "MR 4 -> 8, NR 32 -> 64"; free() disposes. */
char *tuner_change(const struct tunables *from, const size_t *to) MUST_CHECK;
/* Why this point: the search's `reason`, and what attempts with these values
 * came to so far; free() disposes. */
char *tuner_why(const struct tunables *space, const struct population *p,
		const size_t *to, const char *reason) MUST_CHECK;

#endif
