/*
 * Entries of a chain that were walked past and are to be read: a walk meets the
 * newest first, reading begins with the oldest, so what is put last is taken
 * first. The text of a hundred thousand is a hundred megabytes: the memory of
 * what was taken is free for what is made of it.
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
/* False where there is none. The text (NULL for none) is borrowed until the
 * next call; *len without a NUL. */
bool pile_take(git_oid *id, const char **text, size_t *len,
	       struct pile *p) MUST_CHECK;
void pile_release(struct pile *p);

#endif
