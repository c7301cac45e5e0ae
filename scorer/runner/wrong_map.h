/*
 * Where the wrong elements of an output are: how many, in which rows and
 * columns, whether they fill whole tiles, and the output in small. It is told
 * to the author of a candidate after the scoring, so it holds places only.
 */
#ifndef RUNNER_WRONG_MAP_H
#define RUNNER_WRONG_MAP_H

#include "scorer/wire/protocol.h"

/* mark[i] is 1 where checked element i is wrong: those of the segments (rows of
 * the first dimension) one after the other, or of the whole tensor if n is 0.
 * Rows that two segments share count once. */
void wrong_map_make(struct wrong_map *out, const struct tensor_layout *t,
		    const unsigned char *mark, const struct segment *segment,
		    uint32_t n);

#endif
