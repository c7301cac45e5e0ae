/*
 * Checks the notes ref of another repository before it is merged. git reads a
 * submodule's link in a notes tree as a blob and writes a tree that points at a
 * missing object, after which gc and pushes fail.
 */
#ifndef GITSTORE_NOTES_NOTE_CHECK_H
#define GITSTORE_NOTES_NOTE_CHECK_H

#include "gitstore/git/internal.h"

/* ERROR_MALFORMED or ERROR_TOO_BIG, with the reason, unless `tip` is a commit
 * whose tree has only regular files and folders, named in hexadecimal digits as
 * notes are, each of them present and none too long. Skips what is also in the
 * tree `known` (zero: there is none). */
struct error *note_check(struct gitstore *g, const git_oid *tip,
			 const git_oid *known) MUST_CHECK;

#endif
