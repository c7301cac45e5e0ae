/*
 * A run while it works, for programs: each event one line of JSON on stdout,
 * flushed. docs/history.md has the members.
 */
#ifndef CMD_UI_EVENTS_H
#define CMD_UI_EVENTS_H

#include "core/run/evolve.h"

struct events {
	struct evolve_listener listener; /* first: the callback casts back */
	bool closed; /* the reader closed the output: the run is asked to stop */
};

void events_init(struct events *e);

#endif
