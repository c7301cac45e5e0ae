/*
 * Inside walk_loops.c: which names a loop changes, and what they are in its turns.
 */
#ifndef CORE_TASK_WALK_CHANGES_H
#define CORE_TASK_WALK_CHANGES_H

#include "core/task/walk.h"

struct name_change {
	int sign;	 /* 0: in another way */
	bool one;	 /* by ++ or -- */
	size_t from, to; /* else the amount */
};

/* Does the name at `at` change there? */
bool walk_changes(struct name_change *out, const struct walk *w, size_t at,
		  size_t to);
struct poly walk_amount(struct walk *w, const struct name_change *c);
/* `name = ...` of a name that is there, where the right side does not have it. */
bool walk_is_set(const struct walk *w, size_t at, size_t to);
/* Names before the n-th that [from, to) sets, which `set` (or NULL) notes, are not
 * what they were; but `keep` is. */
void walk_carry(bool *set, struct walk *w, size_t from, size_t to, size_t n,
		size_t keep);
/* A loop of so many turns over the tokens [from, to) begins; `counted`: the whole
 * that it counts down. */
void walk_note_changes(struct walk *w, size_t from, size_t to, size_t n,
		       const struct poly *turns, const struct poly *counted);

#endif
