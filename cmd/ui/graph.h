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
	/* The lineage drawn in each column, or -1 if the column is free. */
	int64_t *column;
	size_t n, cap;
};

void graph_init(struct graph *g, const struct population *p);
/* Adds the cells of attempt `at` to `cells`. Rows that must be printed above it
 * (lines that end here) go to `above`, each with a newline. */
void graph_row(struct buf *above, struct buf *cells, struct graph *g, size_t at,
	       char mark);
/* Adds the cells of a row without an attempt. */
void graph_gap(struct buf *cells, const struct graph *g);
void graph_release(struct graph *g);

DEFINE_RELEASE(graph, struct graph, graph_release)
#define cleanup_graph CLEANUP(graph)

#endif
