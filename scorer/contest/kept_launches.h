/*
 * Timed launches that are kept until their comparison ends and are then always
 * checked, at any cost, before a result is given. No budget affects the choice.
 * For each case it is the launch that was the fastest against its rival (a
 * candidate that leaves work out is fast there), the launch in which the
 * candidate's outputs were the most unlike another arm's, and some launches
 * drawn at random, all with equal probability, however many there will be
 * (reservoir sampling, Vitter 1985, algorithm R). A candidate sees none of it.
 *
 * If the reference cannot do rows, all of them are checked whole. If it can, as
 * many as the task's `check` says, drawn at the end, are checked whole; the
 * most unlike is checked in its most unlike rows, and the others in some rows
 * of every part of the output.
 */
#ifndef SCORER_CONTEST_KEPT_LAUNCHES_H
#define SCORER_CONTEST_KEPT_LAUNCHES_H

#include "scorer/contest/check.h"

enum kept_why { KEPT_FASTEST, KEPT_UNLIKE, KEPT_DRAWN };

/* Where the outputs of two arms on the same inputs differ most. */
struct unlike {
	double most;	     /* relative to the largest value of the rows */
	struct segment rows; /* where they differ most */
	size_t slot;	     /* of the half: the other arm's */
};

struct kept_launch {
	size_t number; /* among the case's launches, from 1; 0: empty entry */
	struct input_set set; /* without its file: it is filled again */
	uint32_t index;	      /* the image of the batch */
	struct unlike unlike;
	int capture; /* the candidate's outputs: a memfd or -1; owned */
	int other;   /* outputs of the most unlike contender, else of the
		      * rival; as `capture` */
	size_t who;  /* the contender of `other` */
	bool whole,
		checked; /* set by kept_launches_draw_whole and the checker */
};

struct kept_case {
	size_t seen; /* launches */
	double fastest, most;
	struct kept_launch *launch; /* `entries` of them */
};

struct kept_launches {
	struct kept_case *of; /* by case */
	size_t n_cases, entries;
};

void kept_launches_init(struct kept_launches *k, const struct task *t);
void kept_launches_release(struct kept_launches *k);
/* Chooses the entries that the last launch goes to: fills `entry` (space for
 * all) and returns how many. `pace`: log seconds, less those of its rival. */
size_t kept_launches_choose(size_t *entry, struct kept_launches *k,
			    size_t which, double pace, double most,
			    struct secret_random *secret);
/* Empties an entry and gives it to this launch. The caller adds the captures.
 */
struct kept_launch *kept_launches_put(struct kept_launches *k, size_t which,
				      size_t entry, const struct input_set *s,
				      uint32_t index,
				      const struct unlike *unlike);
/* At the end: draws `n` of all entries but the most unlike, to be checked whole
 * (with `all`: takes every entry). */
void kept_launches_draw_whole(struct kept_launches *k, size_t n, bool all,
			      struct secret_random *secret);
/* Was the same launch already checked whole, in another entry? */
bool kept_launches_was_checked(const struct kept_launches *k, size_t which,
			       size_t entry);

#endif
