/*
 * Where the task of a kernel goes, and what of the project it names: flags,
 * include folders and headers.
 */
#ifndef CMD_INIT_PROJECT_H
#define CMD_INIT_PROJECT_H

#include "cmd/init/compile.h"

struct project_paths {
	char *top;	/* of the work tree, absolute, without links */
	char *source;	/* the kernel's file, likewise */
	char *from_top; /* the same from the top */
	char *folder;	/* the task's, from the top: "" or "dir" */
	char *task;	/* the task file, as the user would name it here */
	char *task_from_top;
	char *kernel;		  /* the kernel's file from the task's folder */
	char *reference;	  /* as the user would name it here */
	char *reference_name;	  /* from the task's folder */
	char *reference_from_top; /* from the top */
	/* The file that includes the kernel's and makes it callable, likewise. */
	char *shim, *shim_name, *shim_from_top;
};
void project_paths_release(struct project_paths *p);
DEFINE_RELEASE(project_paths, struct project_paths, project_paths_release)
#define cleanup_project_paths CLEANUP(project_paths)

/* `output`: the task file; NULL: the usual one in the current folder. Its folder
 * is made where there is none. */
struct error *project_find(struct project_paths *out, const char *work_dir,
			   const char *kernel, const char *output,
			   enum language language) MUST_CHECK;
/* Adds the kernel's text as the reference's folder needs it: #include "name" of
 * what lies beside the kernel gets the path from there. */
void project_move_includes(struct buf *out, const struct project_paths *p,
			   const struct compiled *c, const char *text);
/* Is it the file that commands find by themselves? */
bool project_is_default(const struct project_paths *p);
/* The flags that a task may have. */
void project_flags(struct strvec *out, const struct compile_line *line);
/* The include folders of the task, and the headers beside them that the source
 * includes, both from its folder. */
void project_files(struct strvec *include, struct strvec *files,
		   const struct compile_line *line, const struct compiled *c,
		   const struct project_paths *p);
/* Does a source that the kernel's includes have to be kept from being compiled
 * by itself, too? */
bool project_includes_sources(const struct compiled *c);

#endif
