/*
 * A conversation with a model, of any provider: the system text, the tools, and
 * turns of two sides. A call and its result live in one place, so every call
 * has a result on the wire by construction: one that was never answered is sent
 * as an error that says so.
 *
 * What a model said is kept in the provider's own bytes beside its text and
 * calls; the bytes go back to the model that wrote them, the text and calls to
 * any other.
 */
#ifndef AGENT_PROVIDER_CONVERSATION_H
#define AGENT_PROVIDER_CONVERSATION_H

#include "agent/provider/reply.h"
#include "core/base/error.h"

struct tool_spec {
	char *name, *description;
	char *schema; /* text of a JSON object */
};

enum turn_side { TURN_USER, TURN_ASSISTANT };

struct conversation_turn {
	enum turn_side side;
	char *text;
	/* The assistant's: */
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

/* Tools keep this order on the wire. ERROR_INTERNAL for a name the protocols do
 * not take ([A-Za-z0-9_-]{1,64}) or a schema that is not a JSON object. */
struct error *conversation_add_tool(struct conversation *c, const char *name,
				    const char *description,
				    const char *schema) MUST_CHECK;
/* Text of the user's side; bytes that are not text become U+FFFD. */
void conversation_say(struct conversation *c, const char *text);
/* Moves text, calls and raw out of the reply into a turn. A refused or filtered
 * reply, and that of a full context, leaves no turn: false. */
bool conversation_take(struct conversation *c, struct reply *r);
/* The result of call i of the last turn, which must be the assistant's: bytes
 * that are not text become U+FFFD. `file` (may be NULL) names where all of it
 * is, for when the text is cleared. A second answer replaces the first. */
void conversation_answer(struct conversation *c, size_t i, const char *text,
			 size_t len, bool is_error, const char *file);
/* What goes to the wire as a call's result. Borrowed. */
const char *tool_result_text(const struct tool_call *call);
bool tool_result_is_error(const struct tool_call *call);

/* Replaces all results but the newest `keep` by a line that says how much
 * there was, where that is shorter; returns the bytes saved. Each call of this
 * costs the provider's prompt cache: clear much, seldom. */
size_t conversation_clear_results(struct conversation *c, size_t keep);
/* Bytes of text that the next request carries, about. */
size_t conversation_size(const struct conversation *c);

#endif
