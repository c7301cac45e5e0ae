/*
 * The shared libraries of this machine that the baselines of a task are linked
 * with (`library:`). They are read here, never loaded: the sandbox of such a
 * baseline shows these files, under their own paths, and nothing beside them.
 */
#ifndef SCORER_BUILD_LIBRARY_H
#define SCORER_BUILD_LIBRARY_H

#include "core/base/error.h"
#include "core/task/task.h"

struct libraries {
	struct strvec paths; /* libraries_show of all baselines */
	/* One for each baseline of the task: version, paths and the beginning
	 * of each content's SHA-256; "" for one without libraries. */
	struct strvec said;
};

/* ERROR_NOT_FOUND, with the key, where one is missing, is not a shared library
 * for this kind of processor, or would be looked for under another name. */
struct error *libraries_open(struct libraries *out,
			     const struct task *t) MUST_CHECK;
/* Adds the paths that a sandbox must show for this code besides the system's,
 * each once. */
void libraries_show(struct strvec *paths, const struct trusted_code *c);
void libraries_release(struct libraries *l);

DEFINE_RELEASE(libraries, struct libraries, libraries_release)
#define cleanup_libraries CLEANUP(libraries)

#endif
