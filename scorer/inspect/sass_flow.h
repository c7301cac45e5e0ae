/*
 * Where control can go in a kernel, and the loops that follow: a loop is what
 * can come back to its first instruction, its head, and is entered by it
 * alone. So a branch backwards makes no loop by itself: a compiler puts the
 * spinning of a barrier behind the end of the kernel, and branches back from
 * there. Linear in the instructions, but for a factor that never shows.
 *
 * A branch whose target is not in the text (BRX) goes nowhere; what only it
 * leads to is looked at as if it were entered from outside. Where a
 * cycle can be entered in two places, the walk's first is its head, and what
 * leads to the other is not in it.
 */
#ifndef SCORER_INSPECT_SASS_FLOW_H
#define SCORER_INSPECT_SASS_FLOW_H

#include "scorer/inspect/sass.h"

/* All by line of the kernel, from 0; SIZE_MAX: none. */
struct sass_flow {
	size_t n;
	size_t *loop;  /* the head of the innermost loop that the line is in */
	size_t *outer; /* of a head: the head of the loop round its loop */
	size_t *depth; /* of a head: 1 where there is none */
};

struct sass_flow sass_flow_of(const struct sass *s, size_t kernel);
void sass_flow_release(struct sass_flow *f);
DEFINE_RELEASE(sass_flow, struct sass_flow, sass_flow_release)
#define cleanup_sass_flow CLEANUP(sass_flow)

#endif
