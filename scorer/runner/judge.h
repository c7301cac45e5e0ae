/* The runner as the judge: makes inputs and poison, knows what is right, and
 * says how far off an output is. Holds the task's own code, never a
 * candidate's. */
#ifndef RUNNER_JUDGE_H
#define RUNNER_JUDGE_H

#include "scorer/runner/channel.h"
#include "scorer/runner/reference.h"

void judge_serve(union request *r, const struct functions *f);

#endif
