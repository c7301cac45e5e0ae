/*
 * One request of a live provider and what came of it: a reply, or a failure,
 * whether the network, the status or the bytes are to blame.
 */
#ifndef AGENT_PROVIDER_EXCHANGE_H
#define AGENT_PROVIDER_EXCHANGE_H

#include "agent/provider/http.h"
#include "agent/provider/sse.h"
#include "agent/provider/wire.h"

struct exchange {
	const struct wire *wire;
	struct draft draft;
	struct sse sse;
	struct buf whole; /* a body that is no stream */
	bool is_stream, decided, saw_done;
	struct http_reply http;
};

void exchange_init(struct exchange *e, const struct wire *wire);
void exchange_release(struct exchange *e);
DEFINE_RELEASE(exchange, struct exchange, exchange_release)
#define cleanup_exchange CLEANUP(exchange)

/* Makes the request (body_limit, on_body and arg are set here). *out is filled
 * where e->draft.failure has no message afterwards; a message with status 0:
 * no reply came. ERROR_INTERRUPTED, ERROR_USAGE as http_post has them. */
struct error *exchange_run(struct reply *out, struct exchange *e,
			   struct http *http,
			   const struct http_request *request) MUST_CHECK;

/* The bit of the parameter that the failure blames; 0 if none. */
unsigned failure_parameter(const struct draft_failure *f,
			   const struct wire *wire);
/* The conversation is longer than the model takes. */
bool failure_is_full_context(const struct draft_failure *f);

#endif
