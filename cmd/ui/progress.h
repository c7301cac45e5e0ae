/*
 * Shows a run while it works: one line per attempt, and on a terminal one more
 * line that is rewritten in place. Elsewhere plain lines, each flushed, so that
 * scripts can follow them.
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
	/* Number of a kept attempt that may still be crowned; else -1. */
	int64_t waiting;
	char *spent; /* what models used; NULL: nothing yet */
	bool closed; /* the reader of the output closed it */
};

void progress_release(struct progress *p);
/* `live`: stdout is a terminal. Borrows the palette. */
void progress_init(struct progress *p, const struct palette *palette,
		   bool live);

#endif
