/*
 * The chains of a run, one for each writer, read as one: by time, then id. A
 * chain is walked from its tip, which opens every entry, and then read from its
 * oldest entry on.
 */
#ifndef GITSTORE_JOURNAL_CHAIN_H
#define GITSTORE_JOURNAL_CHAIN_H

#include "gitstore/git/internal.h"
#include "gitstore/journal/journal.h"
#include "gitstore/journal/pile.h"

struct chain {
	const char *writer; /* borrowed */
	git_oid tip;
	struct pile unread;
	struct entry head;
	bool has_head;
};

struct chains {
	struct strvec refs;
	struct chain *chain;
	size_t n;
	/* Set before walking. Entries are only for folding: their measurements
	 * are brief, and each entry is opened once, during the walk. */
	bool brief;
};

/* Where an earlier reading of a writer's chain ended; NULL if there was
 * none. */
typedef const git_oid *(*chain_known_fn)(void *arg, const char *writer);
struct chain_stop {
	chain_known_fn known;
	void *arg;
	bool lost; /* out: a chain no longer contains where it ended before */
};

/* Opens the tips, except those of journals that were removed here. */
struct error *chains_open(struct chains *c, struct gitstore *g,
			  const char *run) MUST_CHECK;
/* Collects the entries to read; `stop` (or NULL) gives where to begin. */
struct error *chains_walk(struct chains *c, struct gitstore *g,
			  struct chain_stop *stop) MUST_CHECK;
size_t chains_unread(const struct chains *c);
struct error *chains_each(struct chains *c, struct gitstore *g, journal_fn each,
			  void *arg) MUST_CHECK;
/* The oldest unread entry of all chains, borrowed; NULL if all are read. */
struct error *chains_oldest(const struct entry **out, struct chains *c,
			    struct gitstore *g) MUST_CHECK;
void chains_release(struct chains *c);

DEFINE_RELEASE(chains, struct chains, chains_release)
#define cleanup_chains CLEANUP(chains)

#endif
