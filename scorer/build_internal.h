/* Inside the build module: build.c compiles, build_command.c makes the
 * command lines, build_log.c reads what compilers say, build_cache.c keeps
 * objects. */
#ifndef SCORER_BUILD_INTERNAL_H
#define SCORER_BUILD_INTERNAL_H

#include "scorer/build.h"

struct builder {
	const struct task *task;
	const struct sandbox *sandbox;
	char *compiler;	 /* version line */
	char *features;	 /* of this CPU, see machine_features */
	char *cache_dir; /* NULL: no cache */
};

/* Runs the command, or takes its object from the cache. Fills all of out but
 * the flags, which it leaves. */
struct error *build_command(struct build *out, const struct builder *b,
			    const struct strvec *command,
			    const struct fileset *files) MUST_CHECK;

/* The log without the paths of the sandbox. free() disposes of both. */
char *build_clean_log(const struct buf *output) MUST_CHECK;
/* The first line that is an error, else the first at all. */
char *build_first_error(const char *log) MUST_CHECK;

/* False where there is none, or it is not what was stored. */
bool build_cache_load(int *object_fd, const char *dir, const char *key);
struct error *build_cache_store(const char *dir, const char *key,
				int object_fd) MUST_CHECK;

#endif
