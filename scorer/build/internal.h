/* Inside the build module: build.c compiles, command.c and cuda.c make the
 * command lines, runner.c hands files to a runner, log.c and resources.c read the output of compilers, cache.c
 * keeps objects. */
#ifndef SCORER_BUILD_INTERNAL_H
#define SCORER_BUILD_INTERNAL_H

#include "scorer/build/build.h"
#include "scorer/build/library.h"
#include "scorer/device/toolkit.h"

/* The copy of the files that a task's own command works in, in $TMPDIR. */
#define BUILD_COPY "source"

struct builder {
	const struct task *task;
	const struct sandbox *sandbox;
	char *compiler;		/* version line */
	char *features;		/* of this CPU, see machine_features */
	char *cache_dir;	/* NULL: no cache */
	struct toolkit toolkit; /* CUDA; all NULL for C, as is arch */
	char *arch;
	struct runner_command runner; /* LANGUAGE_RUNNER; else all zero */
	struct runner_command python; /* where any code is in Python */
	const volatile int *stop_now; /* builder_stop_at */
	const struct fileset *base;   /* builder_knows; NULL: none */
	struct libraries libraries;   /* of the baselines */
	/* CUDA's, and these: for runs of CUDA, where a launcher is started
	 * before it is known what it will run. */
	struct strvec run_folders;
	/* What compilers see: those of CUDA alone, but for a baseline. */
	const char *const *compile_folders;
	const char *linked; /* what they link, as libraries.said; or NULL */
};

/* Runs the command, or takes its object from the cache. Sets all of *out but
 * the flags. `own`: the command is the task's, not a compiler's. */
struct error *build_command(struct build *out, const struct builder *b,
			    bool own, const struct strvec *command,
			    const struct fileset *files) MUST_CHECK;

/* Turns a build that compiled into one that failed. */
void build_fail(struct build *b, const char *why);

#define BUILD_VERSION_SECONDS 60.0
struct process_limits build_limits(enum language language, double seconds);

/* cuda.c: a script for sh -c, with the command as its "$@"; it writes the
 * object to descriptor 9. */
extern const char build_cuda_script[];
/* command.c: the command that compiles a candidate, and the flags that affect
 * the code (free() disposes). Returns a sentence why there is none, or NULL. */
char *build_candidate_command(struct strvec *command, char **flags,
			      const struct builder *b,
			      const struct fileset *files) MUST_CHECK;
/* "-I" words for the task's folders. */
void build_add_includes(struct strvec *command, const struct task *t);
/* "-lNAME". */
bool flag_is_library(const char *flag);
/* runner.c: finds the runner and adds its version to the compiler's. */
struct error *build_runner_open(struct builder *b) MUST_CHECK;
/* The files of a candidate for it. */
struct error *build_runner_files(struct build *out, const struct builder *b,
				 const struct fileset *files) MUST_CHECK;
/* The same for the runner in Python and the user's Python. */
struct error *build_python_open(struct builder *b) MUST_CHECK;
/* A baseline in Python: its file for that program. */
struct error *build_python_file(struct build *out, const struct builder *b,
				const struct fileset *base,
				const struct trusted_code *code) MUST_CHECK;
/* Finds toolkit, architecture and version. */
struct error *build_cuda_open(struct builder *b,
			      const struct gpus *gpus) MUST_CHECK;
/* The words of nvcc, as make_command in command.c. */
void build_cuda_command(struct strvec *command, const struct builder *b,
			const struct strvec *flags,
			const struct strvec *sources,
			const struct strvec *libraries);
/* The same for a program from one source. */
void build_cuda_program(struct strvec *command, const struct builder *b,
			const char *source);
/* Words before the shell that set the environment: PATH and others. */
void build_cuda_environment(struct strvec *argv, const struct builder *b);
/* Sets cubins and resources from object and log; if these cannot be read, the
 * build failed. */
struct error *build_cuda_examine(struct build *out,
				 const struct builder *b) MUST_CHECK;
/* ptx.c: if first_error names a line of PTX, replaces it by the line of the
 * source, if that can be found. */
struct error *build_ptx_locate(struct build *b, const struct builder *builder,
			       const struct strvec *command,
			       const struct fileset *files) MUST_CHECK;
/* resources.c: reads the resources of the kernels compiled for `arch`. */
void build_resources(struct resources *out, const char *log, const char *arch);

/* The log without the paths of the sandbox. free() disposes. */
char *build_clean_log(const struct buf *output) MUST_CHECK;
/* The first line that is an error, else the first line with a message, else
 * the first line. free() disposes. */
char *build_first_error(const char *log) MUST_CHECK;

/* False if there is no entry, or it is damaged. free() disposes of *log. */
bool build_cache_load(int *object_fd, char **log, const char *dir,
		      const char *key);
struct error *build_cache_store(const char *dir, const char *key, int object_fd,
				const char *log) MUST_CHECK;

#endif
