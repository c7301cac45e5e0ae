/* The launch of a run that a command extends: `evolve`, or `mcp`. */
#ifndef CMD_LAUNCH_ELSEWHERE_H
#define CMD_LAUNCH_ELSEWHERE_H

#include "cmd/session/evolving.h"

/* For evolve_options.elsewhere; far.h does it. */
extern const struct far_opener elsewhere_by_launch;

#endif
