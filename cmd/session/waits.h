/*
 * What a command that scores waits for, at the foot of the terminal (live.h): a
 * title, and a bar for each scorer's stage. Nothing elsewhere.
 */
#ifndef CMD_SESSION_WAITS_H
#define CMD_SESSION_WAITS_H

#include "cmd/session/session.h"

struct waits {
	const struct session *session;
	char *title;
	bool shown;
};

/* After session_scorer. Takes the title, borrows the session. */
void waits_begin(struct waits *w, const struct session *s, char *title);
/* Another title, from now on. Takes it. */
void waits_say(struct waits *w, char *title);
void waits_release(struct waits *w);

DEFINE_RELEASE(waits, struct waits, waits_release)
#define cleanup_waits CLEANUP(waits)

#endif
