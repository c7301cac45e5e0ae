/*
 * Colour is used only on a terminal, and not if NO_COLOR or git's color.ui
 * disables it; --color overrides both.
 */
#ifndef CMD_UI_COLOR_H
#define CMD_UI_COLOR_H

#include "core/base/error.h"

enum color {
	COLOR_NONE,
	COLOR_GOOD,  /* green: passed, kept, faster */
	COLOR_BAD,   /* red: failed, slower */
	COLOR_WARN,  /* yellow: champion, warnings */
	COLOR_ID,    /* yellow, as git has commit ids */
	COLOR_FAINT, /* less important text */
	COLOR_BOLD,
	COLOR_HUNK, /* cyan, as git has the heads of hunks */
	COLOR_COUNT
};

struct palette {
	bool on;
};

/* `wanted` is --color's value or NULL, `configured` that of color.ui or NULL;
 * `fd` is the output. ERROR_USAGE for an unknown word. */
struct error *palette_init(struct palette *out, const char *wanted,
			   const char *configured, int fd) MUST_CHECK;
/* The sequences that begin a colour and end any colour; "" if colour is off. */
const char *color_begin(const struct palette *p, enum color c);
const char *color_end(const struct palette *p, enum color c);

#endif
