/*
 * What a compiler says of a source: its functions, from the debug information
 * of an object, and its text after the preprocessor.
 *
 * The compiler runs in the sandbox, as for every build, since a source of a
 * stranger can have it read any file and never end. It is handed the source and
 * the files that its #include lines can mean, found beside the including file
 * and in the -I folders, all within the work tree: nothing else of the user's
 * is there to be included.
 */
#ifndef CMD_INIT_COMPILE_H
#define CMD_INIT_COMPILE_H

#include "core/base/buf.h"
#include "core/base/fileset.h"
#include "core/task/debug_info.h"

/* How the project compiles this source. */
struct compile_line {
	char *compiler; /* "cc", "c++", "clang-16": a name without a path */
	/* Of the project: macros, language, machine, -I as paths from the top
	 * of the work tree. */
	struct strvec flags;
	struct strvec folders;	/* the -I among them, from the top; "" is it */
	struct strvec left_out; /* what was not understood */
	char *from;		/* "build/compile_commands.json"; NULL: none */
};
void compile_line_release(struct compile_line *l);
DEFINE_RELEASE(compile_line, struct compile_line, compile_line_release)
#define cleanup_compile_line CLEANUP(compile_line)

/* From the words of the command line, else from compile_commands.json in the
 * folders above the source, at most `top`, or in a build/ there. `source` and
 * `top` are absolute and without links; the words' paths start at the current
 * folder. */
struct error *compile_line_find(struct compile_line *out,
				enum language language, const char *top,
				const char *source,
				const struct strvec *words) MUST_CHECK;

struct compiled {
	struct function_list functions;
	struct buf text;	/* preprocessed; empty: too large */
	struct strvec included; /* files of the work tree that it includes */
};
void compiled_release(struct compiled *c);
DEFINE_RELEASE(compiled, struct compiled, compiled_release)
#define cleanup_compiled CLEANUP(compiled)

/* ERROR_TASK with the compiler's first sentence where it does not compile,
 * ERROR_NOT_FOUND where a program is missing. `path` is the source's from the
 * top. `use` (NULL: nothing) is a function that the compiler is to make though
 * nothing calls it: a template with its arguments, an inline function. */
struct error *compile_read(struct compiled *out, enum language language,
			   const struct compile_line *line, const char *top,
			   const char *path, const char *use) MUST_CHECK;

/* By the ending of the name: what other sources include, and what is compiled
 * by itself. */
bool is_header(const char *path);
bool is_compiled(const char *path);

/* Does the same compiler take this text, as the file `path` (from the top)? */
struct error *compile_accepts(bool *out, const struct compile_line *line,
			      const char *top, const char *path,
			      const struct buf *text) MUST_CHECK;

#endif
