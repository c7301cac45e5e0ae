/*
 * The compiler's flags that a candidate was measured with, and what it is under
 * those of the start of its run: a project that builds with others gets another
 * kernel than the one that won.
 */
#ifndef CMD_SESSION_START_FLAGS_H
#define CMD_SESSION_START_FLAGS_H

#include "gitstore/run/pick.h"

/* Prints what is known. If other flags are in force for the candidate's sources
 * than for the start's and `measure` is true, compares both under the start's flags, each
 * comparison for at most so many seconds (0: the scorer's own; confirming a gain takes
 * more of them), and has the message of the pick say it; where that is not possible it
 * says why. */
struct error *start_flags_say(struct pick *p, bool measure,
			      double seconds) MUST_CHECK;

#endif
