/*
 * A conversation with a model of any provider: the system text, the tools, and
 * turns of two sides. A call and its result are stored together, so that every
 * call has a result on the wire: a call without an answer is sent with an error
 * that says so.
 *
 * Beside the text and calls of an assistant's turn, the provider's own bytes
 * are kept. The bytes are sent back to the model that wrote them, the text and
 * calls to any other model.
 */
#ifndef AGENT_PROVIDER_CONVERSATION_H
#define AGENT_PROVIDER_CONVERSATION_H

#include "agent/provider/reply.h"
#include "core/base/error.h"
#include "core/base/json.h"

struct tool_spec {
	char *name, *description;
	char *schema; /* a JSON object as text */
};

enum turn_side { TURN_USER, TURN_ASSISTANT };

struct conversation_turn {
	enum turn_side side;
	char *text;
	/* Only for the assistant: */
	char *raw; /* may be NULL */
	char *model;
	enum protocol protocol;
	struct tool_call *calls;
	size_t n_calls;
};

struct conversation {
	char *system;
	struct tool_spec *tools;
	size_t n_tools, tools_cap;
	struct conversation_turn *turns;
	size_t n_turns, turns_cap;
};

void conversation_init(struct conversation *c, const char *system);
void conversation_release(struct conversation *c);
DEFINE_RELEASE(conversation, struct conversation, conversation_release)
#define cleanup_conversation CLEANUP(conversation)

/* The wire keeps the order of the tools. ERROR_INTERNAL for a name that the
 * protocols do not accept ([A-Za-z0-9_-]{1,64}) or a schema that is not a JSON
 * object. All strings are copied. */
struct error *conversation_add_tool(struct conversation *c, const char *name,
				    const char *description,
				    const char *schema) MUST_CHECK;
/* Adds a text of the user; invalid UTF-8 becomes U+FFFD. */
void conversation_say(struct conversation *c, const char *text);
/* Moves text, calls and raw from the reply into a new turn. Returns false and
 * adds no turn if the reply was refused, filtered or rejected, or if the
 * context is full. */
bool conversation_take(struct conversation *c, struct reply *r);
/* Sets the result of call i of the last turn, which must be the assistant's;
 * invalid UTF-8 becomes U+FFFD. `file` (may be NULL) names the file with the
 * full text, for use when the text is cleared. A second answer replaces the
 * first. */
void conversation_answer(struct conversation *c, size_t i, const char *text,
			 size_t len, bool is_error, const char *file);
/* The turns as JSON, with what was answered; not the system text and the
 * tools. */
struct json *conversation_to_json(const struct conversation *c) MUST_CHECK;
/* Adds these turns. ERROR_MALFORMED for other JSON; some may be added then. */
struct error *conversation_from_json(struct conversation *c,
				     const struct json *turns) MUST_CHECK;
/* The text sent as a call's result. Borrowed. */
const char *tool_result_text(const struct tool_call *call);
bool tool_result_is_error(const struct tool_call *call);

/* Replaces old results, and the long arguments of their calls, by a line with
 * their size, where that is shorter; the oldest first, all but the newest
 * `keep`, until `enough` bytes are saved. Returns the bytes saved. Each clearing
 * invalidates the provider's prompt cache, so clear much and seldom. */
size_t conversation_clear(struct conversation *c, size_t keep, size_t enough);
/* Approximate bytes of text in the next request. */
size_t conversation_size(const struct conversation *c);

#endif
