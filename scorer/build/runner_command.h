/*
 * The program of a task whose language is a runner's (docs/runner-protocol.md),
 * found on this machine: in libexec/avogit, where the programs are that come
 * with avogit, else in the PATH of a sandbox.
 */
#ifndef SCORER_BUILD_RUNNER_COMMAND_H
#define SCORER_BUILD_RUNNER_COMMAND_H

#include "core/base/error.h"
#include "core/base/strvec.h"

struct runner_command {
	struct strvec argv;    /* the first word is an absolute path */
	struct strvec folders; /* outside /usr, which it must see */
	/* "runner NAME 0123456789ab": of its words, and of the contents of
	 * those that are files. */
	char *version;
};

/* ERROR_NOT_FOUND if the program or a folder is not there. */
struct error *runner_command_find(struct runner_command *out,
				  const struct strvec *words,
				  const struct strvec *folders) MUST_CHECK;
void runner_command_release(struct runner_command *c);

DEFINE_RELEASE(runner_command, struct runner_command, runner_command_release)
#define cleanup_runner_command CLEANUP(runner_command)

#endif
