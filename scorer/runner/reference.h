/*
 * Computes what is right, for the judge: calls the task's reference and its
 * plain version on inputs that the scorer made, for rows that it chose.
 *
 * The reference has the candidate's signature, except that it writes outputs
 * of floating types as `double *` (same shape and strides); the plain version
 * has exactly the candidate's. If the task says so, both take two more int64_t,
 * the rows [begin, end) of the first dimension to compute, and then read no
 * other row of an inout argument. A prepared argument is NULL for both.
 */
#ifndef RUNNER_REFERENCE_H
#define RUNNER_REFERENCE_H

#include "scorer/runner/load.h"
#include "scorer/runner/mapping.h"
#include "scorer/wire/protocol.h"

/*
 * How wrong is too wrong (docs/scoring.md, "The error rule").
 *
 * The checked elements of an output are cut into tiles of about 64 elements,
 * within a row if rows are long enough. In each tile the root mean square
 * of the candidate's error may be `factor` times that of the plain version's
 * plus a floor of a few units in the last place of the rows it touches; and
 * the largest error of all may be `factor` times the largest of the plain
 * version. One draw of the plain version's error can be small by luck, so its
 * errors in earlier sets of the same kind count too (`error_history`): the
 * largest seen, or, if that is more, the mean of tiles and six deviations (some
 * errors are the same in a whole row, that of a mean for example, so that few
 * rows say little of the largest of many).
 */

/* The distribution of one figure over many tiles. */
struct spread {
	double largest, sum, squares;
	int64_t n;
};

/* The plain version's errors so far, for one case, one kind of contents and one
 * output. */
struct error_history {
	uint64_t key;
	uint32_t argument;
	struct spread relative; /* rms of a tile over rms of the reference */
	struct spread largest;	/* error of a tile */
	double squares;		/* of all errors, summed */
	double reference;	/* squares of the right values, summed */
	int64_t n;
	int64_t silent; /* of them: the plain version has no number */
	int64_t rows;	/* independent draws: rows, or tiles of short ones */
};

struct tile {
	int64_t begin, end;
	double plain,
		reference; /* rms of the plain version's error; of values */
	double largest;	   /* error of plain */
	double peak;	   /* the largest finite |right value| */
	int64_t silent;	   /* elements of which plain has no number */
	double allowed;	   /* rms of the error; relative rule only */
	bool usual; /* all right values are finite, and the plain version's */
};

/* The right values of an output, in the order of the checked segments. */
struct expected {
	uint32_t argument;
	enum dtype dtype;
	struct tolerance tolerance; /* the output's own, or the task's */
	int64_t n;
	int64_t row;		   /* elements of a row */
	double *reference, *plain; /* n each; floating types; owned */
	unsigned char *exact;	   /* n elements; integers; owned */
	struct tile *tile;	   /* owned; NULL: not cut and measured yet */
	size_t n_tiles;
	double allowed_largest;
};

/* Seconds of a clock that is never set. */
double runner_now(void);
void expected_release(struct expected *e);
/* Adds the plain version's errors to the history. This and expected_allow cut
 * the tiles and measure them if e->tile is NULL. */
void error_history_add(struct error_history *h, struct expected *e);
/* Sets the error allowed in each tile. */
void expected_allow(struct expected *e, const struct error_history *h,
		    const struct tolerance *tolerance);
/* |a - b| of two integers of this type, in full: a double holds not all of
 * them. */
double integer_difference(enum dtype t, const void *a, const void *b);
/* Is the reference infinite or no number there, and the plain version another? */
bool expected_plain_differs(const struct expected *e, int64_t i);
/* Compares n elements (doubles, or integers as they are) with it; raises
 * a->worst and sets the first finding. Integers are equal unless the tolerance
 * is absolute. */
void expected_compare(struct judge_answer *a, const struct expected *e,
		      const void *got, const struct tolerance *tolerance);

/* Sets mark[i] of the n elements to 1 where one is wrong, by the same rule; the
 * others must be 0. Returns how many are. Of a tile that is wrong in the mean,
 * those are that are off by more than the mean may be. */
int64_t expected_mark(unsigned char *mark, const struct expected *e,
		      const void *got, const struct tolerance *tolerance);

#define REFERENCE_HISTORIES 512
/* A NaN that no arithmetic makes: marks elements that the reference must write.
 */
#define HOLE_BITS  0x7ff4b0a7ed1e55edu
#define HOLE_QUIET ((uint64_t)1 << 51) /* the bit of a quiet NaN */

enum side { SIDE_REFERENCE, SIDE_PLAIN };

/* Access to inputs and functions that are not in this process's memory: on a
 * GPU all `inputs` below are then addresses there. */
struct reference;
struct elsewhere {
	/* Memory for the inputs of one launch. */
	const char *(*allocate)(struct elsewhere *self, unsigned char **inputs,
				size_t bytes);
	/* NULL: the inputs are in this process's memory all the same. */
	const char *(*fill)(struct elsewhere *self, unsigned char *inputs,
			    const struct entry_call *c,
			    const struct recipe *recipe, uint32_t k);
	/* Calls one side for a segment (NULL: everything), on image `index`,
	 * and copies its outputs into r->array[side]. */
	const char *(*call)(struct elsewhere *self, struct reference *r,
			    enum side side, unsigned char *inputs,
			    uint32_t index, const struct segment *s);
};

/* Where the arrays of a call lie; all 0: inputs where they are, outputs that end at a
 * page. */
struct placement {
	bool copies;	 /* of the inputs, which end or begin at a page, too */
	bool at_begin;	 /* of a page */
	bool exactly;	 /* at the page's end, whatever the alignment */
	uint64_t around; /* eight bytes that lie around arrays; 0: a NaN */
};

struct reference {
	struct functions f;
	struct elsewhere *elsewhere; /* NULL: in this process */
	bool has_plain;
	/* The arguments of the last reference_compute. */
	struct entry_call call;
	struct recipe recipe;
	uint64_t key;	/* of its error histories */
	uint32_t index; /* the image of the inputs */
	/* What outputs of integers hold before the call; 0: anything. Workspaces,
	 * too, but those that are zeroed. */
	uint64_t before;
	bool rows;
	struct tolerance tolerance;
	struct segment segment[PROTOCOL_SEGMENTS];
	uint32_t n_segments;
	struct expected expected[TASK_MAX_ARGS];
	size_t n_expected;
	/* Outputs of the functions: [0] reference, [1] plain. In this process each has
	 * guards. */
	struct mapping array[2][TASK_MAX_ARGS];
	struct placement placement;
	/* What the last compute was of, while it is there; NULL: no longer. */
	unsigned char *inputs;
	/* Copies of the inputs, where the placement asks for them. */
	struct mapping input[TASK_MAX_ARGS];
	/* Of the last call that returned reference_at_fault. */
	struct judge_answer fault;
	struct error_history history[REFERENCE_HISTORIES];
	size_t n_histories;
};

/* The type of an output's elements on one side. */
enum dtype side_dtype(const struct tensor_layout *t, enum side side);
/* Element 0 of tensor i in image k of a file of inputs mapped at `base`. */
void *inputs_tensor(unsigned char *base, const struct entry_call *c, size_t i,
		    uint32_t k);
/* Makes the contents of image k. NULL or what went wrong. */
const char *inputs_fill(const struct reference *r, unsigned char *base,
			const struct entry_call *c, const struct recipe *recipe,
			uint32_t k);
/* Memory for the inputs of one launch that is not a set's: *inputs, which `m`
 * owns or r->elsewhere has. */
const char *reference_inputs(const struct reference *r, struct mapping *m,
			     unsigned char **inputs, size_t bytes);
/* Sets r's arrays of a side before a call for a segment (NULL: everything):
 * outputs to holes or, where inout, to the contents of image `index`. */
void reference_reset(struct reference *r, enum side side, unsigned char *inputs,
		     uint32_t index, const struct segment *s);
/* Runs both sides for r's call and segments on image `index`, into r->expected;
 * does not set what is allowed. *hole is an argument of which the reference
 * left an element unwritten, or -1. */
const char *reference_run(struct reference *r, unsigned char *inputs,
			  uint32_t index, int *hole);
/* What the functions below return where the reference, or the plain version, did what
 * it must not: r->fault has the finding. */
extern const char reference_at_fault[];
/* Calls the reference twice more for what was computed last (`inputs`, image `index`):
 * on other memory, with other garbage in all that it has not written. Where what it
 * answers differs, it is at fault. `judged`: by more than may pass; else by so much that
 * no order of sums explains it. */
const char *reference_again(struct reference *r, unsigned char *inputs,
			    uint32_t index, bool judged) MUST_CHECK;
/* What was computed last, for another judge: so many bytes. */
size_t reference_answer_bytes(const struct reference *r);
void reference_write_down(unsigned char *to, const struct reference *r);
/* What another judge wrote down, of the same: does it differ by more than may pass? Then
 * the reference is at fault. */
const char *reference_hold(struct reference *r,
			   const unsigned char *written) MUST_CHECK;
/* Is it the reference that is to blame for what *a found? Asks it again, if the inputs
 * are there. */
const char *reference_blame(const struct judge_answer *a,
			    struct reference *r) MUST_CHECK;
/* Computes one side for r's call and segments, into r->expected as it was planned. */
const char *reference_side(struct reference *r, enum side side,
			   unsigned char *inputs, uint32_t index);
/* Plans r->expected anew, which it releases, for r's call and segments. */
void reference_plan(struct reference *r);
/* Turns a->element, an index of the checked elements, into one of the tensor. */
void reference_locate(struct judge_answer *a, const struct reference *r);
/* Unmaps the arrays of both sides, and the copies of inputs. */
void reference_drop_arrays(struct reference *r);
/* Computes the right values for image q->index of the inputs, and the allowed
 * error. Sets a->finding where the reference left an element unwritten, or the
 * plain version computes something else: then nothing can be judged by them. */
const char *reference_compute(struct judge_answer *a, struct reference *r,
			      const struct reference_request *q,
			      unsigned char *inputs);
/* The same, of the right values alone. */
const char *reference_answer(struct judge_answer *a, struct reference *r,
			     const struct reference_request *q,
			     unsigned char *inputs);
/* Compares the outputs region of one image with them, by the error allowed now.
 */
void reference_look(struct judge_answer *a, const struct reference *r,
		    const unsigned char *outputs);
/* The same, but if the error is a little larger than allowed, first measures
 * more of the plain version's errors, since few draws say little of the largest
 * possible error. NULL or what went wrong. */
const char *reference_compare(struct judge_answer *a, struct reference *r,
			      const unsigned char *outputs) MUST_CHECK;

#endif
