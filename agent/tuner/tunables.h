/*
 * Tunables, declared in a source where its author would look for them:
 *
 *     #define TILE_M 64  // avogit: 16 32 64 128
 *     // avogit-flags: -O3 -funroll-loops | -O2
 *     // avogit-require: TILE_M * TILE_N <= 4096
 *
 * The space is the product of the values that meets every constraint; a point
 * is one choice a tunable. Applying a point rewrites only the declaring lines.
 */
#ifndef AGENT_TUNER_TUNABLES_H
#define AGENT_TUNER_TUNABLES_H

#include "core/task/expr.h"
#include "core/base/fileset.h"
#include "core/task/task.h"

#define TUNABLES_MAX 64

struct tunable {
	char *name;  /* "TILE_M", or "flags" for a flags line */
	char *path;  /* of the file it is declared in */
	size_t line; /* 1-based */
	bool is_flags;
	char **value; /* in the order of the declaration */
	size_t n_values;
	size_t current; /* index of the value in force */
	bool ordered;	/* all integers, rising: neighbours are near */
};

struct tunables {
	struct tunable *tunable;
	size_t n, cap;
	struct expr **require;
	size_t n_require;
	struct strvec odd; /* FILE:LINE: what looks like a declaration and is
			    * none, so that nothing is made of it */
};

/* Reads the declarations of every file in `sources`. A malformed one is an
 * error with FILE:LINE. No tunable at all is n == 0. */
struct error *tunables_read(struct tunables *out, const struct fileset *sources,
			    const struct task *task) MUST_CHECK;
/* Points that meet the constraints are allowed. */
bool tunables_allowed(const struct tunables *t, const size_t *point);
/* Number of those that are allowed; SIZE_MAX where TUNABLES_MAX_COUNTED points
 * would not do to count them. */
#define TUNABLES_MAX_COUNTED 65536
size_t tunables_count(const struct tunables *t);
/* "flags (3), TX (5), TY (3): 40 points"; free() disposes. */
char *tunables_summary(const struct tunables *t) MUST_CHECK;
/* The constraints as they are written: "TX * TY <= 256 and TX > 2"; free()
 * disposes. */
char *tunables_requirements(const struct tunables *t) MUST_CHECK;
/* Rewrites the sources to the point. */
struct error *tunables_apply(struct fileset *sources, const struct tunables *t,
			     const size_t *point) MUST_CHECK;
void tunables_release(struct tunables *t);

DEFINE_RELEASE(tunables, struct tunables, tunables_release)
#define cleanup_tunables CLEANUP(tunables)

#endif
