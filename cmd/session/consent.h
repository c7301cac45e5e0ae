/* What the user has agreed to: see cmd/session/trust.h. */
#ifndef CMD_SESSION_CONSENT_H
#define CMD_SESSION_CONSENT_H

#include "cmd/session/session.h"
#include "cmd/session/trust.h"
#include "gitstore/git/program.h"

/* Refuses, naming the items, where the task of s->at has items of the group
 * that are not trusted in this repository. `file` is --task's value or NULL,
 * for the command to run. Where a task has none, nothing is read. */
struct error *session_require_trust(const struct session *s,
				    enum trust_group group,
				    const char *file) MUST_CHECK;
/* The same for what git would run of the repository's own settings and hooks,
 * or where they lead it, before it is started so. */
struct error *session_require_git(const struct session *s,
				  enum git_use use) MUST_CHECK;
/* The items of that; none for GIT_INSIDE, where git runs nothing. */
struct error *session_git_items(struct trust *out, const struct session *s,
				enum git_use use) MUST_CHECK;
/* The repository as decisions name it; free() disposes of *out. */
struct error *session_trust_place(char **out,
				  const struct session *s) MUST_CHECK;

#endif
