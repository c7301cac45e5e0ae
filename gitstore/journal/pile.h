/*
 * A stack of entries of a chain that were walked past and are still to be read.
 * A walk meets the newest first, and reading begins with the oldest, so the
 * last one put is taken first. The texts of a hundred thousand entries take a
 * hundred megabytes; the memory of taken ones is used again.
 */
#ifndef GITSTORE_JOURNAL_PILE_H
#define GITSTORE_JOURNAL_PILE_H

#include <git2.h>

#include "core/base/base.h"

struct pile {
	struct pile_block *top;
	size_t n;
};

/* Copies the text; NULL and 0 for an entry without one. */
void pile_put(struct pile *p, const git_oid *id, const char *text, size_t len);
/* False if it is empty. The text (NULL for none) is borrowed until the next
 * call; *len does not count a NUL. */
bool pile_take(git_oid *id, const char **text, size_t *len,
	       struct pile *p) MUST_CHECK;
void pile_release(struct pile *p);

#endif
