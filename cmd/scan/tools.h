/* Profilers that are there, and what says where a function begins. */
#ifndef CMD_SCAN_TOOLS_H
#define CMD_SCAN_TOOLS_H

#include "cmd/scan/hot.h"

/* Runs the command (NULL-terminated) on this terminal under a profiler and adds
 * what that printed to `out`. `with`: "perf", "callgrind", "ncu", "nsys"; NULL:
 * perf, and callgrind where perf may not count. *exit_code is the command's. */
struct error *tools_profile(struct buf *out, int *exit_code, const char *with,
			    const char *const *command) MUST_CHECK;
/* Fills in f->source and line from the debug information of f->object, unless
 * they are known or there is none. */
void tools_find_source(struct hot_function *f);

#endif
