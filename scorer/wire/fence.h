/*
 * A layout with fences: every tensor ends where a page of the GPU's memory
 * ends (as near as its alignment lets it), and a page that is not mapped lies
 * before it and after it. A sanitizer knows what is mapped, and nothing of
 * tensors inside one mapping: so one step past the end of a tensor becomes an
 * access it can name, at the address that was captured.
 */
#ifndef SCORER_WIRE_FENCE_H
#define SCORER_WIRE_FENCE_H

#include "core/task/layout.h"

/* What drivers map at once. The runner refuses where it is another. */
#define FENCE_PAGE ((size_t)2 << 20)

/* Places the tensors of a layout of this task anew: begin and end of a slot
 * are what is to be mapped, and a page of nothing lies between slots. Over
 * 4 GiB for a region is ERROR_TOO_BIG. */
struct error *fence_layout(struct layout *l, const struct task *t) MUST_CHECK;

#endif
