/* What a run has come to, at its end: counts, the champion and its figures,
 * and the git commands that show them. */
#ifndef CMD_SESSION_SUMMARY_H
#define CMD_SESSION_SUMMARY_H

#include "cmd/session/session.h"
#include "core/run/population.h"

void summary_print(const struct session *s, const struct population *p);

#endif
