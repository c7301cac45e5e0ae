/*
 * What is said where a run has no champion: whether an attempt was faster after all,
 * why it has no crown, and which command measures it again.
 */
#ifndef CMD_SESSION_NEAREST_H
#define CMD_SESSION_NEAREST_H

#include "cmd/session/session.h"

/* Adds one sentence without an end: "no attempt was measurably faster than the start",
 * or "#2 was 1.9x the speed of the start, but got no crown (why)". False: it is the
 * first. */
bool nearest_say(struct buf *out, const struct population *p);
/* The command that measures it again and may crown it, "avogit score --again ...";
 * NULL: there is no such attempt, or another measurement would not help. free()
 * disposes. */
char *nearest_command(const struct population *p) MUST_CHECK;
/* Adds the same of what may be faster than the champion, and which an unsteady
 * machine left open: "#7 4.517x, #11 4.380x the speed of the start". *command
 * measures them again; NULL: there is nothing to say. free() disposes. */
void nearest_say_maybe(struct buf *out, char **command,
		       const struct population *p);
/* Both, of a run that is read for it, for a message after "no champion yet: ". `taker`:
 * the command that was called without an attempt (pick, show, diff, export) and can
 * be called with one; NULL: none is named. */
void nearest_add(struct buf *out, struct session *s, const char *run,
		 const char *taker);

#endif
