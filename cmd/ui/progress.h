/*
 * A run as it goes: a line an attempt, and on a terminal one line more that
 * is rewritten in place. Elsewhere plain lines, each flushed, so that a
 * script can follow them.
 */
#ifndef CMD_UI_PROGRESS_H
#define CMD_UI_PROGRESS_H

#include "cmd/ui/color.h"
#include "core/run/evolve.h"

struct progress {
	struct evolve_listener listener; /* first: the callback casts back */
	const struct palette *palette;
	bool live;
	double began;
	/* Number of a kept attempt whose line waits for a crown; else -1. */
	int64_t waiting;
	char *spent; /* what models took; NULL: nothing yet */
	bool closed; /* no reader of the output is left */
};

void progress_release(struct progress *p);
/* `live`: stdout is a terminal. Borrows the palette. */
void progress_init(struct progress *p, const struct palette *palette,
		   bool live);

#endif
