/* What was measured of two as a pair: in the same minutes, block by block. Two
 * absolute figures of different minutes say much less. */
#ifndef CMD_SESSION_PAIR_H
#define CMD_SESSION_PAIR_H

#include "cmd/session/record.h"

struct pair {
	bool found;   /* never measured as a pair otherwise */
	double ratio; /* how many times faster the first is */
	struct interval ratio95;
};

/* The newest comparison of the two, whichever was measured against which: in
 * the journals of their runs, and in what their notes say. */
struct error *pair_of_records(struct pair *out, struct gitstore *g,
			      const struct candidate_record *first,
			      const struct candidate_record *second) MUST_CHECK;
struct error *pair_with_baseline(struct pair *out, struct gitstore *g,
				 const struct candidate_record *first,
				 const char *baseline) MUST_CHECK;

#endif
