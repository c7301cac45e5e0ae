/*
 * Inside the judge on the CPU: poison and guards (poison.c), where outputs of
 * two arms differ (likeness.c), and whether a task's checks can find wrong
 * outputs (lint.c).
 */
#ifndef RUNNER_JUDGE_H
#define RUNNER_JUDGE_H

#include "scorer/runner/element_runs.h"
#include "scorer/wire/protocol.h"
#include "scorer/runner/reference.h"

/* ---- poison -------------------------------------------------------------- */

/*
 * The contents of outputs and workspaces before a launch: one random page,
 * repeated. Each pair of its bytes is a NaN in every floating type, and never
 * the NaN that arithmetic makes, so that an element that was not written
 * differs from any result.
 */

struct poison {
	uint64_t page[LAYOUT_PAGE / sizeof(uint64_t)];
};

void poison_init(struct poison *p, uint64_t seed);
/* That of one image of a batch: the poison of one image says nothing of that of
 * another. */
void poison_init_image(struct poison *p, uint64_t seed, uint32_t image);
/* Fills memory that starts at a page boundary of its file. */
void poison_spread(const struct poison *p, void *memory, size_t bytes);
/* Poisons the slot of an input before it is filled, so that a read outside the
 * elements does not find harmless zeros. */
void poison_round(const struct poison *p, unsigned char *region,
		  const struct tensor_layout *t);
/* Checks the slot of a tensor (`region` is where its region begins): guards,
 * then gaps between its rows. */
bool poison_guards_intact(const struct poison *p, const unsigned char *region,
			  const struct tensor_layout *t);
/* Is the whole slot as poison_spread left it? */
bool poison_untouched(const struct poison *p, const unsigned char *region,
		      const struct tensor_layout *t);
/* Can no element of this type that is written equal poison, but for NaN? */
bool poison_is_no_number(enum dtype type);
/* How many elements of the tensor were not written, and the first of them;
 * mark[i] becomes 1 for each (NULL: not asked for). Integers and floats of one
 * byte count in groups of eight bytes: a single one may equal poison. */
int64_t poison_left(const struct poison *p, const unsigned char *region,
		    const struct tensor_layout *t, int64_t *first,
		    unsigned char *mark);

/* ---- likeness ------------------------------------------------------------ */

/*
 * Where the outputs of two arms on the same inputs differ most. It does
 * not say which arm is right: it says which rows the reference should check, so
 * that a row that one arm left out is found wherever it is.
 */

/* Compares all output tensors of an image, `tile_rows` (1 or more) rows at a
 * time; `one` and `other` point to the two outputs regions. */
void likeness_look(struct likeness_reply *out, const struct layout *l,
		   const unsigned char *one, const unsigned char *other,
		   int64_t tile_rows);

/* ---- lint ---------------------------------------------------------------- */

/* Can this task's checks find wrong outputs? Only the reference runs for it,
 * before any candidate.
 *
 * Sets the finding and its argument: an output that hardly differs between
 * two sets of inputs, an input that changes no output, a plain version that
 * computes something else, a reference that leaves holes. Returns NULL or what
 * went wrong. */
const char *lint(struct judge_answer *a, struct reference *r,
		 const struct lint_request *q);

#endif
