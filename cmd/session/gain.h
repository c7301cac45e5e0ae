/*
 * What a picked candidate gains: its rate, and its speed relative to the start of
 * its run and to each baseline, as they were measured.
 */
#ifndef CMD_SESSION_GAIN_H
#define CMD_SESSION_GAIN_H

#include "cmd/session/session.h"
#include "gitstore/run/pick.h"

/* Prints it; nothing where the candidate's scores are not known here. `kind`: as
 * this kind of machine measured it, by its id; NULL: the newest. */
void gain_say(const struct pick *p, struct session *s, const char *kind);

#endif
