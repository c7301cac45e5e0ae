/*
 * The hidden sizes that a scoring checked, as its note has them (check_case_tell):
 * "m,n: 300,17 large; 1,40 tiny; one or two at a time 5,9 33,9".
 */
#ifndef CMD_UI_CHECKED_H
#define CMD_UI_CHECKED_H

#include "core/base/buf.h"

/* Adds the same where it has few sizes; else the first ones of each kind, how many more
 * there are, and from which to which all are. What is not of that form is added as it
 * is. Borrows `text`. */
void checked_shorten(struct buf *out, const char *text);

#endif
