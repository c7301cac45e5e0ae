/* Measurements as text, for the agent that decides what to try next. */
#ifndef AGENT_TOOLS_FIGURES_H
#define AGENT_TOOLS_FIGURES_H

#include "core/run/archive.h"

/* "1.234x" of the start, or "-". */
void attempt_speed(char *out, size_t size, const struct attempt *a);
/* Everything an agent decides by: verdict, cases, comparisons, why. What the
 * population keeps briefly is asked of the archive (may be NULL); what that
 * does not have is left out. */
void figures_add(struct buf *out, const struct population *p,
		 const struct attempt *a, struct archive *archive);

#endif
