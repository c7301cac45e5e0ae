/*
 * The cases that a candidate is tried on in the first phase, one after the
 * other: the task's own, then hidden ones that are drawn now, each with the next
 * kind of contents.
 */
#ifndef SCORER_TURNS_H
#define SCORER_TURNS_H

#include "core/secret.h"
#include "core/task.h"
#include "scorer/protocol.h"

struct turn {
	const struct task_case *c;
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
