/* Programs of the user that have this terminal while they run. Neither a sandbox
 * nor a limit: see process.h for others. */
#ifndef CORE_SANDBOX_FOREGROUND_H
#define CORE_SANDBOX_FOREGROUND_H

#include "core/base/buf.h"

/* Runs argv (NULL-terminated, argv[0] through PATH) to its end, with this
 * process's stdin and stderr. Its stdout is added to `output`; if that is NULL,
 * it is this process's. `env`: its environment, NULL for this process's own.
 * *exit_code is 128 + the signal if one ended it. */
struct error *foreground_run(int *exit_code, struct buf *output,
			     const char *const *argv,
			     const char *const *env) MUST_CHECK;

#endif
