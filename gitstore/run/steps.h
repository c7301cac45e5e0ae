/*
 * The step that an operator has in the middle (core/run/saved_step.h): a file
 * <git dir>/avogit/steps/RUN of this clone alone. It is neither sent nor
 * fetched; `avogit rm` removes it. A file that another clone wrote is not read:
 * a repository may come as an archive.
 */
#ifndef GITSTORE_RUN_STEPS_H
#define GITSTORE_RUN_STEPS_H

#include "gitstore/gitstore.h"

/* archive.save_step and load_step; the run's lock is held. */
struct error *run_step_save(const struct gitstore *g, const char *run,
			    const char *text) MUST_CHECK;
struct error *run_step_load(struct buf *out, const struct gitstore *g,
			    const char *run) MUST_CHECK;
/* The path of the file. free() disposes. */
char *run_step_path(const struct gitstore *g, const char *run) MUST_CHECK;

#endif
