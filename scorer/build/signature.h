/*
 * Does a C++ function, as the demangler writes it, fit what a task asks for?
 * A task may give the name alone ("geo::scale"), a template with its arguments
 * ("scale<float>"), or a declaration, which tells overloads apart
 * ("void geo::scale(const float *x, int64_t n)").
 */
#ifndef SCORER_BUILD_SIGNATURE_H
#define SCORER_BUILD_SIGNATURE_H

#include "core/base/base.h"

/* `function`: "geo::scale(float const*, long)". Names and types are compared as
 * C++ does, whatever the order of qualifiers, names of parameters and
 * spellings of integer types, in template arguments, too. Not understood in a declaration, and compared as
 * text: types of functions, and typedefs other than those of <stdint.h> and
 * <stddef.h>. */
bool signature_fits(const char *function, const char *wanted);
/* Are two names, without parameters, the same: "f<uint8_t,256>" and
 * "f<unsigned char, 256>"? */
bool signature_is_name(const char *a, const char *b);
/* The name without its qualifiers, template arguments and parameters, in what
 * a task asks for: "scale". free() disposes. */
char *signature_base(const char *wanted) MUST_CHECK;

#endif
