/* Half a block of a contest: one set of inputs, once through every slot. */
#ifndef SCORER_CONTEST_BLOCK_H
#define SCORER_CONTEST_BLOCK_H

#include "scorer/contest/contest.h"

#define BLOCK_MAX_SLOTS 16

/* Who runs: contenders by index; `twin` is the A/A twin. */
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

/* Whose code runs in a slot: an index. */
size_t block_contender(const struct block *b, size_t slot);
/* Runs the slots in the order of `order` on a fresh set, then checks all. */
struct error *block_half(struct score_outcome *o, struct block *b,
			 const size_t *order) MUST_CHECK;
/* Checks the launches that were kept, at the end of a contest. */
struct error *block_check_kept(struct score_outcome *o,
			       struct contest *c) MUST_CHECK;
/* Launches that call nothing, a few of every contender, so that one cannot
 * know by them which it is. Median of the candidate's, in seconds. */
struct error *block_overhead(double *seconds, struct score_outcome *o,
			     struct block *b) MUST_CHECK;

#endif
