/*
 * Journals that were removed, by git or on purpose. Those that git removed or
 * set back are restored from the record of their tips (git/tips.h). Those that
 * `avogit rm` removed left a mark, and are not read if a fetch brings them.
 */
#ifndef GITSTORE_JOURNAL_RESTORE_H
#define GITSTORE_JOURNAL_RESTORE_H

#include "gitstore/gitstore.h"

struct tips_mended {
	struct strvec back; /* refs of journals that were restored */
	struct strvec gone; /* "REF ID" if the commit is gone too */
};
/* Restores the journals that the record has but the refs lack, and those that
 * were set back; then records the others. Writes nothing if all is in order. */
struct error *tips_mend(struct tips_mended *out, struct gitstore *g) MUST_CHECK;
/* Removes from the record those whose commits are gone; *n of them. */
struct error *tips_forget_gone(size_t *n, struct gitstore *g) MUST_CHECK;
void tips_mended_release(struct tips_mended *m);

/* Was this journal removed here? For code that reads or fetches journals. */
struct error *gitstore_is_removed(bool *out, struct gitstore *g,
				  const char *run,
				  const char *writer) MUST_CHECK;

DEFINE_RELEASE(tips_mended, struct tips_mended, tips_mended_release)
#define cleanup_tips_mended CLEANUP(tips_mended)

#endif
