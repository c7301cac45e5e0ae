/* What the work tree holds as the next attempt of a run. */
#ifndef CMD_SESSION_ATTEMPT_H
#define CMD_SESSION_ATTEMPT_H

#include "cmd/ui/exit_code.h"
#include "core/base/error.h"

struct attempt_options {
	const char *run, *message, *task;
	double seconds; /* of a comparison at most; 0: the scorer's own */
	const char *color;
};

/* Begins the run where there is none, at HEAD. CODE_NO where the candidate is
 * not right. */
struct error *attempt_score(enum exit_code *code,
			    const struct attempt_options *o) MUST_CHECK;

#endif
