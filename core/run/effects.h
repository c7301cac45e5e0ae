/*
 * What single settings did where attempts changed several at once, as a tuner's
 * do: "MR 4 -> 8, flags -O2 -> -O3". Each is fitted with the others accounted
 * for: an attempt's gain is the sum of what its changes give.
 */
#ifndef CORE_RUN_EFFECTS_H
#define CORE_RUN_EFFECTS_H

#include "core/base/buf.h"

struct effects {
	struct effect_of *setting;
	size_t n, cap;
	struct effect_level *level; /* values of all settings */
	size_t n_levels, cap_levels;
	struct effect_change *change; /* by attempt */
	size_t n_changes, cap_changes;
	double *residual; /* of each attempt: what no effect explains */
	size_t n_attempts, cap_attempts;
};

/* Adds an attempt that changed what its subject says, by this gain (log; NAN: it
 * has none), unless the subject is something else: then false. */
bool effects_add(struct effects *e, const char *subject, double gain,
		 bool lately);
void effects_fit(struct effects *e);
/* A line a setting: "- MR, 4 attempts, beside 4: best 8 +2.0 % (2), worst ...". */
void effects_write(struct buf *out, const struct effects *e);
/* Adds "NAME (2), ..." of the settings that were changed lately, or (`lately`
 * false) the names of those that were not; *any as the list goes on. */
void effects_list(struct buf *out, const struct effects *e, bool lately,
		  const char *head, bool *any);
void effects_release(struct effects *e);

DEFINE_RELEASE(effects, struct effects, effects_release)

#endif
