/*
 * Files that init writes and that a person may change: their last line has a sum
 * of the rest, so that one that nobody changed is told from one that is somebody's.
 */
#ifndef CMD_INIT_WRITTEN_H
#define CMD_INIT_WRITTEN_H

#include "core/base/buf.h"

void written_add_sum(struct buf *text);
/* Is the file still as init wrote it? */
bool written_is_unchanged(const char *path);

#endif
