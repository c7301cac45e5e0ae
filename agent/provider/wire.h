/*
 * The two protocols as text: conversation to request, and reply to draft to
 * reply. No network here (agent/provider/live.c). anthropic.c and openai.c
 * implement them.
 */
#ifndef AGENT_PROVIDER_WIRE_H
#define AGENT_PROVIDER_WIRE_H

#include "agent/provider/draft.h"
#include "agent/provider/provider.h"

/* The parts of a request outside the conversation. */
struct wire_request {
	const char *model;
	int64_t max_tokens;
	const double *temperature;
	const char *effort;
	bool streaming, long_cache;
	unsigned left_out; /* bit i: leave out the wire's parameters[i] */
};

struct wire {
	const char *vendor_url; /* used if no base is configured */
	/* Parameters that a server may not accept. A rejected one is left out
	 * of later requests to that model. NULL-terminated. */
	const char *const *parameters;
	/* base_url has no slash at its end */
	void (*url)(struct buf *out, const char *base_url);
	void (*headers)(struct strvec *out, const struct api_key *key);
	void (*request)(struct buf *out, const struct conversation *c,
			const struct wire_request *r);
	/* Takes one event of a stream. */
	struct error *(*event)(struct draft *d, const char *name,
			       struct json_text data);
	/* Takes a reply that is not a stream. */
	struct error *(*whole)(struct draft *d, struct json_text body);
	/* Reads an error's body into a failure; false if it is not an error. */
	bool (*failed)(struct draft_failure *out, struct json_text body,
		       int status);
	/* Fills stop, text, calls and raw from a draft that has ended. */
	struct error *(*finish)(struct reply *out, const struct draft *d);
};

extern const struct wire wire_anthropic, wire_openai;

#endif
