/* What a program on this machine says of its version. */
#ifndef CMD_DOCTOR_TOOL_VERSION_H
#define CMD_DOCTOR_TOOL_VERSION_H

#include "core/base/error.h"

/* What `PROGRAM --version` prints, 4 KiB of it at most; an error where it does
 * not run, or not in ten seconds. free() disposes. */
struct error *tool_version(char **out, const char *program) MUST_CHECK;

#endif
