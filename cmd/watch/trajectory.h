/* The speed of every attempt against the order of attempts, drawn in dots. */
#ifndef CMD_WATCH_TRAJECTORY_H
#define CMD_WATCH_TRAJECTORY_H

#include "cmd/watch/view.h"

/* Into these rows of the canvas, with an axis at the left. The population has
 * its start. */
void trajectory_draw(struct canvas *c, size_t row, size_t rows,
		     const struct population *p);

#endif
