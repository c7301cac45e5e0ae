/* Which function a task is about, and how large what it works on is: what a
 * person says where the source does not. */
#ifndef CMD_INIT_CHOOSE_H
#define CMD_INIT_CHOOSE_H

#include "core/task/debug_info.h"

/* The function of `all` (borrowed): `entry`, by its name or its declaration,
 * else the only one that other files can call, else the one named as the file
 * is, else (ask) the one that the user chooses. Where there is none that others
 * can call, a static one. The error names all that it could be, each as a value
 * of --entry; `source` is the file's text. */
struct error *choose_function(struct prototype **out,
			      const struct function_list *all,
			      enum language language, const char *path,
			      const char *source, const char *entry,
			      bool ask) MUST_CHECK;
/* Is there a function that `entry` names? */
bool choose_has(const struct function_list *all, const char *entry);
/* What --entry and the task call it: its name, or its declaration where several
 * have the name. free() disposes. */
char *choose_name(const struct function_list *all,
		  const struct prototype *p) MUST_CHECK;
/* Asks for the shapes that were not found. */
void ask_shapes(struct prototype *p);

#endif
