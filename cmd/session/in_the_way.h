/* What of the user's keeps `git cherry-pick` from working, looked for before anything
 * is measured for it. */
#ifndef CMD_SESSION_IN_THE_WAY_H
#define CMD_SESSION_IN_THE_WAY_H

#include "cmd/session/session.h"
#include "gitstore/run/pick.h"

/* ERROR_REFUSED that names the file and what to do, where work tree or index hold
 * something that the pick would overwrite, or that git takes no pick beside
 * (`no_commit`: it takes one beside what is staged). What holds already what the pick
 * would write is in no one's way. */
struct error *in_the_way_refuse(struct session *s, const struct pick *p,
				bool no_commit) MUST_CHECK;

#endif
