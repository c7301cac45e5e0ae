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
	double seconds[BLOCK_MAX_SLOTS]; /* one launch, by slot */
	bool untimed; /* a warm-up: its seconds count for nothing */
};

/* Index of the contender whose code runs in a slot. */
size_t block_contender(const struct block *b, size_t slot);
/* Runs the slots in this order on a new input set, then checks all launches. */
struct error *block_half(struct score_outcome *o, struct block *b,
			 const size_t *order) MUST_CHECK;
/* Checks the launches that were kept, at the end of a contest. */
struct error *block_check_kept(struct score_outcome *o,
			       struct contest *c) MUST_CHECK;
/* Makes a few launches that call nothing: of every contender, so that a
 * contender cannot learn from them which one it is. *seconds: the candidate's
 * median. */
struct error *block_overhead(double *seconds, struct score_outcome *o,
			     struct block *b) MUST_CHECK;

#endif
