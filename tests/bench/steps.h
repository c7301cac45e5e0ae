/*
 * The stage that the benches of the scorer share: the task of a folder,
 * kernels that do a given amount of the same work, and for C a fixed load on
 * the first CPU (kernels are timed on the last).
 */
#ifndef BENCH_STEPS_H
#define BENCH_STEPS_H

#include "core/base/file.h"
#include "scorer/scorer.h"

struct stage {
	struct task *task;
	struct fileset files; /* the trusted ones */
	struct fileset kernel;
	struct sandbox *sandbox;
	struct evaluator *scorer;
	pid_t load;
};

/* `folder` has the task. */
struct error *stage_open(struct stage *s, const char *folder) MUST_CHECK;
void stage_close(struct stage *s);
/* Ends the load, for what brings its own. */
void stage_end_load(struct stage *s);
/* A kernel with `#define WHAT VALUE` before its first line; `name` is its id.
 * candidate_release. */
struct error *stage_candidate(struct candidate *out, const struct stage *s,
			      const char *name, const char *what,
			      unsigned value) MUST_CHECK;

#endif
