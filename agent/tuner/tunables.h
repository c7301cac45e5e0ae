/*
 * Tunables, declared in the source that uses them:
 *
 *     #define TILE_M 64  // avogit: 16 32 64 128
 *     // avogit-flags: -O3 -funroll-loops | -O2
 *     // avogit-require: TILE_M * TILE_N <= 4096
 *
 * The values are listed, or a range, powers, a choice or orders (values.h). Of
 *
 *     // avogit-flag-set: -funroll-loops | -fno-math-errno
 *
 * each flag is a tunable, "on" before the bar and "off" after it.
 *
 * In other languages, with `//`, `#`, `--` or `;` before a comment,
 *
 *     BLOCK = 64  # avogit: 32 64 128
 *     const uint TILE = 8; // avogit: 4 8 16
 *
 * The space is the product of all values, limited to the points that meet every
 * constraint; a point chooses one value per tunable. Applying a point rewrites
 * only the declaring lines.
 */
#ifndef AGENT_TUNER_TUNABLES_H
#define AGENT_TUNER_TUNABLES_H

#include "core/task/expr.h"
#include "core/base/fileset.h"
#include "core/task/task.h"

#define TUNABLES_MAX	    64
#define TUNABLES_MAX_VALUES 256

struct tunable {
	char *name;  /* "TILE_M", or "flags" for a flags line */
	char *path;  /* of the declaring file */
	size_t line; /* 1-based */
	bool is_flags;
	bool is_member; /* a flag of a set, which is its name */
	char **value;	/* in declared order; of flags sorted */
	size_t n_values;
	size_t current; /* index of the value in force */
	bool ordered;	/* all integers, ascending: neighbours are near */
	uint8_t *steps; /* n_values squared: of two orders; NULL: no orders */
	/* The values as integers, for conditions. */
	int64_t *number;
	bool *is_integer;
};

struct tunables {
	struct tunable *tunable;
	size_t n, cap;
	struct expr **require;
	size_t *require_end; /* one more than the last tunable of each */
	size_t n_require;
	struct strvec odd; /* FILE:LINE of what only looks like a declaration */
};

/* Reads the declarations of every file in `sources`; the tunables may be none.
 * ERROR_TASK with FILE:LINE for a malformed one. */
struct error *tunables_read(struct tunables *out, const struct fileset *sources,
			    const struct task *task) MUST_CHECK;
/* Does the point meet all constraints? */
bool tunables_allowed(const struct tunables *t, const size_t *point);
/* Do the first n values meet the constraints that concern no others? */
bool tunables_may_begin(const struct tunables *t, const size_t *point,
			size_t n);
/* Number of allowed points; SIZE_MAX if more than TUNABLES_MAX_COUNTED would
 * have to be visited to count them. */
#define TUNABLES_MAX_COUNTED 65536
size_t tunables_count(const struct tunables *t);
/* "flags (3), TX (5), TY (3): 40 points"; free() disposes. */
char *tunables_summary(const struct tunables *t) MUST_CHECK;
/* The constraints as text: "TX * TY <= 256 and TX > 2"; free() disposes. */
char *tunables_requirements(const struct tunables *t) MUST_CHECK;
/* Is it a #define of whose name nothing else in the sources has a word? A header
 * that is none of them may have it. */
bool tunable_is_unused(const struct tunable *t, const struct fileset *sources);
/* Rewrites the sources so that the point's values are in force. */
struct error *tunables_apply(struct fileset *sources, const struct tunables *t,
			     const size_t *point) MUST_CHECK;
/* The point that other sources have of this space, from `#define` lines with a
 * declaration or without; *has false: they lack a tunable, or have a value that
 * the space has not. `rest`: the id of all else in them without declarations,
 * so that two sources with the same rest differ in their points only. */
struct error *tunables_locate(bool *has, size_t *point,
			      char rest[FILESET_ID_LEN + 1],
			      const struct tunables *space,
			      const struct fileset *sources) MUST_CHECK;
void tunables_release(struct tunables *t);

DEFINE_RELEASE(tunables, struct tunables, tunables_release)
#define cleanup_tunables CLEANUP(tunables)

#endif
