/*
 * The functions of an object file, by the compiler's debug information (DWARF
 * 4) as readelf(1) of binutils prints it:
 *
 *     readelf --wide --debug-dump=info --debug-dump=rawline OBJECT
 *
 * So typedefs, macros, #if and overloads are what the compiler took them for.
 * readelf runs where the compiler runs, in the sandbox, since an object of a
 * stranger's source may hold any debug information: assembly in the source can
 * write it. What comes here is text, which is read with bounds.
 */
#ifndef CORE_TASK_DEBUG_INFO_H
#define CORE_TASK_DEBUG_INFO_H

#include "core/task/prototype.h"

struct function_list {
	struct prototype *v;
	size_t n, cap;
};
void function_list_release(struct function_list *f);
DEFINE_RELEASE(function_list, struct function_list, function_list_release)
#define cleanup_function_list CLEANUP(function_list)

/* The functions that the file named as `path` defines, in the order of their
 * lines; those of the headers where there is none of its own. Names that are no
 * identifiers (a destructor's), or would not be shown as they are, are left out,
 * and so is the standard library. */
void debug_info_read(struct function_list *out, enum language language,
		     const char *text, const char *path);

#endif
