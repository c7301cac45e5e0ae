/*
 * Text of others within Markdown. It is posted where people read it, so it must
 * make no heading, link, image, mention or HTML: it is always shown as code.
 */
#ifndef CMD_UI_MARKDOWN_H
#define CMD_UI_MARKDOWN_H

#include "core/base/buf.h"

/* Adds the text as code in one line, cut where it is long; in a cell of a table
 * too. */
void markdown_add_code(struct buf *out, const char *text);
/* Adds the text as a block of code, at most so many bytes. After a list,
 * too. */
void markdown_add_block(struct buf *out, const char *text, size_t most);

#endif
