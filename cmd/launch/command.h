/* How another machine is reached, as the user's own configuration says
 * (docs/launch.md): avogit.launch.NAME.command, or .ssh and .bundle, or .slurm
 * and what belongs to it. */
#ifndef CMD_LAUNCH_COMMAND_H
#define CMD_LAUNCH_COMMAND_H

#include "cmd/launch/slurm_queue.h"
#include "gitstore/gitstore.h"

struct launch_way {
	/* For /bin/sh; its stdin is the job, its stdout the answer. NULL: by
	 * Slurm. */
	char *command;
	size_t at_once; /* so many jobs at a time */
	struct slurm_settings slurm;
};
void launch_way_release(struct launch_way *w);

/* Fills *out (zeroed). ERROR_REFUSED if a setting is only in the repository,
 * which may come from others. */
struct error *launch_way_read(struct launch_way *out, const struct gitstore *g,
			      const char *name) MUST_CHECK;

#endif
