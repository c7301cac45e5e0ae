/*
 * What a model answered, in words that no provider owns. How a reply ended is
 * a value, a refusal and a full context too; that no reply came is an error.
 */
#ifndef AGENT_PROVIDER_REPLY_H
#define AGENT_PROVIDER_REPLY_H

#include "core/base/base.h"

enum protocol {
	PROTOCOL_ANTHROPIC, /* Messages */
	PROTOCOL_OPENAI,    /* Chat Completions, and all that speak it */
};

enum reply_stop {
	REPLY_END,	    /* said all it had to say */
	REPLY_TOOLS,	    /* waits for the results of its calls */
	REPLY_LENGTH,	    /* cut at max_tokens; its calls were dropped */
	REPLY_REFUSED,	    /* by the model, the fallback's too */
	REPLY_FILTERED,	    /* by the provider */
	REPLY_CONTEXT_FULL, /* the conversation is too long for the model */
	REPLY_PAUSED,	    /* take the reply and ask again, saying nothing */
};
const char *reply_stop_name(enum reply_stop stop);
bool reply_stop_parse(enum reply_stop *out, const char *name);

/* Tokens as the server counted them; the three inputs add up to the prompt. */
struct usage {
	int64_t input; /* neither read from a cache nor written to it */
	int64_t cache_read;
	int64_t cache_write;	  /* all of it ... */
	int64_t cache_write_long; /* ... and what is kept an hour */
	int64_t output;		  /* reasoning included */
	bool known;		  /* false: the server did not say */
};
void usage_add(struct usage *sum, const struct usage *more);

struct tool_call {
	char *id, *name;
	char *arguments; /* text of a JSON object */
	char *invalid;	 /* why what the model sent is none (arguments is
			  * "{}" then); NULL: it is one */
	struct {
		char *text; /* NULL: not answered yet */
		char *file; /* where the whole of it is; may be NULL */
		bool is_error, cleared;
	} result; /* empty in a reply; see conversation.h */
};
void tool_call_release(struct tool_call *call);

struct reply {
	enum reply_stop stop;
	char *text; /* "" if none */
	struct tool_call *calls;
	size_t n_calls;
	size_t dropped_calls; /* cut by the length limit, never to be run */
	struct usage usage;   /* of this reply; failed tries: provider.h */
	char *model;	      /* that was asked; never NULL */
	char *served_by;      /* as the server names it, or "" */
	char *request_id;     /* "" if none */
	enum protocol protocol;
	/* What goes back unchanged: content blocks (an array) or the message
	 * (an object). NULL: nothing worth keeping. */
	char *raw;
	char *refusal;	     /* why; "" unless a model refused */
	char *refused_model; /* which model, where the fallback answered; or NULL */
	unsigned attempts; /* requests it took */
};
void reply_release(struct reply *r);
DEFINE_RELEASE(reply, struct reply, reply_release)
#define cleanup_reply CLEANUP(reply)

#endif
