/*
 * A candidate that passed, under sanitizers: one launch of the smallest
 * declared case and one of a small hidden case, each under each tool. What
 * they find is a failure of the candidate; where they cannot look, the
 * measurement says so and nothing else changes. docs/sanitize.md.
 */
#ifndef SCORER_INSPECT_SANITIZE_H
#define SCORER_INSPECT_SANITIZE_H

#include "scorer/host/context.h"

/* Of a measurement that is otherwise done: a search sanitizes what it would
 * crown, and nothing else. */
bool sanitize_wanted(const struct measurement *m,
		     const struct score_request *r);
/* A finding is in *o. `sanitized` in the measurement names the tools that
 * found nothing, `unsanitized` says why they were not all asked, or could not
 * say. `tools` is a set, see task.h. */
struct error *sanitize_candidate(struct score_outcome *o, struct measurement *m,
				 struct scorer *s, const struct build *build,
				 unsigned tools) MUST_CHECK;

#endif
