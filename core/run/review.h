/*
 * Describes a run in words, for the decision where to go on: what was tried and
 * what it gained, grouped by the words that people and agents used for it; what
 * failed and why; what has not been tried lately. Made by rule from the
 * population alone.
 */
#ifndef CORE_RUN_REVIEW_H
#define CORE_RUN_REVIEW_H

#include "core/run/population.h"

/* Adds the review, each paragraph on one line; `lately`: how many of the newest
 * attempts gave no gain. Text of candidates is cut short and has no control
 * characters. */
void review_write(struct buf *out, const struct population *p, size_t lately);
/* Adds for example `attempt 7 ("eight rounds", 1.25x the start)`. */
void review_name(struct buf *out, const struct attempt *a);
/* Adds a text on one line, at most max bytes of it. */
void review_line(struct buf *out, const char *text, size_t max);

#endif
