/*
 * A launch again in the same buffers with one changed element: what a kernel keeps
 * for an address, for a size or for some of the elements is wrong there.
 */
#ifndef SCORER_CONTEST_CHANGED_ELEMENT_H
#define SCORER_CONTEST_CHANGED_ELEMENT_H

#include "scorer/contest/check.h"

/* The inputs of which one element can be changed: not static ones, nor those of a
 * generator, whose elements may belong together, nor such as hold one value only or
 * nothing. Returns how many. */
size_t changed_inputs(size_t which[TASK_MAX_ARGS], const struct task *t,
		      const struct input_set *s);
/* One more change of argument i in the set's recipe, which has room: in a row that is
 * checked (`what`) where rows of the input and of the outputs are as many. Mostly it
 * is the only one on which that element has an influence. */
void changed_draw(struct input_set *s, size_t i, struct scoring *sc,
		  const struct selection *what);
/* Adds to a verdict that is no pass in which launch it was. `failed`: no output was
 * compared, so it need not have kept anything. */
void changed_say(struct score_outcome *o, const struct task *t, size_t i,
		 bool failed);

#endif
