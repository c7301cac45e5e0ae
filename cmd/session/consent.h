/* Checks what the user has agreed to; see cmd/session/trust.h. */
#ifndef CMD_SESSION_CONSENT_H
#define CMD_SESSION_CONSENT_H

#include "cmd/session/session.h"
#include "cmd/session/trust.h"
#include "gitstore/git/program.h"

/* ERROR_REFUSED with the items' names if the task of s->at has items of the
 * group that are not trusted in this repository. `file` (--task's value or
 * NULL) is for the command in the message. Without items nothing is read. */
struct error *session_require_trust(const struct session *s,
				    enum trust_group group,
				    const char *file) MUST_CHECK;
/* The same for programs and addresses that git would use because of the
 * repository's settings and hooks. Call it before git is started so. */
struct error *session_require_git(const struct session *s,
				  enum git_use use) MUST_CHECK;
/* The items of that use; none for GIT_INSIDE, where git runs no program. */
struct error *session_git_items(struct trust *out, const struct session *s,
				enum git_use use) MUST_CHECK;
/* The repository's name in decisions; free() disposes of *out. */
struct error *session_trust_place(char **out,
				  const struct session *s) MUST_CHECK;

#endif
