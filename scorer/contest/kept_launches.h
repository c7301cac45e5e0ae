/*
 * Timed launches that are kept until their comparison ends and are checked then,
 * whatever that costs, before anything is told. Which they are depends on no
 * budget: of each case the launch that was the fastest against its rival (who
 * leaves work out is fast where he does so), that in which the candidate's
 * outputs were the most unlike another arm's, and some that are drawn at random,
 * each launch as likely as any other, however many there will be (reservoir
 * sampling, Vitter 1985, algorithm R). A candidate sees none of it.
 *
 * Where the reference cannot do rows they are all checked whole. Where it can,
 * the task's `check` of them are, drawn at the end; the most unlike in the rows
 * that are, and the others in some rows of every part of the output.
 */
#ifndef SCORER_CONTEST_KEPT_LAUNCHES_H
#define SCORER_CONTEST_KEPT_LAUNCHES_H

#include "scorer/contest/check.h"

enum kept_why { KEPT_FASTEST, KEPT_UNLIKE, KEPT_DRAWN };

/* Where the outputs of two arms on the same inputs differ most. */
struct unlike {
	double most;	     /* relative to the largest value beside it */
	struct segment rows; /* there */
	size_t slot;	     /* of the block: the other arm's */
};

struct kept_launch {
	size_t number; /* of the case's launches, from 1; 0: none is here */
	struct input_set set; /* without its file: the contents come again */
	uint32_t index;	      /* of the batch */
	struct unlike unlike;
	int capture; /* the candidate's outputs: a memfd or -1; owned */
	int other;   /* another's: whose they were the most unlike, else
			       * the rival's; as `capture` */
	size_t who;  /* it is: a contender */
	bool whole,
		checked; /* what kept_launches_draw_whole, and the checker, made of it */
};

struct kept_case {
	size_t seen; /* launches */
	double fastest, most;
	struct kept_launch *launch; /* `entries` of them */
};

struct kept_launches {
	struct kept_case *of; /* a case */
	size_t n_cases, entries;
};

void kept_launches_init(struct kept_launches *k, const struct task *t);
void kept_launches_release(struct kept_launches *k);
/* Where the launch that was just made goes: fills `entry` (space for all) and
 * returns how many. `pace`: log seconds, less those of its rival. */
size_t kept_launches_choose(size_t *entry, struct kept_launches *k,
			    size_t which, double pace, double most,
			    struct secret_random *secret);
/* Empties an entry and gives it to this launch; captures are the caller's to
 * add. */
struct kept_launch *kept_launches_put(struct kept_launches *k, size_t which,
				      size_t entry, const struct input_set *s,
				      uint32_t index,
				      const struct unlike *unlike);
/* At the end: draws `n` of all that are there, not the most unlike, to be
 * checked whole (all of them where `all`). */
void kept_launches_draw_whole(struct kept_launches *k, size_t n, bool all,
			      struct secret_random *secret);
/* Was this very launch checked whole already, in another entry? */
bool kept_launches_was_checked(const struct kept_launches *k, size_t which,
			       size_t entry);

#endif
