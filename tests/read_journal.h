/* Every entry of a run, as the journals hold them: what tests and benches
 * compare with, beside caches and indices. */
#ifndef TESTS_READ_JOURNAL_H
#define TESTS_READ_JOURNAL_H

#include "gitstore/journal/chain.h"

struct each_entry {
	entry_fn each;
	void *arg;
};

static inline struct error *read_entry(void *arg, const struct entry *e)
{
	const struct each_entry *r = arg;

	r->each(r->arg, e);
	return NULL;
}

/* Calls `each` for every entry of the run, by time, then id. */
static inline struct error *read_journal(struct gitstore *g, const char *run,
					 entry_fn each, void *arg)
{
	struct each_entry r = {each, arg};
	cleanup_chains struct chains c = {.refs = STRVEC_INIT};

	TRY(chains_open(&c, g, run));
	TRY(chains_walk(&c, g, NULL));
	return chains_each(&c, g, read_entry, &r);
}

#endif
