/* The two halves of one wire: openai_request.c and openai.c. */
#ifndef AGENT_PROVIDER_OPENAI_H
#define AGENT_PROVIDER_OPENAI_H

#include "agent/provider/wire.h"

extern const char *const openai_parameters[];
void openai_url(struct buf *out, const char *base);
void openai_headers(struct strvec *out, const struct api_key *key);
void openai_request(struct buf *out, const struct conversation *c,
		    const struct wire_request *r);
/* Appends the member "tool_calls" of a turn that has any. */
void openai_add_calls(struct buf *out, const struct conversation_turn *t);

#endif
