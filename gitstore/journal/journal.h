/*
 * The entries of journals, and which of them holds a measurement.
 */
#ifndef GITSTORE_JOURNAL_JOURNAL_H
#define GITSTORE_JOURNAL_JOURNAL_H

#include "gitstore/git/internal.h"

struct error *journal_entry(struct entry *out, struct gitstore *g,
			    const git_oid *id) MUST_CHECK;
/* An error ends the reading. */
typedef struct error *(*journal_fn)(void *arg, const struct entry *e);
/* Runs that have a journal, "@" included, sorted. */
struct error *journal_runs(struct strvec *out, struct gitstore *g) MUST_CHECK;

/* The entry with the newest measurement of this identity; *found. */
struct error *index_find(git_oid *entry, bool *found, struct gitstore *g,
			 const struct identity *identity) MUST_CHECK;
/* Updates the index if there is one. */
void index_add(struct gitstore *g, const struct entry *e);

#endif
