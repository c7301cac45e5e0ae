/*
 * Columns that line up by the width of each character on a terminal (CJK takes
 * two cells, combining marks none). Cells are cleaned when added, so text of
 * any origin is allowed.
 */
#ifndef CMD_UI_TABLE_H
#define CMD_UI_TABLE_H

#include "cmd/ui/color.h"
#include "core/base/buf.h"

#define TABLE_MAX_COLUMNS 12

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct table {
	size_t n_columns;
	enum align align[TABLE_MAX_COLUMNS];
	size_t width[TABLE_MAX_COLUMNS]; /* widest cell */
	struct table_cell {
		char *text;
		enum color color;
	} * cell; /* row after row */
	size_t n, cap;
	const char *indent; /* before every row */
};

/* `align` has one letter per column: "lrr". */
void table_init(struct table *t, const char *align);
/* Adds the next cell, left to right, row after row. */
void table_add(struct table *t, enum color color, const char *fmt, ...)
	PRINTF(3, 4);
/* Prints to stdout with two blanks between columns; a column with only empty
 * cells is left out. On a terminal it fits the width: the widest columns of
 * text are cut ("..."), and columns that have no room go to a further line,
 * indented. */
void table_print(const struct table *t, const struct palette *p);
void table_release(struct table *t);

/* As much of s as fits into so many cells, "..." where it was cut. free()
 * disposes. */
char *text_fit(const char *s, size_t width) MUST_CHECK;
/* The number of terminal cells that s takes. */
size_t text_width(const char *s);

DEFINE_RELEASE(table, struct table, table_release)
#define cleanup_table CLEANUP(table)

#endif
