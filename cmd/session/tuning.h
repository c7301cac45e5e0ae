/* The tunables that the tuner would vary, read from the task's commit. */
#ifndef CMD_SESSION_TUNING_H
#define CMD_SESSION_TUNING_H

#include "agent/tuner/tunables.h"
#include "cmd/session/session.h"

/* The task's sources in a commit. */
struct error *tuning_sources(struct fileset *out, const struct session *s,
			     const char *commit) MUST_CHECK;
/* Reads the sources at s->at.commit; errors as tunables_read. */
struct error *tuning_read(struct tunables *out,
			  const struct session *s) MUST_CHECK;
/* The same of another commit. */
struct error *tuning_read_at(struct tunables *out, const struct session *s,
			     const char *commit) MUST_CHECK;
/* Prints on `say` what is varied, and on stderr lines that only look like
 * declarations and whether the current values are excluded. ERROR_REFUSED if
 * the constraints exclude every point. */
struct error *tuning_announce(const struct session *s, FILE *say) MUST_CHECK;

/* Reads a file of what others measured of these tunables (agent/tuner/known.h)
 * and says on `say` how much of it is of this space; ERROR_REFUSED if nothing
 * is. */
struct error *tuning_read_known(struct buf *out, const struct session *s,
				const char *path, FILE *say) MUST_CHECK;

#endif
