/*
 * The functions that a built object exports, read from its table of dynamic
 * symbols. No code of the object runs, so that the process with the clock can
 * check a name, and a machine without the device can too.
 */
#ifndef SCORER_BUILD_EXPORTS_H
#define SCORER_BUILD_EXPORTS_H

#include "core/task/task.h"
#include "scorer/build/elf.h"

/* Their names, sorted; a name that is too long to be asked for is left out.
 * False if the table cannot be read: the loader will report why. */
bool exports_read(struct strvec *out, const struct bytes *object);
bool exports_read_fd(struct strvec *out, int object_fd);
/* Says that `name` is not among them: "no function 'scann'; they have: scan".
 * In C++ it may be a declaration (signature.h), which one function must fit.
 * NULL if it is there. free() disposes. */
char *exports_lack(const struct strvec *exports, enum language language,
		   const char *name) MUST_CHECK;
/* In C++: the symbol to ask the object's loader for. If none fits, or the table
 * cannot be read, it is the name itself. free() disposes. */
char *exports_symbol(int object_fd, const char *name) MUST_CHECK;

#endif
