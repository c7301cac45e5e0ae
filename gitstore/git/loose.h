/*
 * Reads loose objects without libgit2. If one is cut short, as after a full
 * disk or a power cut, libgit2 (1.5 to 1.9) loops for ever: it inflates the
 * same empty input again and again. So a backend in front of libgit2's own
 * answers for loose objects, and names the file of a damaged one.
 */
#ifndef GITSTORE_GIT_LOOSE_H
#define GITSTORE_GIT_LOOSE_H

#include <git2.h>

#include "core/base/error.h"
#include "core/base/strvec.h"

/* Puts the backend in front of the repository's own, including alternates. */
struct error *loose_guard(git_repository *repo, git_odb *odb) MUST_CHECK;

/* Reads every loose object, alternates excluded; adds "FILE: why" to `damaged`
 * for each that is cut short or holds another object than its name says. *n
 * counts all. */
void loose_examine(struct strvec *damaged, size_t *n, git_repository *repo);

/* What to do about a damaged object, for messages. */
extern const char loose_mend[];

#endif
