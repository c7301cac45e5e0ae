/* OpenAI's Chat Completions protocol. Accepts replies as its many servers send
 * them: calls without index or id, arguments as an object, "stop" with
 * calls. */
#include "agent/provider/wire.h"

/* ---- the request --------------------------------------------------------- */

static const struct wire_parameter openai_parameters[] = {
#define LEAVE_OUT_TEMPERATURE 1u
	{.name = "temperature"},
#define LEAVE_OUT_EFFORT 2u
	{.name = "reasoning_effort",
	 .also = {"reasoningEffort", "reasoning effort", "thinking", "effort"},
	 .is_effort = true},
#define LEAVE_OUT_USAGE 4u
	{.name = "stream_options"},
/* If it is left out, max_completion_tokens replaces it. */
#define LEAVE_OUT_MAX_TOKENS 8u
	{.name = "max_tokens", .instead = ", by `max_completion_tokens`"},
#define LEAVE_OUT_MAX_COMPLETION 16u
	{.name = "max_completion_tokens"},
	/* Members of what the model wrote, up to the stream. */
	{.name = "reasoning_content"},
	{.name = "reasoning"},
	{.name = "reasoning_details"},
#define LEAVE_OUT_STREAM 256u
	{.name = "stream"},
/* What the system says is said in the first message of the user, then. */
#define LEAVE_OUT_SYSTEM 512u
	{.name = "system",
	 .also = {"system role", "messages[0].role"},
	 .instead = ": its text goes into the first message"},
	{.name = NULL}};

static void openai_url(struct buf *out, const struct wire_request *r)
{
	wire_add_url(out, r->base_url, "/chat/completions");
}

/* Azure takes a key of its own in a header of its own; a token of its
 * directory (a JWT) is a bearer's there, too. */
static bool is_azure_key(const struct api_key *key, const char *base)
{
	size_t host = strcspn(base, ":") + 3;
	cleanup_free char *name = NULL;

	if (host >= strlen(base) || starts_with(key->secret, "eyJ"))
		return false;
	name = xstrndup(base + host, strcspn(base + host, "/:?"));
	return ends_with(name, ".azure.com");
}

void openai_headers(struct strvec *out, const struct api_key *key,
		    const char *base)
{
	strvec_push(out, "Content-Type: application/json");
	if (!key->secret)
		return;
	if (is_azure_key(key, base))
		strvec_pushf(out, "api-key: %s", key->secret);
	else
		strvec_pushf(out, "Authorization: Bearer %s", key->secret);
}

void openai_add_function(struct buf *out, const struct tool_spec *t)
{
	buf_addf(out, "\"name\":\"%s\"", t->name);
	json_text_member(out, "description", t->description);
	buf_adds(out, ",\"parameters\":");
	buf_adds(out, t->schema);
}

static void add_tools(struct buf *out, const struct conversation *c)
{
	if (!c->n_tools)
		return;
	buf_adds(out, ",\"tools\":[");
	for (size_t i = 0; i < c->n_tools; i++) {
		buf_addf(out, "%s{\"type\":\"function\",\"function\":{",
			 i ? "," : "");
		openai_add_function(out, &c->tools[i]);
		buf_adds(out, "}}");
	}
	buf_addc(out, ']');
}

static void add_more(struct buf *out, const struct buf *more)
{
	buf_adds(out, more->len ? "," : "");
	buf_add(out, more->data, more->len);
}

/* `blocks` (or NULL) hold what else the model's server gave with the calls. */
static void openai_add_calls(struct buf *out, const struct tool_call *calls,
			     size_t n, const struct draft_block *blocks)
{
	if (!n)
		return;
	buf_adds(out, ",\"tool_calls\":[");
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "%s{\"type\":\"function\"", i ? "," : "");
		json_text_member(out, "id", calls[i].id);
		buf_adds(out, ",\"function\":{\"name\":");
		json_text_quote(out, calls[i].name, strlen(calls[i].name));
		json_text_member(out, "arguments", calls[i].arguments);
		if (blocks)
			add_more(out, &blocks[i].function_more);
		buf_addc(out, '}');
		if (blocks)
			add_more(out, &blocks[i].more);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static bool is_left_out(struct json_text key, const struct wire_request *r)
{
	for (unsigned i = 0; openai_parameters[i].name; i++)
		if (r->left_out & 1u << i &&
		    json_text_equals(key, openai_parameters[i].name))
			return true;
	return false;
}

/* Adds the model's own message without members that the server rejects. */
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
		openai_add_calls(out, t->calls, t->n_calls, NULL);
		buf_addc(out, '}');
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		buf_addc(out, ',');
		add_said(out, "tool", tool_result_text(&t->calls[i]));
		json_text_member(out, "tool_call_id", t->calls[i].id);
		buf_addc(out, '}');
	}
}

/* `system` (or NULL) is said before the text. */
static void add_user(struct buf *out, const char *text, const char *system)
{
	cleanup_free char *both = system ? xasprintf("%s\n\n%s", system, text)
					 : NULL;

	add_said(out, "user", both ? both : text);
	buf_addc(out, '}');
}

static void add_messages(struct buf *out, const struct conversation *c,
			 const struct wire_request *r)
{
	bool merged = r->left_out & LEAVE_OUT_SYSTEM;
	bool any = *c->system && !merged;

	buf_adds(out, ",\"messages\":[");
	if (any) {
		add_said(out, "system", c->system);
		buf_addc(out, '}');
	}
	for (size_t i = 0; i < c->n_turns; i++, any = true) {
		buf_adds(out, any ? "," : "");
		if (c->turns[i].side == TURN_ASSISTANT)
			add_assistant(out, &c->turns[i], r);
		else
			add_user(out, c->turns[i].text,
				 merged && !i ? c->system : NULL);
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

static void openai_request(struct buf *out, const struct conversation *c,
			   const struct wire_request *r)
{
	bool streaming = r->streaming && !(r->left_out & LEAVE_OUT_STREAM);

	buf_adds(out, "{\"model\":");
	json_text_quote(out, r->model, strlen(r->model));
	add_max_tokens(out, r);
	if (streaming)
		buf_adds(out, ",\"stream\":true");
	if (streaming && !(r->left_out & LEAVE_OUT_USAGE))
		buf_adds(out, ",\"stream_options\":{\"include_usage\":true}");
	if (r->temperature && !(r->left_out & LEAVE_OUT_TEMPERATURE))
		buf_addf(out, ",\"temperature\":%.6g", *r->temperature);
	if (r->effort && !(r->left_out & LEAVE_OUT_EFFORT))
		json_text_member(out, "reasoning_effort", r->effort);
	add_tools(out, c);
	add_messages(out, c, r);
	buf_addc(out, '}');
}

/* ---- the answer ---------------------------------------------------------- */

static int status_of(struct json_text error, int status)
{
	int64_t code;

	if (status)
		return status;
	if (json_text_int(json_text_get(error, "code"), &code) && code >= 400 &&
	    code <= 599)
		return (int)code;
	if (json_text_equals(json_text_get(error, "code"),
			     "rate_limit_exceeded"))
		return 429;
	if (json_text_equals(json_text_get(error, "code"),
			     "context_length_exceeded") ||
	    json_text_equals(json_text_get(error, "code"), "invalid_prompt") ||
	    json_text_equals(json_text_get(error, "type"),
			     "invalid_request_error"))
		return 400;
	return 500;
}

/* A string decoded, or an object or array as it is; NULL for other values. */
static char *words_of(struct json_text v)
{
	if (json_text_is(v, '{') || json_text_is(v, '['))
		return xstrndup(v.p, v.len);
	return json_text_string(v);
}

bool openai_error(struct draft_failure *out, struct json_text error, int status)
{
	struct json_text code = json_text_get(error, "code");
	char *message = words_of(json_text_get(error, "message"));

	if (!message || json_text_equals(code, "context_length_exceeded")) {
		free(message);
		message = json_text_string(code);
	}
	if (!message)
		return false;
	out->message = message;
	out->parameter = json_text_string(json_text_get(error, "param"));
	out->status = status_of(error, status);
	return true;
}

/* Reads {"error":{...}} (Gemini: in an array), {"error":"text"}, vLLM's
 * {"object":"error",...} and {"detail":...} of servers that check a request by
 * its schema. */
bool openai_failed(struct draft_failure *out, struct json_text body, int status)
{
	struct json_text error, first;
	size_t at = 0;

	if (json_text_is(body, '[') &&
	    json_text_next(body, &at, NULL, &first) && json_text_is(first, '{'))
		body = first;
	if (!json_text_is(body, '{'))
		return false;
	error = json_text_get(body, "error");
	if (!error.p && status)
		error = json_text_get(body, "detail");
	if (json_text_equals(json_text_get(body, "object"), "error"))
		error = body;
	if (json_text_is(error, '{')) {
		if (openai_error(out, error, status))
			return true;
		out->status = status_of(error, status);
		return true;
	}
	if (!json_text_is(error, '"') && !json_text_is(error, '['))
		return false;
	out->message = words_of(error);
	out->status = status ? status : 500;
	return true;
}

static void take_usage(struct usage *u, struct json_text usage)
{
	struct json_text details =
		json_text_get(usage, "prompt_tokens_details");
	int64_t prompt, read = 0, write = 0;

	if (!json_text_int(json_text_get(usage, "prompt_tokens"), &prompt) ||
	    prompt < 0)
		return;
	json_text_int(json_text_get(details, "cached_tokens"), &read);
	json_text_int(json_text_get(details, "cache_write_tokens"), &write);
	u->cache_read = MIN(MAX(read, 0), prompt);
	u->cache_write = MIN(MAX(write, 0), prompt - u->cache_read);
	u->input = prompt - u->cache_read - u->cache_write;
	json_text_int(json_text_get(usage, "completion_tokens"), &u->output);
	u->output = MAX(u->output, 0);
	details = json_text_get(usage, "completion_tokens_details");
	json_text_int(json_text_get(details, "reasoning_tokens"),
		      &u->reasoning);
	u->reasoning = MIN(MAX(u->reasoning, 0), u->output);
	u->known = true;
}

/* No server's index. */
#define ONLY_CALL INT64_MIN

/* Finds the call that a fragment continues, by its index. Some servers give no
 * index, or the same one to every call; then a new id begins a new call. */
static struct draft_block *block_of(struct draft *d, struct json_text call)
{
	struct json_text id = json_text_inner(json_text_get(call, "id"));
	struct json_text function = json_text_get(call, "function");
	struct json_text name = json_text_get(function, "name");
	struct draft_block *b;
	int64_t index;

	if (json_text_int(json_text_get(call, "index"), &index))
		b = draft_find(d, index);
	else if (!id.len && json_text_is(name, '"') && name.len > 2)
		return NULL;
	else
		b = d->n ? &d->blocks[d->n - 1] : NULL;
	if (b && id.len && b->id.len &&
	    (id.len != b->id.len || memcmp(id.p, b->id.data, id.len) != 0))
		return NULL;
	return b;
}

/* Keeps the members that `known`, names between blanks, does not have. */
static void take_more(struct buf *more, struct json_text object,
		      const char *known)
{
	struct json_text key, value;
	size_t at = 0;

	while (json_text_is(object, '{') &&
	       json_text_next(object, &at, &key, &value)) {
		cleanup_free char *name = json_text_string(key);
		cleanup_free char *padded = xasprintf(" %s ", name);

		if (!strstr(known, padded))
			draft_append_member(more, key, value);
	}
}

/* Some servers give a name in pieces, some repeat it in each fragment. */
static void take_name(struct draft_block *b, struct json_text name)
{
	struct json_text inner = json_text_inner(name);

	if (b->name.len && (b->arguments.len || !inner.p ||
			    (inner.len == b->name.len &&
			     memcmp(inner.p, b->name.data, inner.len) == 0)))
		return;
	draft_append(&b->name, name);
}

static void take_function(struct draft_block *b, struct json_text function)
{
	struct json_text arguments = json_text_get(function, "arguments");

	take_name(b, json_text_get(function, "name"));
	take_more(&b->function_more, function, " name arguments ");
	if (json_text_is(arguments, '{')) {
		buf_clear(&b->arguments);
		buf_add(&b->arguments, arguments.p, arguments.len);
		b->arguments_are_json = true;
	} else if (!b->arguments_are_json) {
		draft_append(&b->arguments, arguments);
	}
}

static struct error *take_call(struct draft *d, struct json_text call)
{
	struct draft_block *b = block_of(d, call);
	int64_t index = -1;

	if (!b) {
		json_text_int(json_text_get(call, "index"), &index);
		TRY(draft_add(&b, d, index));
	}
	if (!b->id.len)
		draft_append(&b->id, json_text_get(call, "id"));
	take_more(&b->more, call, " index id type function ");
	take_function(b, json_text_get(call, "function"));
	return NULL;
}

/* The one call of a reply before there were `tool_calls`; servers of that time
 * answer by it still. It goes back as one of those. */
static struct error *take_only_call(struct draft *d, struct json_text function)
{
	struct draft_block *b = draft_find(d, ONLY_CALL);

	if (!b)
		TRY(draft_add(&b, d, ONLY_CALL));
	take_function(b, function);
	return NULL;
}

static void take_details(struct draft *d, struct json_text details)
{
	struct json_text one;
	size_t at = 0;

	while (json_text_next(details, &at, NULL, &one)) {
		buf_adds(&d->details, d->details.len ? "," : "");
		buf_add(&d->details, one.p, one.len);
	}
}

/* What Gemini signs a message without calls by. */
static void take_extra(struct draft *d, struct json_text message)
{
	struct json_text key, value;
	size_t at = 0;

	while (json_text_is(message, '{') &&
	       json_text_next(message, &at, &key, &value))
		if (json_text_equals(key, "extra_content") &&
		    json_text_is(value, '{'))
			draft_append_member(&d->more, key, value);
}

/* Takes a message, or the delta of one. */
static struct error *take_message(struct draft *d, struct json_text message)
{
	struct json_text calls = json_text_get(message, "tool_calls"), call;
	struct json_text only = json_text_get(message, "function_call");
	size_t at = 0;

	draft_append(&d->content, json_text_get(message, "content"));
	draft_append(&d->refusal, json_text_get(message, "refusal"));
	draft_append(&d->reasoning, json_text_get(message, "reasoning"));
	draft_append(&d->reasoning_content,
		     json_text_get(message, "reasoning_content"));
	if (json_text_is(json_text_get(message, "reasoning_details"), '['))
		take_details(d, json_text_get(message, "reasoning_details"));
	take_extra(d, message);
	if (!json_text_is(calls, '['))
		return json_text_is(only, '{') ? take_only_call(d, only) : NULL;
	while (json_text_next(calls, &at, NULL, &call))
		TRY(take_call(d, call));
	return NULL;
}

static void take_stop(struct draft *d, struct json_text reason)
{
	if (!json_text_is(reason, '"'))
		return;
	d->stop_known = true;
	d->stop = json_text_equals(reason, "length")	       ? REPLY_LENGTH
		  : json_text_equals(reason, "content_filter") ? REPLY_FILTERED
							       : REPLY_END;
}

static struct error *take_choice(struct draft *d, struct json_text body,
				 const char *part)
{
	struct json_text choices = json_text_get(body, "choices"), choice;
	size_t at = 0;

	if (!d->model)
		d->model = json_text_string(json_text_get(body, "model"));
	if (json_text_is(json_text_get(body, "usage"), '{'))
		take_usage(&d->usage, json_text_get(body, "usage"));
	if (!json_text_is(choices, '[') ||
	    !json_text_next(choices, &at, NULL, &choice))
		return NULL;
	take_stop(d, json_text_get(choice, "finish_reason"));
	return take_message(d, json_text_get(choice, part));
}

static struct error *event(struct draft *d, const char *name,
			   struct json_text data)
{
	(void)name;
	if (!d->failure.status && openai_failed(&d->failure, data, 0))
		return NULL;
	return take_choice(d, data, "delta");
}

static struct error *whole(struct draft *d, struct json_text body)
{
	TRY(take_choice(d, body, "message"));
	d->ended = d->stop_known || d->n || d->content.len;
	return NULL;
}

/* ---- from draft to reply ----------------------------------------------- */

static void add_pieces(struct buf *out, const char *key,
		       const struct buf *pieces)
{
	if (!pieces->len)
		return;
	buf_addf(out, ",\"%s\":\"", key);
	buf_add(out, pieces->data, pieces->len);
	buf_addc(out, '"');
}

/* The message to send back: reasoning under its original name, calls with their
 * final ids and arguments. */
static char *message_of(const struct draft *d, const struct reply *r)
{
	cleanup_buf struct buf out = BUF_INIT(SIZE_MAX / 2);

	buf_adds(&out, "{\"role\":\"assistant\"");
	if (d->content.len)
		add_pieces(&out, "content", &d->content);
	else
		json_text_member(&out, "content",
				 r->dropped_calls ? "(cut at the length limit)"
						  : "");
	add_pieces(&out, "reasoning_content", &d->reasoning_content);
	add_pieces(&out, "reasoning", &d->reasoning);
	if (d->details.len) {
		buf_adds(&out, ",\"reasoning_details\":[");
		buf_add(&out, d->details.data, d->details.len);
		buf_addc(&out, ']');
	}
	/* Where there are calls, each block gave one. */
	openai_add_calls(&out, r->calls, r->n_calls, d->blocks);
	add_more(&out, &d->more);
	buf_addc(&out, '}');
	return buf_take(&out);
}

static enum reply_stop stop_of(const struct draft *d)
{
	if (d->stop_known && d->stop != REPLY_END)
		return d->stop;
	if (d->refusal.len && !d->n)
		return REPLY_REFUSED;
	return d->n ? REPLY_TOOLS : REPLY_END;
}

static struct error *finish(struct reply *out, const struct draft *d)
{
	size_t cap = 0;

	if (!d->ended && !d->stop_known)
		return error_new(ERROR_MALFORMED,
				 "the reply ended before its end");
	out->stop = stop_of(d);
	if (out->stop == REPLY_TOOLS)
		for (size_t i = 0; i < d->n; i++)
			draft_give_call(out, &cap, &d->blocks[i]);
	else
		out->dropped_calls = d->n;
	out->text = draft_text(&d->content);
	if (d->refusal.len)
		out->refusal = draft_text(&d->refusal);
	out->raw = message_of(d, out);
	out->protocol = PROTOCOL_OPENAI;
	return NULL;
}

const struct wire wire_openai = {
	.vendor_url = "https://api.openai.com/v1",
	.parameters = openai_parameters,
	.url = openai_url,
	.headers = openai_headers,
	.request = openai_request,
	.event = event,
	.whole = whole,
	.failed = openai_failed,
	.finish = finish,
};
