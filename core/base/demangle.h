/*
 * Names of C++ functions as a person writes them. A mangled name may come from
 * a stranger's object: a short one can stand for a text without end, so both
 * name and text are bounded.
 */
#ifndef CORE_BASE_DEMANGLE_H
#define CORE_BASE_DEMANGLE_H

#include "core/base/base.h"

#define DEMANGLE_NAME_MAX 4096 /* bytes of a mangled name */
#define DEMANGLE_TEXT_MAX 4096 /* bytes of what it stands for */

/* "_Z3addii" is "add(int, int)". A copy of the name if it is not mangled, or if
 * it or its text is too long. free() disposes. */
char *demangle(const char *name) MUST_CHECK;

/* A text in which every such name is as demangle has it. free() disposes. */
char *demangle_text(const char *text) MUST_CHECK;

#endif
