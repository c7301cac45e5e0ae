/* `avogit score --pending`: a machine measures what others proposed. */
#ifndef CMD_SESSION_PENDING_H
#define CMD_SESSION_PENDING_H

#include "cmd/session/session.h"

struct pending {
	double seconds; /* of a comparison; 0: the scorer's own */
	const char *color;
	bool json;
	struct json *scores; /* borrowed; filled where json is asked for */
	size_t measured, failed;
};

/* Measures every candidate of the runs here that has no measurement of this
 * kind of machine (of this task and scorer), against the start of its run, and
 * puts it into the run's journal. What another process measures meanwhile is
 * left to that. */
struct error *pending_measure(struct pending *p) MUST_CHECK;

#endif
