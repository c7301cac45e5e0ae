/*
 * The list of all measurements in the notes. The notes are read once, in the
 * order of their tree, in which git packs them too. Reading note by note in the
 * order of a journal would open the folders for each one, and its objects may
 * lie anywhere: twenty times as slow.
 */
#ifndef GITSTORE_SYNC_NOTED_H
#define GITSTORE_SYNC_NOTED_H

#include "gitstore/git/internal.h"

struct noted {
	struct noted_line *line; /* sorted */
	size_t n, cap;
};

/* `tree`: from notes_tree. */
struct error *noted_read(struct noted *out, struct gitstore *g,
			 const git_oid *tree) MUST_CHECK;
/* Does the note of this commit have a line of this measurement? */
bool noted_have(const struct noted *l, const char *commit,
		const char *measurement);
void noted_release(struct noted *l);

DEFINE_RELEASE(noted, struct noted, noted_release)
#define cleanup_noted CLEANUP(noted)

#endif
