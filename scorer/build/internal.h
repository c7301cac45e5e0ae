/* Inside the build module: build.c compiles, command.c and cuda.c
 * make the command lines, log.c and resources.c read what
 * compilers say, cache.c keeps objects. */
#ifndef SCORER_BUILD_INTERNAL_H
#define SCORER_BUILD_INTERNAL_H

#include "scorer/build/build.h"
#include "scorer/device/toolkit.h"

/* The copy of the files that a task's own command works in, in $TMPDIR. */
#define BUILD_COPY "source"

struct builder {
	const struct task *task;
	const struct sandbox *sandbox;
	char *compiler;		/* version line */
	char *features;		/* of this CPU, see machine_features */
	char *cache_dir;	/* NULL: no cache */
	struct toolkit toolkit; /* CUDA; all NULL for C, as the next */
	char *arch;
};

/* Runs the command, or takes its object from the cache. Fills all of out but
 * the flags, which it leaves. `own`: it is the task's, not a compiler's. */
struct error *build_command(struct build *out, const struct builder *b,
			    bool own, const struct strvec *command,
			    const struct fileset *files) MUST_CHECK;

/* What compiled is of no use. */
void build_fail(struct build *b, const char *why);

#define BUILD_VERSION_SECONDS 60.0
struct process_limits build_limits(enum language language, double seconds);

/* cuda.c: for sh -c, with the command as its "$@"; the object goes to
 * descriptor 9. */
extern const char build_cuda_script[];
/* command.c: what compiles a candidate, and the flags that chose the
 * code (free() disposes). Why there is none as a sentence, or NULL. */
char *build_candidate_command(struct strvec *command, char **flags,
			      const struct builder *b,
			      const struct fileset *files) MUST_CHECK;
/* "-lNAME". */
bool flag_is_library(const char *flag);
/* Toolkit, architecture, version. */
struct error *build_cuda_open(struct builder *b,
			      const struct gpus *gpus) MUST_CHECK;
/* The words of nvcc, as make_command in command.c. */
void build_cuda_command(struct strvec *command, const struct builder *b,
			const struct strvec *flags,
			const struct strvec *sources,
			const struct strvec *libraries);
/* The task's own command. */
void build_cuda_own_command(struct strvec *command, const struct builder *b);
/* Words before the shell that set the environment: PATH and others. */
void build_cuda_environment(struct strvec *argv, const struct builder *b);
/* Fills cubins and resources from object and log; what cannot be read is a
 * build that failed. */
struct error *build_cuda_examine(struct build *out,
				 const struct builder *b) MUST_CHECK;
/* ptx.c: where first_error is of a line of PTX, puts that of the source
 * in its place, if it can be found. */
struct error *build_ptx_locate(struct build *b, const struct builder *builder,
			       const struct strvec *command,
			       const struct fileset *files) MUST_CHECK;
/* resources.c: of the kernels compiled for `arch`. */
void build_resources(struct resources *out, const char *log, const char *arch);

/* The log without the paths of the sandbox. free() disposes of both. */
char *build_clean_log(const struct buf *output) MUST_CHECK;
/* The first line that is an error, else the first that says something, else
 * the first. */
char *build_first_error(const char *log) MUST_CHECK;

/* False where there is none, or it is not what was stored. *log is free()'s. */
bool build_cache_load(int *object_fd, char **log, const char *dir,
		      const char *key);
struct error *build_cache_store(const char *dir, const char *key, int object_fd,
				const char *log) MUST_CHECK;

#endif
