/*
 * The dimensions of a task as names, each with one value or with one for every
 * workload: how FlashInfer-Bench says shapes. A name that is not constant must
 * be a dimension of an input, since its value is read there.
 */
#ifndef CMD_EXPORT_AXES_H
#define CMD_EXPORT_AXES_H

#include "cmd/export/binding.h"

struct axis {
	char *name;
	bool varies;
	int64_t value;		/* where it does not */
	const struct expr *dim; /* borrowed; NULL: a symbol of the task */
	size_t symbol;		/* its index, where dim is NULL */
};

/* The task's symbols in their order, then dimensions that are more than one. */
struct axes {
	struct axis *axis;
	size_t n, cap;
	size_t of[TASK_MAX_ARGS][TASK_MAX_DIMS]; /* index of a dimension's */
};

/* Refuses a dimension that varies and is read from no input. The strings are
 * owned. */
struct error *axes_find(struct axes *out,
			const struct export_source *s) MUST_CHECK;
/* In this case of the task. */
struct error *axis_value(int64_t *out, const struct axis *a,
			 const struct task *t,
			 const struct task_case *c) MUST_CHECK;
void axes_release(struct axes *a);

DEFINE_RELEASE(axes, struct axes, axes_release)
#define cleanup_axes CLEANUP(axes)

#endif
