/* The types that a source in C defines itself. */
#ifndef CORE_TASK_OWN_TYPES_H
#define CORE_TASK_OWN_TYPES_H

#include "core/base/strvec.h"

/* Adds, each once, the names of typedefs, tags and enumerators that stand in
 * `source` outside of functions: what a second copy of it cannot define again. */
void own_types(struct strvec *out, const char *source);

#endif
