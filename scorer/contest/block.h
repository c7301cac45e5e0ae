/* Half a block of a contest: one launch of one input set in every slot. */
#ifndef SCORER_CONTEST_BLOCK_H
#define SCORER_CONTEST_BLOCK_H

#include "scorer/contest/contest.h"

#define BLOCK_MAX_SLOTS 16

/* In place of a contender's index: the A/A twin. */
#define SLOT_TWIN SIZE_MAX

struct block {
	struct contest *contest;
	size_t which; /* case */
	size_t half;  /* 0, then 1 */
	size_t slot[BLOCK_MAX_SLOTS];
	size_t n;
	/* One more slot, number n: the arm that calls nothing. */
	bool blank;
	double seconds[BLOCK_MAX_SLOTS]; /* one launch, by slot */
	bool untimed; /* a warm-up: its seconds count for nothing */
	bool single;  /* of a series, one launch alone */
};

/* Index of the contender whose code runs in a slot. */
size_t block_contender(const struct block *b, size_t slot);
/* The slots that are launched, the blank one too. */
size_t block_slots(const struct block *b);
/* Runs the slots in this order on a new input set, then checks all launches of
 * contenders. */
struct error *block_half(struct score_outcome *o, struct block *b,
			 const size_t *order) MUST_CHECK;
/* Checks the launches that were kept, at the end of a contest. */
struct error *block_check_kept(struct score_outcome *o,
			       struct contest *c) MUST_CHECK;
/* Makes a few launches of a case that call nothing: the first samples of what is
 * fixed. */
struct error *block_fixed(struct contest *c, size_t which) MUST_CHECK;

#endif
