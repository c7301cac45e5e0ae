/*
 * Reads and changes the notes of refs/notes/avogit.
 */
#ifndef GITSTORE_NOTES_NOTE_H
#define GITSTORE_NOTES_NOTE_H

#include "gitstore/git/internal.h"

/* Notes that are changed together: one commit of refs/notes/avogit. */
struct note_edit {
	struct gitstore *g;
	git_oid tip, tree; /* zero: there are no notes */
	bool has_parent;   /* the tip is a commit that can be read */
	size_t changed;
	struct commit_id last; /* commit whose note was changed last */
};
struct error *note_begin(struct note_edit *n, struct gitstore *g) MUST_CHECK;
struct error *note_put(struct note_edit *n, const char *commit,
		       const struct measurement *m) MUST_CHECK;
/* Adds to a commit's note a line that is not part of a measurement. */
struct error *note_say(struct gitstore *g, const char *commit,
		       const char *line) MUST_CHECK;
/* ERROR_MOVED if another process changed the notes in the meantime. */
struct error *note_commit(struct note_edit *n) MUST_CHECK;
/* The text of a note in this notes tree; empty if there is none. If it is too
 * long for `out`, what measurement_note_keep leaves of it; if it is too long to
 * read, empty and truncated. */
struct error *note_text(struct buf *out, struct gitstore *g,
			const git_oid *tree, const char *commit) MUST_CHECK;
/* The tree of refs/notes/avogit; zero if there is none. */
struct error *notes_tree(git_oid *tip, git_oid *tree,
			 struct gitstore *g) MUST_CHECK;

/* The newest measurement in a commit's note; NULL in *out if there is none. */
struct error *note_latest(struct measurement **out, struct gitstore *g,
			  const char *commit) MUST_CHECK;

#endif
