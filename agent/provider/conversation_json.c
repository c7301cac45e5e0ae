/* A conversation's turns as JSON, and back. */
#include "agent/provider/conversation.h"

/* ---- writing ------------------------------------------------------------- */

static struct json *call_to_json(const struct tool_call *call)
{
	struct json *j = json_object();

	json_set_string(j, "id", call->id);
	json_set_string(j, "name", call->name);
	json_set_string(j, "arguments", call->arguments);
	json_set_string(j, "invalid", call->invalid);
	json_set_string(j, "result", call->result.text);
	json_set_string(j, "file", call->result.file);
	json_set_bool(j, "is_error", call->result.is_error);
	json_set_bool(j, "cleared", call->result.cleared);
	return j;
}

static struct json *turn_to_json(const struct conversation_turn *t)
{
	struct json *j = json_object(), *calls = json_array();

	json_set_bool(j, "assistant", t->side == TURN_ASSISTANT);
	json_set_string(j, "text", t->text);
	json_set_string(j, "raw", t->raw);
	json_set_string(j, "model", t->model);
	json_set_int(j, "protocol", (int64_t)t->protocol);
	for (size_t i = 0; i < t->n_calls; i++)
		json_push(calls, call_to_json(&t->calls[i]));
	json_set(j, "calls", calls);
	return j;
}

struct json *conversation_to_json(const struct conversation *c)
{
	struct json *turns = json_array();

	for (size_t i = 0; i < c->n_turns; i++)
		json_push(turns, turn_to_json(&c->turns[i]));
	return turns;
}

/* ---- reading ------------------------------------------------------------- */

static bool read_call(struct tool_call *call, const struct json *j)
{
	call->id = json_dup_string(j, "id");
	call->name = json_dup_string(j, "name");
	call->arguments = json_dup_string(j, "arguments");
	call->invalid = json_dup_string(j, "invalid");
	call->result.text = json_dup_string(j, "result");
	call->result.file = json_dup_string(j, "file");
	json_get_bool(j, "is_error", &call->result.is_error);
	json_get_bool(j, "cleared", &call->result.cleared);
	return call->id && call->name && call->arguments;
}

static bool read_turn(struct conversation_turn *t, const struct json *j)
{
	const struct json *calls = json_get(j, "calls");
	bool assistant = false, good = true;
	int64_t protocol = -1;

	json_get_bool(j, "assistant", &assistant);
	json_get_int(j, "protocol", &protocol);
	t->side = assistant ? TURN_ASSISTANT : TURN_USER;
	t->text = json_dup_string(j, "text");
	t->raw = json_dup_string(j, "raw");
	t->model = json_dup_string(j, "model");
	t->n_calls = json_len(calls);
	if (t->n_calls)
		t->calls = xcalloc(t->n_calls, sizeof *t->calls);
	for (size_t i = 0; i < t->n_calls; i++)
		good = read_call(&t->calls[i], json_at(calls, i)) && good;
	if (protocol < PROTOCOL_ANTHROPIC || protocol > PROTOCOL_RESPONSES)
		return false;
	t->protocol = (enum protocol)protocol;
	return good && t->text && (!assistant || t->model);
}

struct error *conversation_from_json(struct conversation *c,
				     const struct json *turns)
{
	for (size_t i = 0; i < json_len(turns); i++) {
		GROW(c->turns, c->n_turns, c->turns_cap);
		c->turns[c->n_turns] = (struct conversation_turn){0};
		if (!read_turn(&c->turns[c->n_turns++], json_at(turns, i)))
			return error_new(ERROR_MALFORMED,
					 "a saved conversation cannot be read");
	}
	return NULL;
}
