/*
 * A picture of dots in Braille characters: each cell of the terminal has two
 * columns of four dots. A dot has an ink; a cell is shown in the highest ink of
 * its dots, since a terminal colours whole cells.
 */
#ifndef CMD_WATCH_DOTS_H
#define CMD_WATCH_DOTS_H

#include "core/base/buf.h"

enum ink { INK_NONE, INK_OTHER, INK_BEST };

struct dots_cell {
	unsigned char bits; /* as in Unicode from U+2800 on */
	unsigned char ink;
};

struct dots {
	size_t rows, cols; /* of cells */
	struct dots_cell *cell;
};

void dots_init(struct dots *p, size_t rows, size_t cols);
/* The dot x from the left and y from the bottom; outside nothing is drawn. */
void dots_set(struct dots *p, size_t x, size_t y, enum ink ink);
/* All dots of a row from x to `to`, and of a column from y to `to`, in any
 * order. */
void dots_across(struct dots *p, size_t x, size_t to, size_t y, enum ink ink);
void dots_up(struct dots *p, size_t x, size_t y, size_t to, enum ink ink);
/* Adds the cells of a row (0 is the top) from `col` on that are of one ink, and
 * the empty ones among them as blanks; returns where another ink begins. */
size_t dots_piece(struct buf *out, enum ink *ink, const struct dots *p,
		  size_t row, size_t col);
void dots_release(struct dots *p);

DEFINE_RELEASE(dots, struct dots, dots_release)
#define cleanup_dots CLEANUP(dots)

#endif
