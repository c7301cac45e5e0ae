/*
 * Where the journals ended, beside their refs: .git/avogit/tips has a line
 * "ID REF" for each journal that was seen here. A journal has no reflog, so
 * that `git fetch` with fetch.prune, or a stray `git update-ref -d`, would
 * leave nothing but a dangling commit; with this record it comes back. What
 * `avogit rm` removes is taken off it. It is no state: without it all works,
 * and nothing that is on it is believed before it was looked at.
 */
#ifndef GITSTORE_GIT_TIPS_H
#define GITSTORE_GIT_TIPS_H

#include "gitstore/gitstore.h"

/* A journal was moved to `id` (a full id), or removed for good ("" as id). The
 * store's lock is held. Where it cannot be written, the record is older. */
void tips_keep(struct gitstore *g, const char *ref, const char *id);

bool tips_has(const struct gitstore *g, const char *ref);

struct tips_mended {
	struct strvec back; /* refs of journals that were brought back */
	struct strvec gone; /* "REF ID" where the commit is gone, too */
};
/* Brings back the journals that the record has and the refs have not, and those
 * that were set back; then notes what else there is. Writes
 * nothing where all is in order. */
struct error *tips_mend(struct tips_mended *out, struct gitstore *g) MUST_CHECK;
/* Takes those off the record whose commits are gone; *n of them. */
struct error *tips_forget_gone(size_t *n, struct gitstore *g) MUST_CHECK;
void tips_mended_release(struct tips_mended *m);

/* The ref of the mark that a removed journal leaves (remove.h); free()
 * disposes. */
char *removed_mark_ref(const char *run, const char *writer) MUST_CHECK;
/* Was this journal removed here? For what reads or fetches journals. */
struct error *gitstore_is_removed(bool *out, struct gitstore *g,
				  const char *run,
				  const char *writer) MUST_CHECK;

DEFINE_RELEASE(tips_mended, struct tips_mended, tips_mended_release)
#define cleanup_tips_mended CLEANUP(tips_mended)

#endif
