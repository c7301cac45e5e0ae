/*
 * Shows a run while it works: one line per attempt, and at the foot of a terminal
 * how far it is, what it does and a bar for each long wait (live.h). Elsewhere
 * plain lines, each flushed, so that scripts can follow them.
 */
#ifndef CMD_UI_PROGRESS_H
#define CMD_UI_PROGRESS_H

#include "cmd/ui/color.h"
#include "core/run/evolve.h"
#include "core/run/stage.h"

struct progress {
	struct evolve_listener listener; /* first: the callback casts back */
	const struct palette *palette;
	const struct work_stage *stage; /* of the scorers; borrowed */
	size_t n_stages;
	struct work_stage thinking; /* of the operator */
	double began;
	/* Number of a kept attempt that may still be crowned; else -1. */
	int64_t waiting;
	char *spent; /* what models used; NULL: nothing yet */
	/* At the foot of the terminal: "12 attempts, champion #7 3.21x", and
	 * what goes on. NULL: not known yet. */
	char *standing, *doing;
	bool closed; /* the reader of the output closed it */
};

/* Takes away what it shows at the foot of the terminal. */
void progress_release(struct progress *p);
/* Borrows the palette. */
void progress_init(struct progress *p, const struct palette *palette);
/* Begins to show something at the foot of the terminal, where there is one:
 * `stage` is what n scorers do. Both must outlive it. */
void progress_show(struct progress *p, const struct work_stage *stage,
		   size_t n);

#endif
