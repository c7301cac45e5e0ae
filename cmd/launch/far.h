/*
 * An evaluator whose scores another machine makes (docs/launch.md): each is an
 * order (core/run/order.h), a job of its own that a launch brings there. Nothing
 * is measured here.
 *
 * A line that is dead is tried again, with the same job, so that what was
 * measured meanwhile is only asked for; what comes back is checked against what
 * was asked before any of it is used.
 */
#ifndef CMD_LAUNCH_FAR_H
#define CMD_LAUNCH_FAR_H

#include "cmd/session/session.h"

struct far_options {
	const char *launch; /* its name */
	const char *run;    /* that is extended; for messages there */
	const char *base;   /* commit with the task */
	double patience;    /* seconds without an answer; 0: half an hour */
	const volatile int *asked;    /* the first Ctrl-C: waits no more */
	const volatile int *stop_now; /* 2: gives up at once */
};

/* Asks the machine what it is, and fails if it does not answer. Borrows all of
 * it; session's evaluator says what is identified and builds here. */
struct error *far_open(struct evaluator **out, struct session *s,
		       const struct far_options *options) MUST_CHECK;
void far_free(struct evaluator *e);

#endif
