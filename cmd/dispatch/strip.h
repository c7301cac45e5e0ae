/* A source that declares nothing to tune. */
#ifndef CMD_DISPATCH_STRIP_H
#define CMD_DISPATCH_STRIP_H

#include "core/base/buf.h"

/* Adds the text without the marks of tunables; it ends in a newline. */
void strip_marks(struct buf *out, const char *text, size_t len);

#endif
