/*
 * A reference that keeps something from its first calls: inputs, a size, a table that it
 * made of them. It answers otherwise in a process that has called it for nothing else, and
 * is at fault then. A candidate that keeps the same would be right by it, one that is
 * right be called wrong. What a candidate does decides nothing here: both answers are the
 * reference's. On the CPU; of a task for a GPU these do nothing.
 */
#ifndef SCORER_CONTEST_ALONE_H
#define SCORER_CONTEST_ALONE_H

#include "scorer/contest/check_cases.h"
#include "scorer/host/context.h"

/* Asks for what it answered last, of this set, in a process of its own: ERROR_TASK where
 * that is another answer, with case and inputs. */
struct error *alone_ask(struct scoring *sc,
			const struct input_set *s) MUST_CHECK;
/* The same where *a says that values are wrong. Where such a process takes long to start
 * (PyTorch), the first time, and then as often as it takes a small part of all time. */
struct error *alone_before_blame(struct scoring *sc, const struct input_set *s,
				 const struct judge_answer *a) MUST_CHECK;
/* The same of one of the cases that were launched, once in a scoring. Where such a process
 * takes long to start, once for a task as its files are. */
struct error *alone_once(struct scoring *sc,
			 const struct check_cases *cases) MUST_CHECK;

#endif
