/* Requests to OpenAI's Chat Completions. */
#include "agent/provider/openai.h"

const char *const openai_parameters[] = {
#define LEAVE_OUT_TEMPERATURE 1u
	"temperature",
#define LEAVE_OUT_EFFORT 2u
	"reasoning_effort",
#define LEAVE_OUT_USAGE 4u
	"stream_options",
/* Then max_completion_tokens takes its place. */
#define LEAVE_OUT_MAX_TOKENS 8u
	"max_tokens",
#define LEAVE_OUT_MAX_COMPLETION 16u
	"max_completion_tokens",
#define LEAVE_OUT_REASONING 32u
	"reasoning_content",
#define LEAVE_OUT_REASONING_2 64u
	"reasoning",
#define LEAVE_OUT_DETAILS 128u
	"reasoning_details",
	NULL};

void openai_url(struct buf *out, const char *base)
{
	buf_addf(out, "%s/chat/completions", base);
}

void openai_headers(struct strvec *out, const struct api_key *key)
{
	strvec_push(out, "Content-Type: application/json");
	if (key->secret)
		strvec_pushf(out, "Authorization: Bearer %s", key->secret);
}

static void add_tools(struct buf *out, const struct conversation *c)
{
	if (!c->n_tools)
		return;
	buf_adds(out, ",\"tools\":[");
	for (size_t i = 0; i < c->n_tools; i++) {
		const struct tool_spec *t = &c->tools[i];

		buf_addf(out,
			 "%s{\"type\":\"function\",\"function\":"
			 "{\"name\":\"%s\"",
			 i ? "," : "", t->name);
		json_text_member(out, "description", t->description);
		buf_adds(out, ",\"parameters\":");
		buf_adds(out, t->schema);
		buf_adds(out, "}}");
	}
	buf_addc(out, ']');
}

void openai_add_calls(struct buf *out, const struct conversation_turn *t)
{
	if (!t->n_calls)
		return;
	buf_adds(out, ",\"tool_calls\":[");
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct tool_call *call = &t->calls[i];

		buf_addf(out, "%s{\"type\":\"function\"", i ? "," : "");
		json_text_member(out, "id", call->id);
		buf_adds(out, ",\"function\":{\"name\":");
		json_text_quote(out, call->name, strlen(call->name));
		json_text_member(out, "arguments", call->arguments);
		buf_adds(out, "}}");
	}
	buf_addc(out, ']');
}

static bool is_left_out(struct json_text key, const struct wire_request *r)
{
	for (unsigned i = 0; openai_parameters[i]; i++)
		if (r->left_out & 1u << i &&
		    json_text_equals(key, openai_parameters[i]))
			return true;
	return false;
}

/* The model's own message without what the server does not know. */
static void add_own(struct buf *out, const struct conversation_turn *t,
		    const struct wire_request *r)
{
	struct json_text raw = {t->raw, strlen(t->raw)}, key, value;
	size_t at = 0, n = 0;

	buf_addc(out, '{');
	while (json_text_next(raw, &at, &key, &value)) {
		if (is_left_out(key, r))
			continue;
		buf_adds(out, n++ ? "," : "");
		buf_add(out, key.p, key.len);
		buf_addc(out, ':');
		buf_add(out, value.p, value.len);
	}
	buf_addc(out, '}');
}

static void add_said(struct buf *out, const char *role, const char *text)
{
	buf_addf(out, "{\"role\":\"%s\"", role);
	json_text_member(out, "content", text);
}

static void add_assistant(struct buf *out, const struct conversation_turn *t,
			  const struct wire_request *r)
{
	if (t->raw && t->protocol == PROTOCOL_OPENAI &&
	    str_eq(t->model, r->model)) {
		add_own(out, t, r);
	} else {
		add_said(out, "assistant", t->text);
		openai_add_calls(out, t);
		buf_addc(out, '}');
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		buf_addc(out, ',');
		add_said(out, "tool", tool_result_text(&t->calls[i]));
		json_text_member(out, "tool_call_id", t->calls[i].id);
		buf_addc(out, '}');
	}
}

static void add_messages(struct buf *out, const struct conversation *c,
			 const struct wire_request *r)
{
	bool any = *c->system != '\0';

	buf_adds(out, ",\"messages\":[");
	if (any) {
		add_said(out, "system", c->system);
		buf_addc(out, '}');
	}
	for (size_t i = 0; i < c->n_turns; i++, any = true) {
		buf_adds(out, any ? "," : "");
		if (c->turns[i].side == TURN_ASSISTANT) {
			add_assistant(out, &c->turns[i], r);
		} else {
			add_said(out, "user", c->turns[i].text);
			buf_addc(out, '}');
		}
	}
	buf_addc(out, ']');
}

static void add_max_tokens(struct buf *out, const struct wire_request *r)
{
	if (!(r->left_out & LEAVE_OUT_MAX_TOKENS))
		buf_addf(out, ",\"max_tokens\":%lld", (long long)r->max_tokens);
	else if (!(r->left_out & LEAVE_OUT_MAX_COMPLETION))
		buf_addf(out, ",\"max_completion_tokens\":%lld",
			 (long long)r->max_tokens);
}

void openai_request(struct buf *out, const struct conversation *c,
		    const struct wire_request *r)
{
	buf_adds(out, "{\"model\":");
	json_text_quote(out, r->model, strlen(r->model));
	add_max_tokens(out, r);
	if (r->streaming)
		buf_adds(out, ",\"stream\":true");
	if (r->streaming && !(r->left_out & LEAVE_OUT_USAGE))
		buf_adds(out, ",\"stream_options\":{\"include_usage\":true}");
	if (r->temperature && !(r->left_out & LEAVE_OUT_TEMPERATURE))
		buf_addf(out, ",\"temperature\":%.6g", *r->temperature);
	if (r->effort && !(r->left_out & LEAVE_OUT_EFFORT))
		json_text_member(out, "reasoning_effort", r->effort);
	add_tools(out, c);
	add_messages(out, c, r);
	buf_addc(out, '}');
}
