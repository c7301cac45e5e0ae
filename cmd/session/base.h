/*
 * What a run's winner will be a change to, where that is not where the run
 * begins: an ancestor with the same task. What lies between was written by a
 * person, who may have changed the sources there and nothing the task trusts.
 */
#ifndef CMD_SESSION_BASE_H
#define CMD_SESSION_BASE_H

#include "cmd/session/session.h"

/* The commit `rev` as the base of a run from s->at. ERROR_REFUSED where it
 * cannot be that: what differs, and the oldest commit that can. */
struct error *base_find(char id[COMMIT_ID_LEN + 1], const struct session *s,
			const char *rev) MUST_CHECK;

#endif
