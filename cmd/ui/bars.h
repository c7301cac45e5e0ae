/*
 * A line for each long wait, with a bar: what it is, and how much of it is done: by
 * how long such a wait took of late, else by what the one who works says. (Checking
 * has steps that are counted; timing ends when enough is known.)
 */
#ifndef CMD_UI_BARS_H
#define CMD_UI_BARS_H

#include "cmd/ui/color.h"
#include "core/base/buf.h"
#include "core/run/stage.h"

/* Adds a line; nothing for STAGE_NONE. `width`: the most cells that it takes. */
void bars_add(struct buf *out, const struct stage_view *v,
	      const struct palette *p, size_t width);
/* Adds a line of any text, cut to the width. */
void bars_add_text(struct buf *out, const char *text, const struct palette *p,
		   enum color color, size_t width);

#endif
