/*
 * Loose objects, read by ourselves. libgit2 (1.5 to 1.9) waits for the rest of
 * one that is cut short, which is what a full disk or a power cut leaves: it
 * inflates the same nothing for ever. So a backend stands before libgit2's own
 * that answers for loose objects, and says of a damaged one which file it is.
 */
#ifndef GITSTORE_GIT_LOOSE_H
#define GITSTORE_GIT_LOOSE_H

#include <git2.h>

#include "core/base/error.h"
#include "core/base/strvec.h"

/* Puts it before the repository's own, alternates included. */
struct error *loose_guard(git_repository *repo, git_odb *odb) MUST_CHECK;

/* Reads every loose object, alternates excluded; adds "FILE: why" to `damaged`
 * for each that is not whole or holds another object than its name says, and
 * counts all. */
void loose_examine(struct strvec *damaged, size_t *n, git_repository *repo);

/* What to do about a damaged object, for messages. */
extern const char loose_mend[];

#endif
