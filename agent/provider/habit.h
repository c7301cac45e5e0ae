/*
 * What a server takes of a request to one model, learnt from the requests that
 * it refused: parameters that are left out, a lower effort, shorter replies.
 * The vendors' words differ, and a refusal that is not understood ends a step.
 */
#ifndef AGENT_PROVIDER_HABIT_H
#define AGENT_PROVIDER_HABIT_H

#include "agent/provider/wire.h"

struct habit {
	unsigned left_out;   /* bits of wire->parameters */
	const char *effort;  /* instead of the configured one; NULL: that */
	int64_t most_tokens; /* of any reply; 0: no limit is known */
	/* What the context left for a reply when the conversation had so many
	 * bytes; 0: it was never too little. */
	int64_t room;
	size_t room_bytes;
};

/* The part of `max_tokens` that the server will take for a conversation of so
 * many bytes. */
int64_t habit_tokens(const struct habit *h, int64_t max_tokens, size_t bytes);

/* Learns from a refusal of max_tokens, the number that was sent with a
 * conversation of so many bytes. Returns what people are told, without the
 * server's words, or "" if they were told before; NULL: the failure is
 * another. Asked first, since a reply that is too long for the context reads
 * like a conversation that is. free() disposes. */
char *habit_learn_tokens(struct habit *h, const struct draft_failure *f,
			 int64_t max_tokens, size_t bytes) MUST_CHECK;
/* The same for any other parameter; `effort` is the one sent, or NULL. */
char *habit_learn_parameter(struct habit *h, const struct draft_failure *f,
			    const struct wire *wire,
			    const char *effort) MUST_CHECK;
/* Is the wire's parameter of that name left out? */
bool habit_leaves_out(const struct habit *h, const struct wire *wire,
		      const char *name);

#endif
