/* Which function a task is about, and how large what it works on is: what a
 * person says where the source does not. */
#ifndef CMD_INIT_CHOOSE_H
#define CMD_INIT_CHOOSE_H

#include "core/task/debug_info.h"

/* Moves the function out of `all`: `entry`, else the only one, else the one
 * named as the file is, else (ask) the one that the user chooses. */
struct error *choose_function(struct prototype *out, struct function_list *all,
			      const char *path, const char *entry,
			      bool ask) MUST_CHECK;
/* Asks for the shapes that were not found. */
void ask_shapes(struct prototype *p);

#endif
