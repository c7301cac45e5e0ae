/*
 * The launches that a candidate is tried on in the first phase, one after the
 * other: each of the task's cases once, its cases in turn until each kind of
 * contents was there once, and the hidden cases, which are drawn now.
 */
#ifndef SCORER_CONTEST_CHECK_CASES_H
#define SCORER_CONTEST_CHECK_CASES_H

#include "core/base/secret.h"
#include "core/task/task.h"
#include "scorer/wire/protocol.h"

struct turn {
	const struct task_case *c;
	size_t which; /* of the task's cases; n_cases: a hidden one */
	bool is_more; /* a declared case once more */
	struct task_case hidden; /* where it is one; owned */
	enum fill mixed;
	double *worst; /* the largest error of it; borrowed */
};

struct turns {
	struct turn *turn;
	size_t n;
	double hidden_error; /* where nobody asks for it */
};

/* `case_error`: one a case of the task. turns_release disposes; `out` must not be
 * moved before. */
void turns_draw(struct turns *out, const struct task *t, double *case_error,
		struct secret_random *secret);
void turns_release(struct turns *t);

DEFINE_RELEASE(turns, struct turns, turns_release)
#define cleanup_turns CLEANUP(turns)

#endif
