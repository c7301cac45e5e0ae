/*
 * A score outside of a run (score, verify) may find an attempt of one wrong: a
 * race that a sanitizer sees, a kernel that is right only sometimes. The run then
 * has to know of it, or its champion would stay one that is known to be wrong.
 */
#ifndef CMD_SESSION_REFUTED_H
#define CMD_SESSION_REFUTED_H

#include "gitstore/gitstore.h"

/* Where m refutes the candidate (attempt_is_refuted) as an attempt of a run,
 * writes m into the run's journal, moves the run's branches and says on stderr
 * what the champion is now. A run that cannot be read, that another process
 * extends now, or whose task is not the one that m was measured under, is left
 * as it is; the last two are said. Does nothing for the start of a run, and
 * nothing the second time. */
struct error *refuted_tell_runs(struct gitstore *g, const char *id,
				const struct measurement *m) MUST_CHECK;

#endif
