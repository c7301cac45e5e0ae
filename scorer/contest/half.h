/*
 * A half of a case in a round: each contender once, on a GPU a batch of
 * launches, on one input set and in an order that is drawn. The second half has
 * another input set and the order backwards.
 */
#ifndef SCORER_CONTEST_HALF_H
#define SCORER_CONTEST_HALF_H

#include "scorer/contest/contest.h"

#define HALF_MAX_SLOTS 16

/* In place of a contender's index: the A/A twin. */
#define SLOT_TWIN SIZE_MAX

struct half {
	struct contest *contest;
	size_t which; /* case */
	size_t half;  /* 0, then 1 */
	size_t slot[HALF_MAX_SLOTS];
	size_t n;
	/* One more slot, number n: the arm that calls nothing. */
	bool blank;
	double seconds[HALF_MAX_SLOTS]; /* one launch, by slot */
	bool untimed; /* a warm-up: its seconds count for nothing */
	bool single;  /* of a series, one launch alone */
};

/* Index of the contender whose code runs in a slot. */
size_t half_contender(const struct half *h, size_t slot);
/* The slots that are launched, that of the arm that calls nothing too. */
size_t half_slots(const struct half *h);
/* Runs the slots in this order on a new input set, then checks all launches of
 * contenders. */
struct error *half_run(struct score_outcome *o, struct half *h,
		       const size_t *order) MUST_CHECK;
/* Checks the launches that were kept, at the end of a contest. */
struct error *contest_check_kept(struct score_outcome *o,
				 struct contest *c) MUST_CHECK;
/* Makes a few launches of a case that call nothing: the first samples of what is
 * fixed. */
struct error *contest_sample_fixed(struct contest *c, size_t which) MUST_CHECK;

#endif
