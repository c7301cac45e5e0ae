/*
 * A layout with fences: every tensor ends at the end of a page of GPU memory
 * (as near as its alignment allows), with an unmapped page before it and one
 * after it. A sanitizer knows what is mapped, but not the tensors inside one
 * mapping. With fences it can report the first access past the end of a
 * tensor, at the address that was captured.
 */
#ifndef SCORER_WIRE_FENCE_H
#define SCORER_WIRE_FENCE_H

#include "core/task/layout.h"

/* The granularity of a driver's mappings. The runner refuses any other. */
#define FENCE_PAGE ((size_t)2 << 20)

/* Places the tensors of this task's layout again: begin and end of a slot
 * bound what is to be mapped, and one unmapped page lies between slots. A
 * region over 4 GiB is ERROR_TOO_BIG. */
struct error *fence_layout(struct layout *l, const struct task *t) MUST_CHECK;

#endif
