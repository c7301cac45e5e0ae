#include "tests/model-server/encode.h"
#include "core/base/utf8.h"

struct encoder {
	struct buf *out;
	enum dialect dialect;
	const struct exchange *e;
	const char *model;
	size_t n;
};

static struct json *object(const char *type)
{
	struct json *v = json_object();

	json_set_string(v, "type", type);
	return v;
}

static struct json *parsed(const char *text)
{
	struct json *v = NULL;
	cleanup_error struct error *err = json_parse(&v, text, strlen(text));

	return err ? json_object() : v;
}

/* Takes v. */
static void send_event(const struct encoder *w, const char *name,
		       struct json *v)
{
	cleanup_json struct json *owned = v;
	cleanup_free char *text = json_print(owned);
	const char *eol = w->e->quirks & QUIRK_CRLF ? "\r\n" : "\n";
	const char *gap = w->e->quirks & QUIRK_NO_SPACE ? "" : " ";

	if (w->e->quirks & QUIRK_COMMENTS)
		buf_addf(w->out, ": still at work%s%s", eol, eol);
	if (name)
		buf_addf(w->out, "event:%s%s%s", gap, name, eol);
	buf_addf(w->out, "data:%s", gap);
	buf_adds(w->out, text);
	buf_addf(w->out, "%s%s", eol, eol);
}

/* Bytes of the next piece of text: whole characters. */
static size_t piece(const struct encoder *w, const char *text)
{
	size_t left = strlen(text), n = 0;

	if (!w->e->split)
		return left;
	while (n < left && n < w->e->split)
		n += MAX(utf8_len(text + n, left - n), 1);
	return n;
}

static char *call_id(const struct encoder *w, const char *prefix, size_t i)
{
	return xasprintf("%s%04zu%zu", prefix, w->n, i);
}

static bool has_calls(const struct exchange *e)
{
	for (size_t i = 0; i < e->n_parts; i++)
		if (e->parts[i].kind == PART_CALL)
			return true;
	return false;
}

/* ---- Anthropic --------------------------------------------------------- */

static const char *anthropic_stop(const struct exchange *e)
{
	static const char *const words[][2] = {
		{"length", "max_tokens"},
		{"refusal", "refusal"},
		{"filter", "refusal"},
		{"pause", "pause_turn"},
		{"end", "end_turn"},
		{"tools", "tool_use"},
		{"context", "model_context_window_exceeded"},
	};

	for (size_t i = 0; e->stop && i < ARRAY_SIZE(words); i++)
		if (str_eq(e->stop, words[i][0]))
			return words[i][1];
	return has_calls(e) ? "tool_use" : "end_turn";
}

static struct json *anthropic_usage(const struct exchange *e)
{
	struct json *u = json_object();

	json_set_int(u, "input_tokens", e->usage[0]);
	json_set_int(u, "cache_read_input_tokens", e->usage[1]);
	json_set_int(u, "cache_creation_input_tokens", e->usage[2]);
	json_set_int(u, "output_tokens", e->usage[3]);
	return u;
}

static struct json *anthropic_message(const struct encoder *w)
{
	struct json *m = object("message");
	cleanup_free char *id = xasprintf("msg_%04zu", w->n);

	json_set_string(m, "id", id);
	json_set_string(m, "role", "assistant");
	json_set_string(m, "model", w->model);
	json_set(m, "content", json_array());
	json_set(m, "stop_reason", parsed("null"));
	json_set(m, "stop_sequence", parsed("null"));
	json_set(m, "usage", anthropic_usage(w->e));
	return m;
}

/* With its content, or empty as a stream announces it. */
static struct json *anthropic_block(const struct encoder *w, size_t i,
				    bool full)
{
	const struct part *p = &w->e->parts[i];
	struct json *b;
	cleanup_free char *id = call_id(w, "toolu_", i);

	if (p->kind == PART_CALL) {
		b = object("tool_use");
		json_set_string(b, "id", id);
		json_set_string(b, "name", p->name);
		json_set(b, "input", full ? parsed(p->text) : json_object());
	} else if (p->kind == PART_THINKING) {
		b = object("thinking");
		json_set_string(b, "thinking", full ? p->text : "");
		json_set_string(b, "signature", full ? "c2lnbmVk" : "");
	} else {
		b = object("text");
		json_set_string(b, "text", full ? p->text : "");
	}
	return b;
}

static void anthropic_delta(const struct encoder *w, size_t i, const char *type,
			    const char *key, const char *text, size_t len)
{
	struct json *v = object("content_block_delta"), *d = object(type);
	cleanup_free char *s = xstrndup(text, len);

	json_set_int(v, "index", (int64_t)i);
	json_set_string(d, key, s);
	json_set(v, "delta", d);
	send_event(w, "content_block_delta", v);
}

static void anthropic_part(const struct encoder *w, size_t i)
{
	static const char *const types[][2] = {
		[PART_TEXT] = {"text_delta", "text"},
		[PART_THINKING] = {"thinking_delta", "thinking"},
		[PART_CALL] = {"input_json_delta", "partial_json"},
	};
	const struct part *p = &w->e->parts[i];
	struct json *v = object("content_block_start");

	json_set_int(v, "index", (int64_t)i);
	json_set(v, "content_block", anthropic_block(w, i, false));
	send_event(w, "content_block_start", v);
	for (const char *s = p->text; *s;) {
		size_t n = piece(w, s);

		anthropic_delta(w, i, types[p->kind][0], types[p->kind][1], s,
				n);
		s += n;
	}
	if (p->kind == PART_THINKING)
		anthropic_delta(w, i, "signature_delta", "signature",
				"c2lnbmVk", 8);
	v = object("content_block_stop");
	json_set_int(v, "index", (int64_t)i);
	send_event(w, "content_block_stop", v);
}

static struct json *stop_details(void)
{
	struct json *d = object("refusal");

	json_set_string(d, "category", "frontier_llm");
	json_set_string(d, "explanation", "The model declines.");
	return d;
}

static void anthropic_end(const struct encoder *w)
{
	struct json *v = object("message_delta"), *d = json_object();
	const char *stop = anthropic_stop(w->e);

	json_set_string(d, "stop_reason", stop);
	json_set(d, "stop_sequence", parsed("null"));
	if (str_eq(stop, "refusal"))
		json_set(d, "stop_details", stop_details());
	json_set(v, "delta", d);
	json_set(v, "usage", anthropic_usage(w->e));
	send_event(w, "message_delta", v);
	send_event(w, "message_stop", object("message_stop"));
}

static struct json *error_value(enum dialect dialect, const char *type,
				const char *message)
{
	struct json *v = dialect == DIALECT_ANTHROPIC ? object("error")
						      : json_object();
	struct json *inner = dialect == DIALECT_GOOGLE ? json_object()
						       : object(type);

	json_set_string(inner, "message", message);
	if (dialect == DIALECT_GOOGLE) {
		json_set_int(inner, "code", 400);
		json_set_string(inner, "status", "INVALID_ARGUMENT");
	}
	json_set(v, "error", inner);
	if (dialect == DIALECT_GEMINI) {
		struct json *array = json_array();

		json_push(array, v);
		return array;
	}
	return v;
}

static void anthropic_stream(const struct encoder *w)
{
	struct json *v = object("message_start");

	json_set(v, "message", anthropic_message(w));
	send_event(w, "message_start", v);
	send_event(w, "ping", object("ping"));
	for (size_t i = 0; i < w->e->n_parts; i++) {
		const struct part *p = &w->e->parts[i];

		if (p->kind == PART_RAW)
			buf_adds(w->out, p->text);
		else if (p->kind == PART_ERROR)
			send_event(w, "error",
				   error_value(DIALECT_ANTHROPIC, p->name,
					       p->text));
		else
			anthropic_part(w, i);
	}
	if (!w->e->stop || !str_eq(w->e->stop, "none"))
		anthropic_end(w);
}

static struct json *anthropic_whole(const struct encoder *w)
{
	struct json *m = anthropic_message(w), *content = json_array();
	const char *stop = anthropic_stop(w->e);

	for (size_t i = 0; i < w->e->n_parts; i++)
		if (w->e->parts[i].kind <= PART_CALL)
			json_push(content, anthropic_block(w, i, true));
	json_set(m, "content", content);
	json_set_string(m, "stop_reason", stop);
	if (str_eq(stop, "refusal"))
		json_set(m, "stop_details", stop_details());
	return m;
}

/* ---- OpenAI ------------------------------------------------------------ */

static const char *openai_stop(const struct exchange *e)
{
	if (e->stop && str_eq(e->stop, "length"))
		return "length";
	if (e->stop && str_eq(e->stop, "filter"))
		return "content_filter";
	return has_calls(e) && !(e->quirks & QUIRK_STOP) ? "tool_calls"
							 : "stop";
}

static struct json *openai_usage(const struct exchange *e)
{
	struct json *u = json_object(), *d = json_object();

	json_set_int(u, "prompt_tokens",
		     e->usage[0] + e->usage[1] + e->usage[2]);
	json_set_int(u, "completion_tokens", e->usage[3]);
	json_set_int(u, "total_tokens",
		     e->usage[0] + e->usage[1] + e->usage[2] + e->usage[3]);
	json_set_int(d, "cached_tokens", e->usage[1]);
	json_set_int(d, "cache_write_tokens", e->usage[2]);
	json_set(u, "prompt_tokens_details", d);
	return u;
}

static struct json *openai_reply(const struct encoder *w, const char *type)
{
	struct json *v = json_object();
	cleanup_free char *id = xasprintf("chatcmpl-%04zu", w->n);

	json_set_string(v, "id", id);
	json_set_string(v, "object", type);
	json_set_int(v, "created", 1700000000);
	json_set_string(v, "model", w->model);
	return v;
}

/* Takes `part`; stop == NULL: null. */
static struct json *openai_choice(struct json *part, const char *key,
				  const char *stop)
{
	struct json *choices = json_array(), *c = json_object();

	json_set_int(c, "index", 0);
	json_set(c, key, part);
	json_set(c, "logprobs", parsed("null"));
	json_set(c, "finish_reason", parsed("null"));
	if (stop)
		json_set_string(c, "finish_reason", stop);
	json_push(choices, c);
	return choices;
}

static void openai_delta(const struct encoder *w, struct json *delta,
			 const char *stop)
{
	struct json *v = openai_reply(w, "chat.completion.chunk");

	json_set(v, "choices", openai_choice(delta, "delta", stop));
	send_event(w, NULL, v);
}

static struct json *gemini_signature(const struct encoder *w, size_t i)
{
	struct json *extra = json_object(), *google = json_object();
	cleanup_free char *id = call_id(w, "signed-", i);

	json_set_string(google, "thought_signature", id);
	json_set(extra, "google", google);
	return extra;
}

/* A call, or the first or a later fragment of one. */
static struct json *openai_call(const struct encoder *w, size_t i, size_t index,
				const char *arguments, bool first,
				bool streamed)
{
	struct json *call = json_object(), *function = json_object();
	cleanup_free char *id = call_id(w, "call_", i);

	if (streamed && !(w->e->quirks & QUIRK_NO_INDEX))
		json_set_int(call, "index", (int64_t)index);
	if (first) {
		if (!(w->e->quirks & QUIRK_NO_ID))
			json_set_string(call, "id", id);
		json_set_string(call, "type", "function");
		json_set_string(function, "name", w->e->parts[i].name);
		if (w->dialect == DIALECT_GEMINI && !index)
			json_set(call, "extra_content", gemini_signature(w, i));
	}
	if (w->e->quirks & QUIRK_OBJECT_ARGUMENTS)
		json_set(function, "arguments", parsed(arguments));
	else
		json_set_string(function, "arguments", arguments);
	json_set(call, "function", function);
	return call;
}

static void openai_call_fragment(const struct encoder *w, size_t i,
				 size_t index, const char *arguments,
				 bool first)
{
	struct json *delta = json_object(), *calls = json_array();

	json_push(calls, openai_call(w, i, index, arguments, first, true));
	json_set(delta, "tool_calls", calls);
	openai_delta(w, delta, NULL);
}

static void openai_part(const struct encoder *w, size_t i, size_t index)
{
	const struct part *p = &w->e->parts[i];
	bool first = true;

	if (p->kind == PART_CALL && w->e->quirks & QUIRK_OBJECT_ARGUMENTS) {
		openai_call_fragment(w, i, index, p->text, true);
		return;
	}
	for (const char *s = p->text; *s || first; first = false) {
		size_t n = piece(w, s);
		cleanup_free char *text = xstrndup(s, n);
		struct json *delta;

		s += n;
		if (p->kind == PART_CALL) {
			openai_call_fragment(w, i, index, text, first);
			continue;
		}
		delta = json_object();
		json_set_string(delta,
				p->kind == PART_THINKING ? "reasoning_content"
				: w->e->stop && str_eq(w->e->stop, "refusal")
					? "refusal"
					: "content",
				text);
		openai_delta(w, delta, NULL);
	}
}

static void openai_end(const struct encoder *w)
{
	struct json *v;

	openai_delta(w, json_object(), openai_stop(w->e));
	v = openai_reply(w, "chat.completion.chunk");
	json_set(v, "choices", json_array());
	json_set(v, "usage", openai_usage(w->e));
	send_event(w, NULL, v);
	if (!(w->e->quirks & QUIRK_NO_DONE))
		buf_adds(w->out, "data: [DONE]\n\n");
}

static void openai_stream(const struct encoder *w)
{
	struct json *delta = json_object();
	size_t index = 0;

	json_set_string(delta, "role", "assistant");
	json_set_string(delta, "content", "");
	openai_delta(w, delta, NULL);
	for (size_t i = 0; i < w->e->n_parts; i++) {
		const struct part *p = &w->e->parts[i];

		if (p->kind == PART_RAW)
			buf_adds(w->out, p->text);
		else if (p->kind == PART_ERROR)
			send_event(w, NULL,
				   error_value(DIALECT_OPENAI, p->name,
					       p->text));
		else
			openai_part(w, i, index);
		index += p->kind == PART_CALL;
	}
	if (!w->e->stop || !str_eq(w->e->stop, "none"))
		openai_end(w);
}

static struct json *openai_message(const struct encoder *w)
{
	struct json *m = json_object(), *calls = json_array();
	size_t index = 0;

	json_set_string(m, "role", "assistant");
	json_set(m, "content", parsed("null"));
	json_set(m, "refusal", parsed("null"));
	for (size_t i = 0; i < w->e->n_parts; i++) {
		const struct part *p = &w->e->parts[i];

		if (p->kind == PART_TEXT)
			json_set_string(m,
					w->e->stop && str_eq(w->e->stop,
							     "refusal")
						? "refusal"
						: "content",
					p->text);
		else if (p->kind == PART_THINKING)
			json_set_string(m, "reasoning_content", p->text);
		else if (p->kind == PART_CALL)
			json_push(calls, openai_call(w, i, index++, p->text,
						     true, false));
	}
	if (index)
		json_set(m, "tool_calls", calls);
	else
		json_free(calls);
	return m;
}

static struct json *openai_whole(const struct encoder *w)
{
	struct json *v = openai_reply(w, "chat.completion");

	json_set(v, "choices",
		 openai_choice(openai_message(w), "message",
			       openai_stop(w->e)));
	json_set(v, "usage", openai_usage(w->e));
	return v;
}

/* ---- OpenAI's Responses ------------------------------------------------ */

static struct json *responses_usage(const struct exchange *e)
{
	struct json *u = json_object(), *in = json_object(),
		    *out = json_object();

	json_set_int(u, "input_tokens",
		     e->usage[0] + e->usage[1] + e->usage[2]);
	json_set_int(in, "cached_tokens", e->usage[1]);
	json_set_int(in, "cache_write_tokens", e->usage[2]);
	json_set(u, "input_tokens_details", in);
	json_set_int(u, "output_tokens", e->usage[3]);
	json_set_int(u, "total_tokens",
		     e->usage[0] + e->usage[1] + e->usage[2] + e->usage[3]);
	json_set_int(out, "reasoning_tokens", e->usage[3] / 2);
	json_set(u, "output_tokens_details", out);
	return u;
}

static struct json *responses_message(const struct encoder *w,
				      const struct part *p, struct json *item)
{
	bool refused = w->e->stop && str_eq(w->e->stop, "refusal");
	struct json *content = json_array(),
		    *part = object(refused ? "refusal" : "output_text");

	json_set_string(item, "role", "assistant");
	json_set_string(part, refused ? "refusal" : "text", p->text);
	if (!refused)
		json_set(part, "annotations", json_array());
	json_push(content, part);
	json_set(item, "content", content);
	return item;
}

/* A tool of a namespace, which Codex gives its MCP servers: "SERVER/TOOL". */
static void set_tool(struct json *item, const char *name)
{
	const char *slash = strchr(name, '/');
	cleanup_free char *space =
		slash ? xstrndup(name, (size_t)(slash - name)) : NULL;

	json_set_string(item, "namespace", space);
	json_set_string(item, "name", slash ? slash + 1 : name);
}

/* An item in the end, or as a stream announces it. */
static struct json *responses_item(const struct encoder *w, size_t i, bool full)
{
	static const char *const types[] = {[PART_TEXT] = "message",
					    [PART_THINKING] = "reasoning",
					    [PART_CALL] = "function_call"};
	const struct part *p = &w->e->parts[i];
	struct json *item = object(types[p->kind]);
	cleanup_free char *id = xasprintf("item_%04zu%zu", w->n, i);
	cleanup_free char *call = call_id(w, "call_", i);
	cleanup_free char *sealed = xasprintf("sealed-%s", p->text);

	json_set_string(item, "id", id);
	if (p->kind == PART_THINKING) {
		json_set(item, "summary", json_array());
		json_set_string(item, "encrypted_content", full ? sealed : "");
		return item;
	}
	json_set_string(item, "status", full ? "completed" : "in_progress");
	if (p->kind == PART_TEXT && full)
		return responses_message(w, p, item);
	if (p->kind == PART_TEXT) {
		json_set_string(item, "role", "assistant");
		json_set(item, "content", json_array());
		return item;
	}
	if (!(w->e->quirks & QUIRK_NO_ID))
		json_set_string(item, "call_id", call);
	set_tool(item, p->name);
	if (w->e->quirks & QUIRK_OBJECT_ARGUMENTS && full)
		json_set(item, "arguments", parsed(p->text));
	else
		json_set_string(item, "arguments", full ? p->text : "");
	return item;
}

static const char *responses_status(const struct exchange *e)
{
	return e->stop && (str_eq(e->stop, "length") ||
			   str_eq(e->stop, "filter"))
		       ? "incomplete"
		       : "completed";
}

static struct json *responses_response(const struct encoder *w,
				       const char *status)
{
	struct json *r = json_object(), *output = json_array(),
		    *why = json_object();
	cleanup_free char *id = xasprintf("resp_%04zu", w->n);
	bool begun = str_eq(status, "in_progress");

	json_set_string(r, "id", id);
	json_set_string(r, "object", "response");
	json_set_string(r, "status", status);
	json_set(r, "error", parsed("null"));
	json_set_string(r, "model", w->model);
	if (str_eq(status, "incomplete"))
		json_set_string(why, "reason",
				str_eq(w->e->stop, "filter")
					? "content_filter"
					: "max_output_tokens");
	json_set(r, "incomplete_details", why);
	for (size_t i = 0; !begun && i < w->e->n_parts; i++)
		if (w->e->parts[i].kind <= PART_CALL)
			json_push(output, responses_item(w, i, true));
	json_set(r, "output", output);
	json_set(r, "usage", begun ? parsed("null") : responses_usage(w->e));
	return r;
}

static void responses_event(const struct encoder *w, const char *type,
			    size_t index, const char *key, struct json *value)
{
	struct json *v = object(type);

	if (!(w->e->quirks & QUIRK_NO_INDEX))
		json_set_int(v, "output_index", (int64_t)index);
	json_set(v, key, value);
	send_event(w, type, v);
}

/* What tells of a part of an item. Takes `value`. */
static void responses_piece(const struct encoder *w, const char *type, size_t i,
			    size_t index, const char *key, struct json *value)
{
	struct json *v = object(type);
	cleanup_free char *id = xasprintf("item_%04zu%zu", w->n, i);

	if (!(w->e->quirks & QUIRK_NO_INDEX))
		json_set_int(v, "output_index", (int64_t)index);
	json_set_string(v, "item_id", id);
	if (w->e->parts[i].kind == PART_TEXT)
		json_set_int(v, "content_index", 0);
	json_set(v, key, value);
	send_event(w, type, v);
}

/* The part of a message, before its text comes. */
static struct json *responses_content(bool refused)
{
	struct json *part = object(refused ? "refusal" : "output_text");

	json_set_string(part, refused ? "refusal" : "text", "");
	if (!refused)
		json_set(part, "annotations", json_array());
	return part;
}

static void responses_part(const struct encoder *w, size_t i, size_t index)
{
	const struct part *p = &w->e->parts[i];
	bool refused = w->e->stop && str_eq(w->e->stop, "refusal");
	const char *type = p->kind == PART_CALL
				   ? "response.function_call_arguments.delta"
			   : refused ? "response.refusal.delta"
				     : "response.output_text.delta";

	responses_event(w, "response.output_item.added", index, "item",
			responses_item(w, i, false));
	if (p->kind == PART_TEXT)
		responses_piece(w, "response.content_part.added", i, index,
				"part", responses_content(refused));
	for (const char *s = p->text; *s && p->kind != PART_THINKING;) {
		size_t n = piece(w, s);
		cleanup_json struct json *holder = json_object();
		cleanup_free char *text = xstrndup(s, n);

		json_set_string(holder, "delta", text);
		responses_piece(w, type, i, index, "delta",
				json_dup(json_get(holder, "delta")));
		s += n;
	}
	if (w->e->quirks & QUIRK_STOP && p->kind != PART_THINKING)
		return; /* its deltas are all there is */
	responses_event(w, "response.output_item.done", index, "item",
			responses_item(w, i, true));
}

static void responses_end(const struct encoder *w)
{
	const char *status = responses_status(w->e);
	cleanup_free char *type = xasprintf("response.%s", status);
	struct json *v = object(type);

	json_set(v, "response", responses_response(w, status));
	send_event(w, type, v);
}

static void responses_stream(const struct encoder *w)
{
	struct json *v = object("response.created");
	size_t index = 0;

	json_set(v, "response", responses_response(w, "in_progress"));
	send_event(w, "response.created", v);
	for (size_t i = 0; i < w->e->n_parts; i++) {
		const struct part *p = &w->e->parts[i];

		if (p->kind == PART_RAW)
			buf_adds(w->out, p->text);
		else if (p->kind == PART_ERROR)
			send_event(w, "error",
				   error_value(DIALECT_RESPONSES, p->name,
					       p->text));
		else
			responses_part(w, i, index++);
	}
	if (!w->e->stop || !str_eq(w->e->stop, "none"))
		responses_end(w);
}

/* ---- Gemini's own ------------------------------------------------------ */

static struct json *google_part(const struct encoder *w, size_t i)
{
	const struct part *p = &w->e->parts[i];
	struct json *v = json_object(), *call = json_object();
	cleanup_free char *id = call_id(w, "signed-", i);

	if (p->kind != PART_CALL) {
		json_set_string(v, "text", p->text);
		if (p->kind == PART_THINKING)
			json_set(v, "thought", parsed("true"));
		json_free(call);
		return v;
	}
	json_set_string(call, "name", p->name);
	json_set(call, "args", parsed(p->text));
	json_set(v, "functionCall", call);
	json_set_string(v, "thoughtSignature", id);
	return v;
}

static const char *google_stop(const struct exchange *e)
{
	return e->stop && str_eq(e->stop, "length")   ? "MAX_TOKENS"
	       : e->stop && str_eq(e->stop, "filter") ? "SAFETY"
						      : "STOP";
}

static struct json *google_usage(const struct exchange *e)
{
	int64_t in = e->usage[0] + e->usage[1] + e->usage[2];
	struct json *u = json_object();

	json_set_int(u, "promptTokenCount", in);
	json_set_int(u, "cachedContentTokenCount", e->usage[1]);
	json_set_int(u, "candidatesTokenCount", e->usage[3]);
	json_set_int(u, "totalTokenCount", in + e->usage[3]);
	return u;
}

/* The parts from `from` to `to`, whole; the end, where `last`. */
static struct json *google_reply(const struct encoder *w, size_t from,
				 size_t to, bool last)
{
	struct json *v = json_object(), *all = json_array(),
		    *candidate = json_object(), *content = json_object(),
		    *parts = json_array();

	for (size_t i = from; i < to; i++)
		if (w->e->parts[i].kind <= PART_CALL)
			json_push(parts, google_part(w, i));
	json_set_string(content, "role", "model");
	json_set(content, "parts", parts);
	json_set_int(candidate, "index", 0);
	json_set(candidate, "content", content);
	if (last)
		json_set_string(candidate, "finishReason", google_stop(w->e));
	json_push(all, candidate);
	json_set(v, "candidates", all);
	json_set(v, "usageMetadata", google_usage(w->e));
	json_set_string(v, "modelVersion", w->model);
	return v;
}

static void google_stream(const struct encoder *w)
{
	for (size_t i = 0; i < w->e->n_parts; i++)
		send_event(w, NULL, google_reply(w, i, i + 1, false));
	send_event(w, NULL, google_reply(w, 0, 0, true));
}

/* ---- all --------------------------------------------------------------- */

void encode_stream(struct buf *out, const struct exchange *e,
		   enum dialect dialect, const char *model, size_t n)
{
	struct encoder w = {
		.out = out, .dialect = dialect, .e = e, .model = model, .n = n};

	if (dialect == DIALECT_ANTHROPIC)
		anthropic_stream(&w);
	else if (dialect == DIALECT_RESPONSES)
		responses_stream(&w);
	else if (dialect == DIALECT_GOOGLE)
		google_stream(&w);
	else
		openai_stream(&w);
}

void encode_whole(struct buf *out, const struct exchange *e,
		  enum dialect dialect, const char *model, size_t n)
{
	struct encoder w = {
		.out = out, .dialect = dialect, .e = e, .model = model, .n = n};
	cleanup_json struct json *v =
		dialect == DIALECT_ANTHROPIC ? anthropic_whole(&w)
		: dialect == DIALECT_RESPONSES
			? responses_response(&w, responses_status(e))
		: dialect == DIALECT_GOOGLE
			? google_reply(&w, 0, e->n_parts, true)
			: openai_whole(&w);
	cleanup_free char *text = json_print(v);

	buf_adds(out, text);
}

void encode_error(struct buf *out, enum dialect dialect, const char *type,
		  const char *message)
{
	cleanup_json struct json *v = error_value(dialect, type, message);
	cleanup_free char *text = json_print(v);

	buf_adds(out, text);
}
