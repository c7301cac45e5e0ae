#include "cmd/ui/graph.h"

#define FREE_COLUMN (-1)

void graph_init(struct graph *g, const struct population *p)
{
	*g = (struct graph){.p = p};
}

static bool begins_at(const struct graph *g, size_t column, size_t at)
{
	const struct lineage *l =
		g->column[column] == FREE_COLUMN
			? NULL
			: population_lineage(g->p, g->column[column]);

	return l && l->root == at;
}

/* The lineage whose line the attempt is drawn on: its own, or, if that has kept
 * nothing, the one that it branched from. */
static int64_t line_of(const struct graph *g, size_t at)
{
	const struct attempt *a = &g->p->attempt[at];
	const struct lineage *l = population_lineage(g->p, a->lineage);

	if (l && l->tip == l->root && l->root < g->p->n)
		return g->p->attempt[l->root].lineage;
	return a->lineage;
}

/* The column of the attempt's line. A new line takes the column of the leftmost
 * lineage that began at this attempt, else a free column. */
static size_t column_of(struct graph *g, size_t at)
{
	int64_t lineage = line_of(g, at);
	size_t taken = g->n;

	for (size_t i = 0; i < g->n; i++)
		if (g->column[i] == lineage)
			return i;
	for (size_t i = g->n; i-- > 0;)
		if (g->column[i] == FREE_COLUMN)
			taken = i;
	for (size_t i = g->n; i-- > 0;)
		if (begins_at(g, i, at))
			taken = i;
	if (taken == g->n) {
		GROW(g->column, g->n, g->cap);
		g->n++;
	}
	g->column[taken] = lineage;
	return taken;
}

static char line_in(const struct graph *g, size_t column)
{
	return g->column[column] == FREE_COLUMN ? ' ' : '|';
}

void graph_gap(struct buf *cells, const struct graph *g)
{
	for (size_t i = 0; i < g->n; i++)
		buf_addf(cells, "%c ", line_in(g, i));
}

/* Draws "| |_|/": the line in column `from` ends at the line in column `to`,
 * where its lineage began. */
static void add_join(struct buf *above, const struct graph *g, size_t from,
		     size_t to)
{
	size_t left = MIN(from, to), right = MAX(from, to);
	size_t bend = from > to ? right - 1 : left;

	for (size_t i = 0; i < g->n; i++) {
		bool between = i >= left && i < right;
		char line = line_in(g, i);

		if (i == from)
			line = ' ';
		else if (between && line == ' ')
			line = '_';
		buf_addc(above, line);
		if (i == bend)
			buf_addc(above, from > to ? '/' : '\\');
		else
			buf_addc(above, between ? '_' : ' ');
	}
	buf_trim_end(above);
	buf_addc(above, '\n');
}

static void end_line(struct buf *above, struct graph *g, size_t at, size_t from,
		     size_t to)
{
	if (from == to || !begins_at(g, from, at))
		return;
	add_join(above, g, from, to);
	g->column[from] = FREE_COLUMN;
}

/* Ends the lines that began at this attempt, the farthest first. */
static void end_lines(struct buf *above, struct graph *g, size_t at, size_t to)
{
	for (size_t i = g->n; i-- > to;)
		end_line(above, g, at, i, to);
	for (size_t i = 0; i < to; i++)
		end_line(above, g, at, i, to);
}

void graph_row(struct buf *above, struct buf *cells, struct graph *g, size_t at,
	       char mark)
{
	const struct attempt *a = &g->p->attempt[at];
	size_t own = column_of(g, at);

	end_lines(above, g, at, own);
	while (g->n > own + 1 && g->column[g->n - 1] == FREE_COLUMN)
		g->n--;
	for (size_t i = 0; i < g->n; i++) {
		char line = line_in(g, i), beside = ' ';

		if (i == own && a->accepted)
			line = mark;
		else if (i == own)
			beside = mark;
		buf_addc(cells, line);
		buf_addc(cells, beside);
	}
}

void graph_release(struct graph *g)
{
	free(g->column);
	*g = (struct graph){0};
}
