/*
 * Programs that share this terminal, as git's own commands do: they may ask
 * for a passphrase, and Ctrl-C is theirs. What runs unattended: process.h.
 */
#ifndef GITSTORE_GIT_FOREGROUND_H
#define GITSTORE_GIT_FOREGROUND_H

#include "core/base/buf.h"

/* Runs argv (NULL-terminated, argv[0] through PATH) to its end, with this
 * process's stdin, stderr and, where `output` is NULL, stdout; otherwise its
 * stdout is added there; `env`: its environment, NULL for this process's own.
 * *exit_code is 128 and the signal where one ended it. */
struct error *foreground_run(int *exit_code, struct buf *output,
			     const char *const *argv,
			     const char *const *env) MUST_CHECK;

#endif
