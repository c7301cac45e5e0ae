/*
 * The definition of a function in C or CUDA source, read well enough to write the
 * first version of a task file: its parameters, which are pointers, what
 * they point to. No preprocessor: a type behind a macro or a typedef of the
 * source's own is left for the user to say.
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

/* The function `entry`, or the only one that could be called from outside (or
 * the one named as `path` is) where entry is NULL. In CUDA that is a host
 * function with C's linkage and a cudaStream_t as its last parameter, which is
 * not among those of `out`. `path` is for messages. */
struct error *prototype_read(struct prototype *out, enum language language,
			     const char *path, const char *source,
			     const char *entry) MUST_CHECK;
void prototype_release(struct prototype *p);

DEFINE_RELEASE(prototype, struct prototype, prototype_release)
#define cleanup_prototype CLEANUP(prototype)

#endif
