/* Whether the rates of a run's attempts mislead. A speed is a ratio of launches that
 * were timed beside each other; a rate is of its own minute, and others may have had
 * the machine then. So the faster of two attempts can have the lower rate. */
#ifndef CMD_SESSION_RATES_H
#define CMD_SESSION_RATES_H

#include "core/run/population.h"

/* Adds one sentence without an end that names an attempt and the start, or the
 * champion, of which the faster has the lower rate, by 5 % and more each. Adds nothing
 * where there is none. */
void rates_say(struct buf *out, const struct population *p);

#endif
