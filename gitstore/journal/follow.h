/*
 * A run that is looked at again and again while others extend it: each time only
 * what is new is read, however long the run is.
 */
#ifndef GITSTORE_JOURNAL_FOLLOW_H
#define GITSTORE_JOURNAL_FOLLOW_H

#include "gitstore/gitstore.h"

struct follower;

/* The run need not be there yet. Borrows g; follower_free disposes. */
struct follower *follower_new(struct gitstore *g, const char *run) MUST_CHECK;
/* Reads what is new; *changed if anything is. After an error the next call reads
 * the run from the beginning. */
struct error *follower_read(bool *changed, struct follower *f) MUST_CHECK;
/* As of the last call, with gitstore_population's order of entries; measurements
 * are brief. Empty after an error. Borrowed until the next call. */
const struct population *follower_population(const struct follower *f);
void follower_free(struct follower *f);

DEFINE_CLEANUP(follower, struct follower, follower_free)
#define cleanup_follower CLEANUP(follower)

#endif
