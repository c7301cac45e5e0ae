/*
 * The launches of the first phase, one after another: each of the task's cases
 * once, its cases again until each kind of contents came up once (of which the
 * first ones have integers at the ends of their ranges), the hidden
 * cases, which are drawn now, and those of a single changed size, in their order.
 */
#ifndef SCORER_CONTEST_CHECK_CASES_H
#define SCORER_CONTEST_CHECK_CASES_H

#include "core/base/buf.h"
#include "core/base/secret.h"
#include "core/task/hidden.h"
#include "scorer/wire/set.h"

struct check_case {
	const struct task_case *c;
	size_t which; /* of the task's cases; n_cases: a hidden one */
	bool is_more; /* a declared case once more */
	bool is_step; /* a hidden one of hidden_steps.h */
	struct task_case hidden; /* if it is a hidden one; owned */
	enum fill mixed;
	/* Of bytes and the like (set_has_ends): FILL_ALL_HIGH or one after it;
	 * FILL_MIXED: as the task says. */
	enum fill ends;
	double *worst; /* the largest error of the case; borrowed */
};

struct check_cases {
	struct check_case *one;
	size_t n;
	double hidden_error; /* `worst` of hidden cases; not used */
};

/* `case_error`: one for each case of the task. `files`: the candidate's.
 * check_cases_release disposes; `out` must not be moved before that. */
void check_cases_draw(struct check_cases *out, const struct task *t,
		      double *case_error, const struct fileset *files,
		      struct secret_random *secret);
void check_cases_release(struct check_cases *t);
/* *set, of such a case, gets its `ends`. */
void check_case_use_ends(struct input_set *set, const struct task *t,
			 const struct check_case *tried);
/* Adds a hidden case, which is launched now, to "m,n: 300,17 large; 1,40 tiny";
 * those of hidden_steps.h in short: "; one at a time 5,9 5,9 33,9". */
void check_case_tell(struct buf *out, const struct task *t,
		     const struct check_case *tried);

DEFINE_RELEASE(check_cases, struct check_cases, check_cases_release)
#define cleanup_check_cases CLEANUP(check_cases)

#endif
