/*
 * How wrong is too wrong (docs/scoring.md, "The error rule").
 *
 * The checked elements of an output are cut into tiles of about 64 elements,
 * within a row where rows are long enough. In each tile the root mean square
 * of the candidate's error may be `factor` times that of the plain version's
 * plus a floor of a few units in the last place of the rows it touches; and
 * the largest error of all may be `factor` times the largest of the plain
 * version. One draw of the plain version's error can be small by luck, so
 * what it was in earlier sets of the same kind counts too (`error_history`): the
 * largest seen, or, where that is more, the mean of tiles and six deviations
 * (some error is the same in a whole row, that of a mean for example, so that few
 * rows say little of the largest of many).
 */
#ifndef RUNNER_ERROR_RULE_H
#define RUNNER_ERROR_RULE_H

#include "scorer/wire/protocol.h"

/* Of a figure of many tiles. */
struct spread {
	double largest, sum, squares;
	int64_t n;
};

/* What the plain version's error was like, for one case, one kind of
 * contents and one output. */
struct error_history {
	uint64_t key;
	uint32_t argument;
	struct spread relative; /* rms of a tile over rms of the reference */
	struct spread largest;	/* error of a tile */
	double squares;		/* of all errors, summed */
	int64_t n;
	int64_t rows; /* independent draws: rows, or tiles of short ones */
};

struct tile {
	int64_t begin, end;
	double allowed; /* rms of the error; relative rule only */
};

/* What an output should be, in the order of the checked segments. */
struct expected {
	uint32_t argument;
	enum dtype dtype;
	int64_t n;
	int64_t row;		   /* elements of a row */
	double *reference, *plain; /* n each; floating types; owned */
	unsigned char *exact;	   /* n elements; integers; owned */
	struct tile *tile;	   /* owned */
	size_t n_tiles;
	double allowed_largest;
};

void expected_release(struct expected *e);
/* Takes the plain version's errors into the history. */
void error_history_add(struct error_history *h, const struct expected *e);
/* Cuts tiles and sets what is allowed in each. */
void expected_allow(struct expected *e, const struct error_history *h,
		    const struct tolerance *tolerance);
/* Holds n elements (doubles, or integers as they are) against it; raises
 * a->worst and sets the first finding. */
void expected_compare(struct judge_answer *a, const struct expected *e,
		      const void *got, const struct tolerance *tolerance);

#endif
