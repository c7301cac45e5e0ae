/*
 * The chains of a run, a writer each, read as one: by time, then id. A chain
 * is walked from its tip, which opens every entry, and then read from its
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
	/* Entries are for folding: their measurements are brief. Then each is
	 * opened once, when it is walked past. Set before walking. */
	bool brief;
};

/* Where an earlier reading of a writer's chain ended; NULL if there was
 * none. */
typedef const git_oid *(*chain_known_fn)(void *arg, const char *writer);
struct chain_stop {
	chain_known_fn known;
	void *arg;
	bool lost; /* out: a chain does not lead to where it ended before */
};

/* The tips, without those of journals that were removed here. */
struct error *chains_open(struct chains *c, struct gitstore *g,
			  const char *run) MUST_CHECK;
/* Collects what is to be read; `stop` (or NULL) says where to begin. */
struct error *chains_walk(struct chains *c, struct gitstore *g,
			  struct chain_stop *stop) MUST_CHECK;
size_t chains_unread(const struct chains *c);
struct error *chains_each(struct chains *c, struct gitstore *g, journal_fn each,
			  void *arg) MUST_CHECK;
/* The oldest unread entry of all, borrowed; NULL where all are read. */
struct error *chains_oldest(const struct entry **out, struct chains *c,
			    struct gitstore *g) MUST_CHECK;
void chains_release(struct chains *c);

DEFINE_RELEASE(chains, struct chains, chains_release)
#define cleanup_chains CLEANUP(chains)

#endif
