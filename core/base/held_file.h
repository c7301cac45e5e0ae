/*
 * Files that a process uses until it ends, in whatever way: each is locked, and
 * the lock ends with the process. So what one that was killed has left is told
 * from what is in use, and the next one removes it.
 */
#ifndef CORE_BASE_HELD_FILE_H
#define CORE_BASE_HELD_FILE_H

#include "core/base/error.h"

/* Makes and locks an empty file "<folder>/<prefix><16 hex digits><suffix>",
 * readable by its owner alone. Closing *fd gives it up; free() disposes of
 * *path. */
struct error *held_file_make(int *fd, char **path, const char *folder,
			     const char *prefix, const char *suffix) MUST_CHECK;
/* Removes those of this name that no process holds, and the folder of the same
 * name without the suffix, if there is one. What cannot be removed stays. */
void held_file_sweep(const char *folder, const char *prefix,
		     const char *suffix);

#endif
