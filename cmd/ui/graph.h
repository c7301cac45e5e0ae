/*
 * The columns of `avogit log`: a line a lineage, newest attempt first, as
 * `git log --graph` draws branches. A kept attempt is a mark on its line; one
 * that was not kept hangs beside it:
 *
 *     *      kept, on the first line
 *     | |x   not kept, beside the second
 *     | o    kept, on the second
 *     |/     the second began at the next row's attempt
 *     o
 *
 * A lineage that has kept nothing has no line: its attempts hang beside the
 * line that it branched from.
 */
#ifndef CMD_UI_GRAPH_H
#define CMD_UI_GRAPH_H

#include "core/run/population.h"

struct graph {
	const struct population *p;
	/* A column a drawn line: the lineage in it, or -1 while it is free. */
	int64_t *column;
	size_t n, cap;
};

void graph_init(struct graph *g, const struct population *p);
/* The cells of the row of attempt `at`; rows that must stand above it (lines
 * that end here) are added to `above`, newline after each. */
void graph_row(struct buf *above, struct buf *cells, struct graph *g, size_t at,
	       char mark);
/* The cells of a row that belongs to no attempt. */
void graph_gap(struct buf *cells, const struct graph *g);
void graph_release(struct graph *g);

DEFINE_RELEASE(graph, struct graph, graph_release)
#define cleanup_graph CLEANUP(graph)

#endif
