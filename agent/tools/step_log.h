/*
 * A log among the run's (archive.open_log) of what goes on in it, a step or a
 * review: a file that grows meanwhile, so that it can be read after a kill -9
 * too. Several may be open at a time.
 */
#ifndef AGENT_TOOLS_STEP_LOG_H
#define AGENT_TOOLS_STEP_LOG_H

#include "core/run/archive.h"

struct step_log {
	struct archive *archive;
	char run[RUN_NAME_MAX + 1];
	char *name;
	int fd; /* -1: nothing is kept */
};
#define STEP_LOG_INIT    \
	{                \
		.fd = -1 \
	}

/* Called KIND-TIME-NUMBER and `suffix`: no two of a second have the same
 * number. Borrows the archive. No archive, or one without logs, keeps none. */
struct error *step_log_open(struct step_log *l, struct archive *archive,
			    const char *run, const char *kind, uint32_t number,
			    const char *suffix) MUST_CHECK;
struct error *step_log_add(struct step_log *l, const char *text,
			   size_t len) MUST_CHECK;
/* Puts it among the run's logs; nothing is added after. */
struct error *step_log_keep(struct step_log *l) MUST_CHECK;
void step_log_release(struct step_log *l);

DEFINE_RELEASE(step_log, struct step_log, step_log_release)
#define cleanup_step_log CLEANUP(step_log)

#endif
