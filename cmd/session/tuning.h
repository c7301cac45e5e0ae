/* What the tuner would vary, as the task's commit declares it. */
#ifndef CMD_SESSION_TUNING_H
#define CMD_SESSION_TUNING_H

#include "agent/tuner/tunables.h"
#include "cmd/session/session.h"

/* Of the sources at s->at.commit, with what tunables_read objects to. */
struct error *tuning_read(struct tunables *out,
			  const struct session *s) MUST_CHECK;
/* Says on `say` what is varied, and on stderr which lines only look like a
 * declaration and that the values in force are excluded. ERROR_REFUSED where
 * every choice of values is. */
struct error *tuning_announce(const struct session *s, FILE *say) MUST_CHECK;

#endif
