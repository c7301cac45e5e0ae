/*
 * A run in words, for whoever decides where to go on: what was tried and what
 * it gave, grouped by the words that people and agents used for it; what
 * failed and why; what has not been tried lately. Made by rule from the
 * population alone.
 */
#ifndef CORE_RUN_REVIEW_H
#define CORE_RUN_REVIEW_H

#include "core/run/population.h"

/* Adds the review, a paragraph a line; `lately` attempts are the newest ones
 * that nothing came of. Words of candidates are cut short and hold no control
 * characters. */
void review_write(struct buf *out, const struct population *p, size_t lately);
/* `attempt 7 ("eight rounds", 1.25x the start)`. */
void review_name(struct buf *out, const struct attempt *a);
/* A text on one line, at most max bytes of it. */
void review_line(struct buf *out, const char *text, size_t max);

#endif
