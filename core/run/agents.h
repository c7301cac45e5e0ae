/*
 * Several agents at once on one run. Each is an operator in a thread of its
 * own. What the agents wait for (a model, a program, a build) overlaps; the run
 * itself, its population and its archive are used by one thread at a time,
 * which holds the lock of the run. The thread of the loop begins and ends their
 * steps. It does all scoring, too: agents ask it and wait. Only where the
 * evaluator scores several candidates at a time (evaluator.at_once) agents call
 * it themselves, so many at a time.
 *
 * Part of the loop: only its files include it (loop.h).
 */
#ifndef CORE_RUN_AGENTS_H
#define CORE_RUN_AGENTS_H

#include "core/run/loop.h"

/* Lets the agents of l->e->agents work until each has nothing left to try or
 * the run stops; *reason as loop_why_stop. The first error of one ends them
 * all. */
struct error *agents_search(struct loop *l, const char **reason) MUST_CHECK;

/* A scoring begins or is over. It waits until no agent builds, and none begins
 * to, unless the evaluator can build beside a scoring. NULL: there are none. */
void agents_measure(struct agents *s, bool begins);

/* The supervisor reviews the run, or is done. It waits until no other review
 * goes on; meanwhile no scoring begins or changes the run. NULL: there are no
 * agents. */
void agents_review(struct agents *s, bool begins);
/* Waits until no review goes on; for who is about to change what was measured.
 */
void agents_await_review(struct agents *s);

#endif
