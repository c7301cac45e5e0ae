/*
 * The definition of a function in C or CUDA source, read well enough for the
 * first version of a task file: its parameters, and for pointers what they
 * point to. There is no preprocessor, so the user has to fill in a type that
 * comes from a macro or from the source's own typedef.
 */
#ifndef CORE_TASK_PROTOTYPE_H
#define CORE_TASK_PROTOTYPE_H

#include "core/task/task.h"

struct parameter {
	char *name;
	char *type; /* as written, without qualifiers and stars */
	bool known; /* dtype says what the type is */
	enum dtype dtype;
	bool is_pointer, is_const;
};

struct prototype {
	enum language language;
	char *name;
	struct parameter parameter[TASK_MAX_ARGS];
	size_t n;
};

/* Finds the function `entry`. If entry is NULL: the only one that can be called
 * from outside, or the one named as `path` is. In CUDA that is a host function
 * with C linkage and a cudaStream_t as its last parameter, which is left out of
 * `out`. `path` is for messages. */
struct error *prototype_read(struct prototype *out, enum language language,
			     const char *path, const char *source,
			     const char *entry) MUST_CHECK;
void prototype_release(struct prototype *p);

DEFINE_RELEASE(prototype, struct prototype, prototype_release)
#define cleanup_prototype CLEANUP(prototype)

#endif
