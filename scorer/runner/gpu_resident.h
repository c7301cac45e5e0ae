/* The runner as a resident: a candidate's or baseline's own host code with the
 * scorer's memory mapped, called as a user would call it. */
#ifndef RUNNER_GPU_RESIDENT_H
#define RUNNER_GPU_RESIDENT_H

#include "scorer/runner/channel.h"
#include "scorer/runner/load.h"

/* No prepare: NULL. */
void resident_serve(union request *r, function entry, function prepare);

#endif
