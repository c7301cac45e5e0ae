/*
 * The little of Python in which other tuners describe a space: lists of values
 * ("[1, 2, 4]", "range(1, 9)", "[16*i for i in range(1, 9)]", "['a', 'b']") and
 * conditions on whole numbers ("x * y <= 1024 and x % 32 == 0"). Nothing is
 * run: all else is refused by a sentence (ERROR_MALFORMED).
 */
#ifndef AGENT_TUNER_PYTHON_H
#define AGENT_TUNER_PYTHON_H

#include "core/base/buf.h"
#include "core/base/strvec.h"

/* Adds each value as a word of a source; at most `most`. */
struct error *python_list(struct strvec *out, const char *text,
			  size_t most) MUST_CHECK;
/* Adds the condition in the words of core/task/expr.h. A division is one of
 * whole numbers that are not negative. */
struct error *python_condition(struct buf *out, const char *text) MUST_CHECK;

#endif
