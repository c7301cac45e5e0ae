/*
 * A log of one step or review, among the run's logs (archive.open_log). The
 * file grows while the step runs, so that it can be read even after a kill -9.
 * Several logs may be open at a time.
 */
#ifndef AGENT_TOOLS_STEP_LOG_H
#define AGENT_TOOLS_STEP_LOG_H

#include "core/run/archive.h"

struct step_log {
	struct archive *archive; /* NULL: nothing is stored */
	char run[RUN_NAME_MAX + 1];
	char *name;
	int fd; /* of one with an archive */
};

/* Opens a zeroed log: KIND-TIME-NUMBER with `suffix` at its end; logs opened in
 * the same second need different numbers. Borrows the archive. Without an
 * archive, or with one that has no logs, nothing is stored. */
struct error *step_log_open(struct step_log *l, struct archive *archive,
			    const char *run, const char *kind, uint32_t number,
			    const char *suffix) MUST_CHECK;
/* Writes the bytes to the file at once; no effect without a log. */
struct error *step_log_add(struct step_log *l, const char *text,
			   size_t len) MUST_CHECK;
/* Stores the log with the run; nothing can be added afterwards. */
struct error *step_log_keep(struct step_log *l) MUST_CHECK;
/* Of one that was never opened, too. */
void step_log_release(struct step_log *l);

DEFINE_RELEASE(step_log, struct step_log, step_log_release)
#define cleanup_step_log CLEANUP(step_log)

#endif
