/*
 * The protocols as text: conversation to request, and reply to draft to reply.
 * No network here (agent/provider/live.c). anthropic.c, openai.c and
 * responses.c implement them.
 */
#ifndef AGENT_PROVIDER_WIRE_H
#define AGENT_PROVIDER_WIRE_H

#include "agent/provider/draft.h"
#include "agent/provider/provider.h"

/* The parts of a request outside the conversation. */
struct wire_request {
	const char *base_url; /* NULL: the vendor's */
	const char *model;
	int64_t max_tokens;
	const double *temperature;
	const char *effort;
	bool streaming, long_cache;
	unsigned left_out; /* bit i: leave out the wire's parameters[i] */
};

/* A parameter that a server may not accept. A rejected one is left out of later
 * requests to that model (agent/provider/habit.h). */
struct wire_parameter {
	const char *name;    /* in the request; NULL: the end of the list */
	const char *also[4]; /* other words of servers for it */
	const char *instead; /* for people: ", by ... instead"; or NULL */
	bool is_effort;
};

struct wire {
	const char *vendor_url; /* used if no base is configured */
	/* Of two of the same name the first is rejected first. */
	const struct wire_parameter *parameters;
	/* r->base_url is set */
	void (*url)(struct buf *out, const struct wire_request *r);
	/* Can the server stream? NULL: yes. */
	bool (*streams)(const char *base_url);
	void (*headers)(struct strvec *out, const struct api_key *key,
			const char *base_url);
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

extern const struct wire wire_anthropic, wire_openai, wire_responses;

/* Is the address where Amazon serves Anthropic's models? */
bool anthropic_is_bedrock(const char *base_url);

const struct wire *wire_of(enum protocol protocol);

/* Appends the base, the path and the base's query: some servers name the
 * version of their interface there ("...?api-version=..."). A slash before the
 * query is left out. */
void wire_add_url(struct buf *out, const char *base_url, const char *path);

/* ---- what openai.c and responses.c share --------------------------------- */

/* Appends the members of a function: its name, description and parameters. */
void openai_add_function(struct buf *out, const struct tool_spec *t);
void openai_headers(struct strvec *out, const struct api_key *key,
		    const char *base_url);
/* As wire.failed: {"error":...} in its spellings. */
bool openai_failed(struct draft_failure *out, struct json_text body,
		   int status);
/* Reads the error itself, an object with a message or a code; false if it has
 * neither. */
bool openai_error(struct draft_failure *out, struct json_text error,
		  int status);

#endif
