/*
 * The history of a run: its population, and where in the journals the entries
 * about each candidate are. Read from git, or from the cache of an earlier
 * reading plus what came to git since. The cache is a file below
 * .git/avogit/cache/. It is made again if it is missing, damaged, from another
 * clone, or does not match the current journals.
 */
#ifndef GITSTORE_JOURNAL_HISTORY_H
#define GITSTORE_JOURNAL_HISTORY_H

#include "gitstore/git/internal.h"

/* An entry that is about a candidate. */
struct about {
	git_oid candidate, entry;
};

/* The entry that holds a measurement of this identity. */
struct known {
	struct identity identity;
	char measurement[MEASUREMENT_ID_LEN + 1];
	git_oid entry, candidate;
	int64_t time_us;
};

/* How far a writer's chain has been read. */
struct chain_tip {
	char writer[WRITER_LEN + 1];
	git_oid tip;
};

struct history {
	char run[RUN_NAME_MAX + 1];
	struct population p;
	struct about *about; /* in the order of the entries */
	size_t n_about, cap_about;
	struct known *known;
	size_t n_known, cap_known;
	struct chain_tip *reach;
	size_t n_reach, cap_reach;
	/* Of the newest entry: entries that come now are later. */
	int64_t time_us;
	struct commit_id newest;
};

/* Writes the cache if enough is new. history_release disposes. */
struct error *history_read(struct history *out, struct gitstore *g,
			   const char *run) MUST_CHECK;
/* Adds to *h, which history_read made, what came to git since. After an error
 * it is to be released, and read again. */
struct error *history_update(bool *changed, struct history *h,
			     struct gitstore *g) MUST_CHECK;
/* Only the list of measurements; free() disposes of *out. */
struct error *history_known(struct known **out, size_t *n, struct gitstore *g,
			    const char *run) MUST_CHECK;
void history_release(struct history *h);

/* Fills *out (empty before) from the cache; false if there is no usable one. */
bool cache_load(struct history *out, const struct gitstore *g, const char *run);
/* From a cache that is as new as the journals (`now`), without reading all of
 * it; false if there is none. The champion's id is "" if there is no champion.
 * free() disposes of *out. */
bool cache_champion(struct commit_id *id, const struct gitstore *g,
		    const char *run, const struct chain_tip *now, size_t n);
bool cache_about(struct about **out, size_t *n_out, const struct gitstore *g,
		 const char *run, const git_oid *candidate,
		 const struct chain_tip *now, size_t n);
bool cache_known(struct known **out, size_t *n_out, const struct gitstore *g,
		 const char *run, const struct chain_tip *now, size_t n);
/* The newest n attempts, with what is needed to show them. */
bool cache_recent(struct population *p, size_t n_newest,
		  const struct gitstore *g, const char *run,
		  const struct chain_tip *now, size_t n);
/* Errors are ignored: everything works without the cache. */
void cache_save(const struct history *h, struct gitstore *g);

DEFINE_RELEASE(history, struct history, history_release)
#define cleanup_history CLEANUP(history)

#endif
