/*
 * What is under a notes ref of another repository, looked at before it is
 * merged: git takes a submodule's link in a notes tree for a blob and writes a
 * tree that points at nothing, after which no gc and no push works.
 */
#ifndef GITSTORE_NOTES_NOTE_CHECK_H
#define GITSTORE_NOTES_NOTE_CHECK_H

#include "gitstore/git/internal.h"

/* ERROR_MALFORMED or ERROR_TOO_BIG, with what it is, unless `tip` is a commit
 * whose tree has nothing but regular files and folders, named in hexadecimal
 * digits as notes are, each there and none too long. What the tree `known` has,
 * too, is not looked at (zero: there is none). */
struct error *note_check(struct gitstore *g, const git_oid *tip,
			 const git_oid *known) MUST_CHECK;

#endif
