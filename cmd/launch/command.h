/* The command that reaches another machine, as the user's own configuration says
 * (docs/launch.md): avogit.launch.NAME.command, or .ssh and .bundle. */
#ifndef CMD_LAUNCH_COMMAND_H
#define CMD_LAUNCH_COMMAND_H

#include "gitstore/gitstore.h"

/* For /bin/sh; its stdin is the job, its stdout the answer. ERROR_REFUSED if the
 * setting is only in the repository, which may come from others. free() disposes
 * of *out. */
struct error *launch_command(char **out, const struct gitstore *g,
			     const char *name) MUST_CHECK;

#endif
