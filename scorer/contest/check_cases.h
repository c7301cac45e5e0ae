/*
 * The launches of the first phase, one after another: each of the task's cases
 * once, its cases again until each kind of contents came up once (of which the
 * first ones have integers at the ends of their ranges), the hidden cases, which
 * are drawn now, those of sizes that are alike, those of inputs that hold one number
 * alone, those of one size at its low end, those between ranges and cases, those of
 * short rows with zeros, and those of one or two changed sizes, in their order.
 */
#ifndef SCORER_CONTEST_CHECK_CASES_H
#define SCORER_CONTEST_CHECK_CASES_H

#include "core/base/buf.h"
#include "core/base/secret.h"
#include "core/task/hidden.h"
#include "scorer/wire/set.h"

/* What a hidden case is there for. */
enum check_kind {
	CHECK_PLAIN, /* hidden.h, values of small ranges, short rows with zeros */
	CHECK_ALIKE,	/* hidden_alike.h */
	CHECK_ENDS,	/* hidden_ends.h */
	CHECK_CONTENTS, /* `near_end` */
	CHECK_BETWEEN,	/* hidden_more.h, beyond a range */
	CHECK_STEP,	/* hidden_steps.h */
	CHECK_KINDS
};

struct check_case {
	const struct task_case *c;
	size_t which; /* of the task's cases; n_cases: a hidden one */
	bool is_more; /* a declared case once more */
	enum check_kind kind;
	bool launched;
	/* Once it was: seconds of its reference for all rows (0: not known) and of
	 * a launch, bytes of all tensors. */
	double whole, launch;
	size_t bytes;
	struct task_case hidden; /* if it is a hidden one; owned */
	enum fill mixed;
	/* Of bytes and the like (set_has_ends): FILL_ALL_HIGH or one after it;
	 * FILL_MIXED: as the task says. */
	enum fill ends;
	/* Not 0: inputs of one integer in a range are at, or one beside, a number
	 * that the sources hold something against; `beside` says which. */
	size_t beside;
	/* Not 0: a hidden case of short rows, with zeros in one input or in all;
	 * which one goes by `zeros`. */
	size_t zeros;
	/* Not 0: a hidden case in which an input of integers in a near range holds one
	 * end of it alone: 2 k + 1 the least, 2 k + 2 the greatest of argument k. */
	size_t near_end;
	const struct hidden_numbers *numbers; /* of the same check_cases */
	double *worst; /* the largest error of the case; borrowed */
};

struct check_cases {
	struct check_case *one;
	size_t n;
	struct hidden_numbers numbers; /* of the candidate's sources */
	double hidden_error;	       /* `worst` of hidden cases; not used */
};

/* `case_error`: one for each case of the task. `files`: the candidate's.
 * check_cases_release disposes; `out` must not be moved before that. */
void check_cases_draw(struct check_cases *out, const struct task *t,
		      double *case_error, const struct fileset *files,
		      struct secret_random *secret);
void check_cases_release(struct check_cases *t);
/* *set, of such a case, gets its `ends`, its `near_end`, what is `beside` numbers, and
 * its `zeros`. */
void check_case_use_ends(struct input_set *set, const struct task *t,
			 const struct check_case *tried);
/* Adds a hidden case, which is launched now, to "m,n: 300,17 large; 1,40 tiny";
 * those of hidden_alike.h, hidden_ends.h and hidden_steps.h in short: "; one or two
 * at a time 5,9 5,9 33,9". */
void check_case_tell(struct buf *out, const struct task *t,
		     const struct check_case *tried);
/* Adds the numbers that the candidate's sources hold something against, of those
 * above all ranges of `hidden`, where no size that was launched is a little greater:
 * "5000, 16384". */
void check_cases_unreached(struct buf *out, const struct task *t,
			   const struct check_cases *cases);

/* What launches that come in addition have taken, in seconds. A step that another
 * program held up says nothing of the others, and without them a fault is missed:
 * all count as the quickest of them, and some are always made. Sizes that are alike
 * or at an end count so, too. */
struct check_time {
	double more, between, zeros;
	double quickest[CHECK_KINDS]; /* of those that count so */
	size_t n[CHECK_KINDS];
};
bool check_time_is_left(const struct check_time *spent,
			const struct check_case *tried);
/* Do cases of this kind count as the quickest of them? */
bool check_counts_quickest(enum check_kind kind);
void check_time_spend(struct check_time *spent, const struct check_case *tried,
		      double seconds);

DEFINE_RELEASE(check_cases, struct check_cases, check_cases_release)
#define cleanup_check_cases CLEANUP(check_cases)

#endif
