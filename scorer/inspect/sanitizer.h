/*
 * NVIDIA's compute-sanitizer: how it is called, and what it found in one
 * launch. Like a profiler it runs outside the sandbox, with a small
 * environment and a deadline; what it runs is the runner with a plan, never a
 * candidate's host code.
 */
#ifndef SCORER_INSPECT_SANITIZER_H
#define SCORER_INSPECT_SANITIZER_H

#include "core/task/task.h"
#include "scorer/inspect/sanitizer_log.h"

/* Finds it: AVOGIT_COMPUTE_SANITIZER, PATH, the usual places. free() disposes.
 * ERROR_NOT_FOUND. */
struct error *sanitizer_find(char **out) MUST_CHECK;

struct sanitizing {
	struct findings found;
	char *log; /* the tool's own words, bounded; never NULL */
};
#define cleanup_sanitizing CLEANUP(sanitizing)
void sanitizing_release(struct sanitizing *s);
DEFINE_RELEASE(sanitizing, struct sanitizing, sanitizing_release)

/* Runs `program` (NULL-terminated words) under one tool. `folder` is private
 * and can be written. found.trouble is set where it did not come to an end
 * within `seconds`, or ended in a way that says nothing about the program. An
 * option that this version does not know is left out, and it is asked
 * again. */
struct error *sanitizer_run(struct sanitizing *out, const char *sanitizer,
			    enum sanitizer_tool tool,
			    const char *const *program, const char *folder,
			    double seconds) MUST_CHECK;

#endif
