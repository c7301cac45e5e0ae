/* Figures of a profiler that were kept of an attempt: a log of its run for each case,
 * the newest of which counts (gitstore/run/logs.h). */
#ifndef CMD_SESSION_PROFILE_LOG_H
#define CMD_SESSION_PROFILE_LOG_H

#include "core/base/json.h"
#include "gitstore/run/logs.h"

/* `number`: of the case in its task, from 1. `profile`: what `avogit profile --json`
 * has under that name. */
struct error *profile_log_keep(struct gitstore *g, const char *run,
			       const char *commit, size_t number,
			       const struct json *profile) MUST_CHECK;
/* NULL in *out if none was kept, or it cannot be read here: logs may come from other
 * clones. Only numbers and short texts are taken over: case, gpu, kernel, facts,
 * bottlenecks. */
void profile_log_read(struct json **out, struct gitstore *g,
		      const struct log_list *logs, const char *commit,
		      size_t number);

#endif
