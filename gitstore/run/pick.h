/*
 * A candidate for production: its whole change since the base of its run as one
 * commit, for `git cherry-pick`, and the note that quotes its scores. Git does
 * the picking, so hooks, signing and conflicts work as always; a commit that
 * was made later (`--continue`) is recognized by its trailer Avogit-Of.
 */
#ifndef GITSTORE_RUN_PICK_H
#define GITSTORE_RUN_PICK_H

#include "gitstore/gitstore.h"

struct pick {
	struct commit_id commit; /* what to cherry-pick */
	struct commit_id of;	 /* the candidate */
	struct commit_id base;
	char run[RUN_NAME_MAX + 1];
	struct measurement *measurement; /* of the candidate; NULL: unknown */
	bool in_head;			 /* HEAD already contains it */
};

/* From the journals; if they have not been fetched, from the branches and
 * notes. `run` is the run of the candidate; "": the run that its message names,
 * else one in which it is not the start. Refuses a candidate that failed, and a
 * commit that is no candidate: `remedy` says, after a colon, what to do with such
 * a one. */
struct error *pick_prepare(struct pick *out, struct gitstore *g, const char *id,
			   const char *run, const char *remedy) MUST_CHECK;
/* Makes `commit` anew with what `m`, a comparison with the start under the start's
 * flags, says of it, in subject, body and a trailer (pick_message.c). */
struct error *pick_tell_without(struct pick *p, struct gitstore *g,
				const char *flags,
				const struct measurement *m) MUST_CHECK;
/* Files of the work tree that HEAD does not have so, and that hold what the
 * pick would make of them: a kernel that was edited here and then scored. Empty
 * also if another file that the pick touches holds something else. */
struct error *pick_there_already(struct strvec *paths, struct gitstore *g,
				 const struct pick *p) MUST_CHECK;
/* Files that the pick touches, and whose place in the work tree holds, or may hold,
 * neither what HEAD has nor what the pick would make of them: git says which are
 * changed (line ends are none), or there though it ignores them. */
struct error *pick_edited(struct strvec *paths, struct gitstore *g,
			  const struct pick *p) MUST_CHECK;
/* Is a cherry-pick under way, the user's or this one? */
bool pick_is_under_way(struct gitstore *g);
/* Is it this one, at which git stopped? */
bool pick_is_stopped(struct gitstore *g, const struct pick *p);
/* Writes the note of `commit` that quotes the candidate's scores. *written is
 * false if they are not known here, and if the commit's sources are not the
 * candidate's, which its note then says. */
struct error *pick_note(bool *written, struct gitstore *g, const char *commit,
			const struct pick *p) MUST_CHECK;
/* The same for recent picks in HEAD that have no note yet. *attached is the
 * number of notes written. */
struct error *pick_mend(size_t *attached, struct gitstore *g) MUST_CHECK;
void pick_release(struct pick *p);

DEFINE_RELEASE(pick, struct pick, pick_release)
#define cleanup_pick CLEANUP(pick)

#endif
