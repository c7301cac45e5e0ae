/*
 * The tree of the notes, read and changed as git writes it, byte by byte. A
 * note changes 20 bytes of a folder of 256 entries at each of two or three
 * levels. libgit2 would open each folder from its file, examine and sort every
 * entry and check every object named in it. The folders that were written last
 * are kept, so that the next note need not read the upper levels.
 */
#ifndef GITSTORE_NOTES_NOTE_TREE_H
#define GITSTORE_NOTES_NOTE_TREE_H

#include "gitstore/git/internal.h"

struct tree_item {
	const char *name; /* in the folder's bytes */
	git_oid id;
	bool folder, blob; /* neither: a submodule */
	size_t from, end;  /* its bytes */
};

/* The bytes of a folder, whose path `path` consists of `depth` times two hex
 * digits. ERROR_MALFORMED if they are not those of a tree. */
struct error *note_folder(struct buf *out, struct gitstore *g,
			  const git_oid *id, const char *path,
			  unsigned depth) MUST_CHECK;
bool tree_item_find(struct tree_item *out, const struct buf *folder,
		    const char *name);

/* The tree with `blob` as the note of `commit`, in a folder if there is one,
 * and nowhere above it. A zero `tree`: the empty tree. */
struct error *note_tree_put(git_oid *out, struct gitstore *g,
			    const git_oid *tree, const char *commit,
			    const git_oid *blob) MUST_CHECK;

#endif
