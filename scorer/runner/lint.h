/* Can this task tell right from wrong? Asked of the reference alone, before
 * any candidate is. */
#ifndef RUNNER_LINT_H
#define RUNNER_LINT_H

#include "scorer/runner/reference.h"

/* Sets the finding and its argument: an output that hardly differs between
 * two sets of inputs, an input that changes no output, a plain version that
 * computes something else, a reference that leaves holes. */
const char *lint(struct judge_answer *a, struct reference *r,
		 const struct lint_request *q);

#endif
