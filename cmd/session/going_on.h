/*
 * Where a run goes on that began with nothing to vary: at what a person scored in
 * it by hand (`avogit score --run NAME`) and that declares tunables.
 */
#ifndef CMD_SESSION_GOING_ON_H
#define CMD_SESSION_GOING_ON_H

#include "cmd/session/session.h"
#include "gitstore/gitstore.h"

/* *at: the tip of a lineage of the run whose sources declare something, the
 * champion before others; where none does, what `--base` took to start from if that is
 * not measured yet; else the newest attempt that passes and
 * whose do, at which then a lineage has to begin (*begins). "": there is neither,
 * or the start declares something. */
void going_on_find(struct commit_id *at, bool *begins, const struct session *s,
		   const struct population *p);
/* The session's task, read again at that commit of the same run. */
struct error *going_on_take(struct session *s,
			    const struct commit_id *at) MUST_CHECK;

#endif
