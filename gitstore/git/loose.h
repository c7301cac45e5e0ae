/*
 * Reads loose objects without libgit2, and writes most. If one is cut short, as after a full
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

/* The folder that has the repository's own; free() it. */
char *loose_folder(git_repository *repo) MUST_CHECK;

/* Is nothing gained if an object of this kind and length is deflated? It fits
 * into a block of the disk; or it is a tree, most of which are ids. */
bool loose_is_stored(size_t len, git_object_t type);
/* Writes such an object, in the place of a file that is there. Returns 0, or
 * GIT_ERROR and sets libgit2's last error. */
int loose_write(git_repository *repo, const git_oid *id, const void *data,
		size_t len, git_object_t type) MUST_CHECK;

/* Reads every loose object, alternates excluded; adds "FILE: why" to `damaged`
 * for each that is cut short or holds another object than its name says. *n
 * counts all. */
void loose_examine(struct strvec *damaged, size_t *n, git_repository *repo);

/* What to do about a damaged object, for messages. */
extern const char loose_mend[];

#endif
