/*
 * The definition of a function in C source, read well enough to write the
 * first version of a task file: its parameters, which are pointers, what
 * they point to. No preprocessor: a type behind a macro or a typedef of the
 * source's own is left for the user to say.
 */
#ifndef CMD_PROTOTYPE_H
#define CMD_PROTOTYPE_H

#include "core/task.h"

struct parameter {
	char *name;
	char *type; /* as written, without qualifiers and stars */
	bool known; /* dtype says what the type is */
	enum dtype dtype;
	bool is_pointer, is_const;
};

struct prototype {
	char *name;
	struct parameter parameter[TASK_MAX_ARGS];
	size_t n;
};

/* The function `entry`, or the only function that is not static (or the one
 * named as `path` is) where entry is NULL. `path` is for messages. */
struct error *prototype_read(struct prototype *out, const char *path,
			     const char *source, const char *entry) MUST_CHECK;
void prototype_release(struct prototype *p);

DEFINE_RELEASE(prototype, struct prototype, prototype_release)
#define cleanup_prototype CLEANUP(prototype)

#endif
