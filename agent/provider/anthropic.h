/* The two halves of one wire: anthropic_request.c and anthropic.c. */
#ifndef AGENT_PROVIDER_ANTHROPIC_H
#define AGENT_PROVIDER_ANTHROPIC_H

#include "agent/provider/wire.h"

extern const char *const anthropic_parameters[];
void anthropic_url(struct buf *out, const char *base);
void anthropic_headers(struct strvec *out, const struct api_key *key);
void anthropic_request(struct buf *out, const struct conversation *c,
		       const struct wire_request *r);

#endif
