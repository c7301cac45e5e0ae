/*
 * The launches that a candidate is tried on in the first phase, one after the
 * other: each of the task's cases once, its cases again until each kind of
 * contents was there once, and the hidden cases, which are drawn now.
 */
#ifndef SCORER_CONTEST_CHECK_CASES_H
#define SCORER_CONTEST_CHECK_CASES_H

#include "core/base/secret.h"
#include "core/task/task.h"
#include "scorer/wire/protocol.h"

struct check_case {
	const struct task_case *c;
	size_t which; /* of the task's cases; n_cases: a hidden one */
	bool is_more; /* a declared case once more */
	struct task_case hidden; /* where it is one; owned */
	enum fill mixed;
	double *worst; /* the largest error of it; borrowed */
};

struct check_cases {
	struct check_case *one;
	size_t n;
	double hidden_error; /* not asked for */
};

/* `case_error`: one a case of the task. check_cases_release disposes; `out` must not be
 * moved before. */
void check_cases_draw(struct check_cases *out, const struct task *t,
		      double *case_error, struct secret_random *secret);
void check_cases_release(struct check_cases *t);

DEFINE_RELEASE(check_cases, struct check_cases, check_cases_release)
#define cleanup_check_cases CLEANUP(check_cases)

#endif
