/* Function templates in a source in C++, which no compiler has in its debug
 * information before a program uses them. */
#ifndef CMD_INIT_TEMPLATES_H
#define CMD_INIT_TEMPLATES_H

#include "core/base/base.h"

/* The first one of `source` as a value of --entry, with arguments as a program
 * might use it: "nn::norm<float, 8>"; NULL: there is none. free() disposes. */
char *template_in_source(const char *source) MUST_CHECK;

#endif
