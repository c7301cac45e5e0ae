/*
 * What a function's loops say of its arguments: how large the tensors are, which
 * way they go, and how much work a launch is. A proposal, for a person to look
 * over: names are followed through sums, products, calls of functions in the
 * same file and pointers that walk, and what goes beyond is left open.
 *
 * The source is read as a compiler's preprocessor left it, so macros and #if
 * are gone. Its size is bounded by the caller; the time is bounded here.
 */
#ifndef CORE_TASK_LOOPS_H
#define CORE_TASK_LOOPS_H

#include "core/task/prototype.h"

/* Fills shape, strides, direction, is_size of the parameters, and bytes, flops
 * and the degrees of *p, where they are found. */
void loops_read(struct prototype *p, const char *source);

#endif
