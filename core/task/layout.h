/*
 * A task applied to one case: the concrete arguments of one launch. Every
 * tensor lies in one of four regions: inputs (read-only for the candidate),
 * outputs (out and inout), workspace, prepared. Offsets are within the
 * region.
 *
 * Round every tensor lie guard bytes the candidate must not touch: GUARD
 * bytes before, and after it the rest up to a page end, so that one step
 * past the end of an end-placed tensor faults. Which end is against the page
 * is drawn per launch (`end_aligned`).
 */
#ifndef CORE_TASK_LAYOUT_H
#define CORE_TASK_LAYOUT_H

#include "core/task/task.h"

#define LAYOUT_PAGE  4096
#define LAYOUT_GUARD 256

enum region {
	REGION_INPUT,
	REGION_OUTPUT,
	REGION_WORKSPACE,
	REGION_PREPARED, /* the candidate's own; no other program sees it */
	REGION_COUNT
};

struct tensor_layout {
	enum region region;
	size_t begin, end; /* of its slot in the region: whole pages */
	size_t offset;	   /* of element 0, begin + GUARD at least */
	size_t bytes;	   /* from element 0 to the end of the last element */
	/* plain data of the tensor; for workspaces n_dims is 0 */
	enum dtype dtype;
	enum direction direction;
	size_t n_dims;
	int64_t shape[TASK_MAX_DIMS];
	int64_t stride[TASK_MAX_DIMS]; /* elements */
	int64_t elements;	       /* product of shape */
	bool zeroed;		       /* workspace */
};

struct value_layout { /* scalar or struct by value */
	size_t bytes, alignment;
	unsigned char data[256]; /* C layout, filled in */
	size_t n_members;
	enum dtype member[32];
};

struct layout {
	size_t n; /* arguments */
	struct {
		bool is_tensor; /* or workspace or prepared, else value */
		struct tensor_layout tensor;
		struct value_layout value;
	} arg[TASK_MAX_ARGS];
	size_t region_bytes[REGION_COUNT]; /* whole pages; one page of nothing
					    * lies between slots */
	int64_t rows; /* first dimension of the outputs; all alike, else 0 */
};

/* `end_aligned`: tensors end as near to a page end as their alignment lets
 * them; otherwise they begin a guard after a page start. Over 4 GiB for a
 * region is an error that names the case. */
struct error *layout_make(struct layout *out, const struct task *t,
			  const struct task_case *c,
			  bool end_aligned) MUST_CHECK;

#endif
