#include "cmd/watch/dots.h"

void dots_init(struct dots *p, size_t rows, size_t cols)
{
	*p = (struct dots){.rows = rows, .cols = cols};
	p->cell = xcalloc(rows * cols + 1, sizeof *p->cell);
}

void dots_release(struct dots *p)
{
	free(p->cell);
	*p = (struct dots){0};
}

void dots_set(struct dots *p, size_t x, size_t y, enum ink ink)
{
	/* From the bottom of a cell, as Unicode numbers them. */
	static const unsigned char bit[2][4] = {{0x40, 0x04, 0x02, 0x01},
						{0x80, 0x20, 0x10, 0x08}};
	struct dots_cell *c;

	if (x >= p->cols * 2 || y >= p->rows * 4)
		return;
	c = &p->cell[(p->rows - 1 - y / 4) * p->cols + x / 2];
	c->bits |= bit[x % 2][y % 4];
	c->ink = (unsigned char)MAX(c->ink, (unsigned char)ink);
}

void dots_across(struct dots *p, size_t x, size_t to, size_t y, enum ink ink)
{
	for (size_t i = MIN(x, to); i <= MAX(x, to); i++)
		dots_set(p, i, y, ink);
}

void dots_up(struct dots *p, size_t x, size_t y, size_t to, enum ink ink)
{
	for (size_t i = MIN(y, to); i <= MAX(y, to); i++)
		dots_set(p, x, i, ink);
}

static void add_cell(struct buf *out, unsigned char dots)
{
	/* U+2800 to U+28FF in UTF-8. */
	const char text[3] = {(char)0xe2, (char)(0xa0 | dots >> 6),
			      (char)(0x80 | (dots & 0x3f))};

	if (dots)
		buf_add(out, text, sizeof text);
	else
		buf_addc(out, ' ');
}

size_t dots_piece(struct buf *out, enum ink *ink, const struct dots *p,
		  size_t row, size_t col)
{
	const struct dots_cell *c = &p->cell[row * p->cols];

	*ink = INK_NONE;
	for (; col < p->cols; col++) {
		enum ink of_cell = (enum ink)c[col].ink;

		if (*ink == INK_NONE)
			*ink = of_cell;
		else if (of_cell != INK_NONE && of_cell != *ink)
			break;
		add_cell(out, c[col].bits);
	}
	return col;
}
