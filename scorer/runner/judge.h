/*
 * Inside the judge on the CPU: poison and guards (poison.c), where outputs of two
 * arms differ (likeness.c), and whether a task can tell right from wrong (lint.c).
 */
#ifndef RUNNER_JUDGE_H
#define RUNNER_JUDGE_H

#include "scorer/runner/element_runs.h"
#include "scorer/wire/protocol.h"
#include "scorer/runner/reference.h"

/* ---- poison -------------------------------------------------------------- */

/*
 * What outputs and workspaces hold before a launch: one random page,
 * repeated. Each pair of its bytes is a NaN of every floating type, none of
 * them the NaN that arithmetic makes, so that an element that was
 * not written differs from any result.
 */

struct poison {
	uint64_t page[LAYOUT_PAGE / sizeof(uint64_t)];
};

void poison_init(struct poison *p, uint64_t seed);
/* Memory that starts at a page boundary of its file. */
void poison_spread(const struct poison *p, void *memory, size_t bytes);
/* The slot of a tensor that is about to be filled, all but its elements: for
 * inputs, so that a read past them does not find harmless zeros. */
void poison_round(const struct poison *p, unsigned char *region,
		  const struct tensor_layout *t);
/* Checks the slot of a tensor (`region` is where its region begins): guards,
 * then gaps between its rows. */
bool poison_guards_intact(const struct poison *p, const unsigned char *region,
			  const struct tensor_layout *t);
/* How many elements of the tensor were not written, and the first of them.
 * Integers count in groups of eight bytes: alone one may equal poison. */
int64_t poison_left(const struct poison *p, const unsigned char *region,
		    const struct tensor_layout *t, int64_t *first);

/* ---- likeness ------------------------------------------------------------ */

/*
 * Where the outputs of two arms on the same inputs differ most. It does
 * not say which arm is right: it says which rows the reference should check, so
 * that a row that one arm left out is found wherever it is.
 */

/* Looks through all output tensors of an image, `tile_rows` (1 or more) rows at
 * a time; `one` and `other` are where their outputs regions begin. */
void likeness_look(struct likeness_reply *out, const struct layout *l,
		   const unsigned char *one, const unsigned char *other,
		   int64_t tile_rows);

/* ---- lint ---------------------------------------------------------------- */

/* Can this task tell right from wrong? Asked of the reference alone, before
 * any candidate is. */

/* Sets the finding and its argument: an output that hardly differs between
 * two sets of inputs, an input that changes no output, a plain version that
 * computes something else, a reference that leaves holes. */
const char *lint(struct judge_answer *a, struct reference *r,
		 const struct lint_request *q);

#endif
