/*
 * A task applied to one case: the concrete arguments of one launch. Every
 * tensor lies in one of four regions: inputs (read-only for the candidate),
 * outputs (out and inout), workspace, prepared. Offsets are relative to the
 * region.
 *
 * A tensor lies in a slot of whole pages. What it leaves of them are guard bytes
 * that the candidate must not touch. For each launch it is drawn (`end_aligned`)
 * whether tensors end where their slots end, so that one step past the end faults,
 * or lie at the beginning: those that are read in C and C++ where the slot begins, so
 * that one step before the start faults, all others GUARD bytes after that.
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
	REGION_PREPARED, /* the candidate's own; other programs do not see it */
	REGION_COUNT
};

struct tensor_layout {
	enum region region;
	size_t begin, end; /* its slot in the region: whole pages */
	size_t offset;	   /* of element 0 */
	size_t bytes;	   /* from element 0 to the end of the last element */
	size_t alignment;  /* of element 0, as the task promises it */
	/* plain data of the tensor; for workspaces n_dims is 0 */
	enum dtype dtype;
	enum direction direction;
	size_t n_dims;
	int64_t shape[TASK_MAX_DIMS];
	int64_t stride[TASK_MAX_DIMS]; /* elements */
	int64_t elements;	       /* product of shape */
	bool may_not_vary;	       /* as in struct argument */
	bool has_tolerance;	       /* output: as in struct argument */
	double rtol, atol;
	bool zeroed; /* workspace */
	enum passing passing;
};

struct value_layout { /* scalar or struct by value */
	size_t bytes, alignment;
	unsigned char data[256]; /* C layout, filled in */
	size_t n_members;
	enum dtype member[32];
	/* Of a member that is a pointer: 1 + the tensor's argument; else 0. */
	unsigned char tensor[32];
	bool by_pointer;
};

struct layout {
	size_t n; /* arguments */
	struct {
		bool is_tensor; /* also workspace or prepared; else a value */
		struct tensor_layout tensor;
		struct value_layout value;
	} arg[TASK_MAX_ARGS];
	size_t region_bytes[REGION_COUNT]; /* whole pages: one slot after the
					    * other */
	int64_t rows; /* first dimension of all outputs; 0 if it differs */
};

/* `end_aligned`: tensors end as close to the end of a page as their alignment
 * allows; otherwise they lie at the beginning of their slots. A region over
 * 4 GiB is an error that names the case. */
struct error *layout_make(struct layout *out, const struct task *t,
			  const struct task_case *c,
			  bool end_aligned) MUST_CHECK;

#endif
