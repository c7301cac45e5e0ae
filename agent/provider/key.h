/*
 * The key of a provider: from the environment, or from a command that the
 * user's own git configuration names (avogit.keyCommand; the caller reads it
 * and never from the repository's configuration). Never from a file of the
 * repository. It is wiped when released, and redact() takes it out of text
 * before that is shown or kept.
 */
#ifndef AGENT_PROVIDER_KEY_H
#define AGENT_PROVIDER_KEY_H

#include "agent/provider/reply.h"
#include "core/base/buf.h"
#include "core/base/strvec.h"

struct api_key {
	char *secret; /* printable ASCII; NULL: none, the server needs none */
	bool bearer;  /* sent as "Authorization: Bearer" */
	char *from;   /* for people: "ANTHROPIC_API_KEY", "the key command" */
};

void key_release(struct api_key *k);
DEFINE_RELEASE(key, struct api_key, key_release)
#define cleanup_key CLEANUP(key)

/* Looks at key_env if given (ERROR_USAGE where it is unset), else at the
 * command if given, else at the protocol's usual variables. Finding none is
 * no error: k->secret is NULL. */
struct error *key_find(struct api_key *out, enum protocol protocol,
		       const char *key_env, const char *command) MUST_CHECK;
/* "Name: value" lines of ANTHROPIC_CUSTOM_HEADERS, or OPENAI_CUSTOM_HEADERS. */
struct error *key_headers(struct strvec *out,
			  enum protocol protocol) MUST_CHECK;
/* A copy in which the key, and whatever looks like one ("sk-...", the value of
 * an authorization header), is replaced by "[key]". `k` may be NULL. */
char *redact(const char *text, const struct api_key *k) MUST_CHECK;

#endif
