/*
 * NVIDIA's tools that avogit uses where they are installed: a profiler, a
 * disassembler. A variable of the environment names one by its path;
 * otherwise it is looked for on the PATH, in the toolkits of this machine and
 * where Nsight Compute is installed on its own.
 */
#ifndef SCORER_DEVICE_PROGRAM_H
#define SCORER_DEVICE_PROGRAM_H

#include "core/base/error.h"

/* An absolute path to an executable file; free() disposes. ERROR_NOT_FOUND
 * where there is none, with the mend. */
struct error *program_find(char **out, const char *name,
			   const char *variable) MUST_CHECK;
/* The folder that must be shown to a sandbox for the tool to run there: the
 * one above its own, NULL where that is in /usr. free() disposes. */
char *program_folder(const char *path) MUST_CHECK;

#endif
