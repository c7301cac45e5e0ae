/*
 * The key of a provider, from the environment or from a command in the user's
 * own git configuration (avogit.keyCommand). The caller reads that setting and
 * must ignore the repository's configuration; no file of the repository gives a
 * key. A key is wiped when released, and redact() removes it from text before
 * the text is shown or stored.
 */
#ifndef AGENT_PROVIDER_KEY_H
#define AGENT_PROVIDER_KEY_H

#include "agent/provider/reply.h"
#include "core/base/buf.h"
#include "core/base/strvec.h"

struct api_key {
	char *secret; /* printable ASCII; NULL: none, the server needs none */
	bool bearer;  /* sent as "Authorization: Bearer" */
	/* Amazon's: `secret` is not sent, it signs the requests of this id for
	 * this region; with a token where the two are temporary. NULL: not. */
	char *aws_id, *aws_region, *aws_token;
	char *from; /* for people: "ANTHROPIC_API_KEY", "the key command" */
};

void key_release(struct api_key *k);
DEFINE_RELEASE(key, struct api_key, key_release)
#define cleanup_key CLEANUP(key)

/* Uses key_env if given (ERROR_USAGE if it is unset), else the command if
 * given, else the protocol's usual variables. If nothing is found, k->secret is
 * NULL, without an error. */
struct error *key_find(struct api_key *out, enum protocol protocol,
		       const char *key_env, const char *command) MUST_CHECK;
/* The same for a server at `base_url` (may be NULL), if it is Bedrock: Amazon's
 * usual variables; k->secret is NULL where they are not set. The region is the
 * address's, else AWS_REGION. */
struct error *key_find_aws(struct api_key *out,
			   const char *base_url) MUST_CHECK;
/* The "Name: value" lines of ANTHROPIC_CUSTOM_HEADERS or
 * OPENAI_CUSTOM_HEADERS. */
struct error *key_headers(struct strvec *out,
			  enum protocol protocol) MUST_CHECK;
/* Returns a copy in which the key, and anything that looks like one ("sk-...",
 * the value of an authorization header), is replaced by "[key]". `k` may be
 * NULL. free() disposes. */
char *redact(const char *text, const struct api_key *k) MUST_CHECK;

#endif
