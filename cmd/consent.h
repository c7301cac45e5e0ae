/* What the user has agreed to: see core/trust.h. */
#ifndef CMD_CONSENT_H
#define CMD_CONSENT_H

#include "cmd/session.h"
#include "core/trust_store.h"

/* Refuses, naming the items, where the task of s->at has items of the group
 * that are not trusted in this repository. `file` is --task's value or NULL,
 * for the command to run. Where a task has none, nothing is read. */
struct error *session_require_trust(const struct session *s,
				    enum trust_group group,
				    const char *file) MUST_CHECK;
/* The repository as decisions name it; free() disposes of *out. */
struct error *session_trust_place(char **out,
				  const struct session *s) MUST_CHECK;

#endif
