/*
 * A model's answer in terms that belong to no provider. The way a reply ended
 * is a value, also a refusal and a full context; an error means that no reply
 * came.
 */
#ifndef AGENT_PROVIDER_REPLY_H
#define AGENT_PROVIDER_REPLY_H

#include "core/base/base.h"

enum protocol {
	PROTOCOL_ANTHROPIC, /* Messages */
	PROTOCOL_OPENAI,    /* Chat Completions and compatible servers */
	PROTOCOL_RESPONSES, /* OpenAI's Responses */
};
/* "anthropic", "openai", "responses". */
const char *protocol_name(enum protocol protocol);
/* Does the vendor's key belong to it: OpenAI's, not Anthropic's? */
static inline bool protocol_is_openai(enum protocol protocol)
{
	return protocol != PROTOCOL_ANTHROPIC;
}

enum reply_stop {
	REPLY_END,	    /* complete */
	REPLY_TOOLS,	    /* waits for the results of its calls */
	REPLY_LENGTH,	    /* cut at max_tokens; its calls were dropped */
	REPLY_REFUSED,	    /* by the model and, if asked, the fallback */
	REPLY_FILTERED,	    /* by the provider */
	REPLY_CONTEXT_FULL, /* the conversation is too long for the model */
	REPLY_REJECTED,	    /* by the server, for a reason of its own */
	REPLY_PAUSED,	    /* add the reply and ask again without a new text */
};
const char *reply_stop_name(enum reply_stop stop);
bool reply_stop_parse(enum reply_stop *out, const char *name);

/* Tokens as the server counted them; the three inputs add up to the prompt. */
struct usage {
	int64_t input; /* neither read from a cache nor written to it */
	int64_t cache_read;
	int64_t cache_write;	  /* all cache writes */
	int64_t cache_write_long; /* the part of cache_write kept for an hour */
	int64_t output;		  /* reasoning included */
	int64_t reasoning;	  /* part of output, where the server says */
	bool known;		  /* false: the server did not say */
};
/* Adds counts; the sum is known only if both parts are. */
void usage_add(struct usage *sum, const struct usage *more);

struct tool_call {
	char *id, *name;
	char *arguments; /* a JSON object as text */
	/* Why the sent arguments are not a JSON object, so that `arguments` is
	 * "{}"; NULL: they are one. */
	char *invalid;
	struct {
		char *text; /* NULL: not answered yet */
		char *file; /* file with the full text; may be NULL */
		bool is_error, cleared;
	} result; /* empty in a reply; see conversation.h */
};
void tool_call_release(struct tool_call *call);

struct reply {
	enum reply_stop stop;
	char *text; /* "" if none */
	struct tool_call *calls;
	size_t n_calls;
	size_t dropped_calls; /* cut by the length limit; must not be run */
	struct usage usage;   /* of this reply; failed tries: provider.h */
	char *model;	      /* the model asked; never NULL */
	char *served_by;      /* the server's name of the model, or "" */
	char *request_id;     /* "" if none */
	enum protocol protocol;
	/* Sent back unchanged: content blocks or items (an array) or the
	 * message of Chat Completions (an object). NULL: nothing to send. */
	char *raw;
	/* Reason, or the server's words; "" unless a model refused, the context
	 * is full or the server rejected the request. */
	char *refusal;
	/* The model that refused, if the fallback answered; else NULL. */
	char *refused_model;
	unsigned attempts; /* requests made */
};
void reply_release(struct reply *r);
DEFINE_RELEASE(reply, struct reply, reply_release)
#define cleanup_reply CLEANUP(reply)

#endif
