/* The runner as the home of a candidate (or a baseline: the same). */
#ifndef RUNNER_CANDIDATE_H
#define RUNNER_CANDIDATE_H

#include "scorer/runner/channel.h"
#include "scorer/runner/load.h"

/* Serves launches of `entry` until the scorer is gone; `prepare` may be NULL.
 * `r` is the storage that fault reports look at. */
void candidate_serve(union request *r, function entry, function prepare);

#endif
