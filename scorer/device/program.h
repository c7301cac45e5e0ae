/*
 * Finds NVIDIA's tools that avogit uses if they are installed: a profiler, a
 * disassembler. An environment variable gives the path of one; otherwise it is
 * searched for in the PATH, in the toolkits of this machine and where Nsight
 * Compute is installed separately.
 */
#ifndef SCORER_DEVICE_PROGRAM_H
#define SCORER_DEVICE_PROGRAM_H

#include "core/base/error.h"

/* An absolute path to an executable file; free() disposes. ERROR_NOT_FOUND if
 * there is none, with the remedy. */
struct error *program_find(char **out, const char *name,
			   const char *variable) MUST_CHECK;
/* The folder that a sandbox must show so that the tool can run there: the
 * parent of the tool's own folder, NULL if that is in /usr. free() disposes. */
char *program_folder(const char *path) MUST_CHECK;

#endif
