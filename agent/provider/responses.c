/* OpenAI's Responses protocol, without state on the server: each request has
 * the whole conversation as items, and the model's reasoning goes back
 * encrypted, as it came. A stream of typed events makes the items of a reply;
 * an item is sent back with the bytes it came with. */
#include "agent/provider/wire.h"
#include "core/base/hash.h"

#define CACHE_KEY_DIGITS 16

/* ---- the request --------------------------------------------------------- */

static const struct wire_parameter responses_parameters[] = {
#define LEAVE_OUT_TEMPERATURE 1u
	{.name = "temperature"},
#define LEAVE_OUT_INCLUDE 2u
	{.name = "include",
	 .also = {"reasoning.encrypted_content", "encrypted content"}},
#define LEAVE_OUT_EFFORT 4u
	{.name = "reasoning",
	 .also = {"reasoning.effort", "reasoning_effort", "reasoningEffort",
		  "effort"},
	 .is_effort = true},
#define LEAVE_OUT_CACHE_KEY 8u
	{.name = "prompt_cache_key"},
#define LEAVE_OUT_MAX_TOKENS 16u
	{.name = "max_output_tokens"},
#define LEAVE_OUT_STREAM 32u
	{.name = "stream"},
	{.name = NULL}};

static void responses_url(struct buf *out, const struct wire_request *r)
{
	wire_add_url(out, r->base_url, "/responses");
}

/* The functions are not strict: a strict one must require all its members. */
static void add_tools(struct buf *out, const struct conversation *c)
{
	if (!c->n_tools)
		return;
	buf_adds(out, ",\"tools\":[");
	for (size_t i = 0; i < c->n_tools; i++) {
		buf_addf(out, "%s{\"type\":\"function\",", i ? "," : "");
		openai_add_function(out, &c->tools[i]);
		buf_adds(out, ",\"strict\":false}");
	}
	buf_addc(out, ']');
}

/* Requests that begin alike go to the same cache: all of a model's with the
 * same instructions and tools. */
static void add_cache_key(struct buf *out, const struct conversation *c)
{
	char digest[HASH_HEX_LEN + 1];
	struct hash *h = hash_new();

	hash_adds(h, c->system);
	for (size_t i = 0; i < c->n_tools; i++)
		hash_adds(h, c->tools[i].name);
	hash_finish(digest, h);
	buf_addf(out, ",\"prompt_cache_key\":\"avogit-%.*s\"", CACHE_KEY_DIGITS,
		 digest);
}

static void add_said(struct buf *out, const char *role, const char *text)
{
	buf_addf(out, "{\"role\":\"%s\"", role);
	json_text_member(out, "content", text);
	buf_addc(out, '}');
}

/* Builds the items from text and calls: another model wrote the turn. */
static void add_rebuilt(struct buf *out, const struct conversation_turn *t)
{
	if (*t->text || !t->n_calls)
		add_said(out, "assistant", *t->text ? t->text : "(nothing)");
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct tool_call *call = &t->calls[i];

		buf_addf(out, "%s{\"type\":\"function_call\"",
			 i || *t->text ? "," : "");
		json_text_member(out, "call_id", call->id);
		json_text_member(out, "name", call->name);
		json_text_member(out, "arguments", call->arguments);
		buf_addc(out, '}');
	}
}

static void add_assistant(struct buf *out, const struct conversation_turn *t,
			  const struct wire_request *r)
{
	if (t->raw && t->protocol == PROTOCOL_RESPONSES &&
	    str_eq(t->model, r->model)) /* between the brackets of its array */
		buf_add(out, t->raw + 1, strlen(t->raw) - 2);
	else
		add_rebuilt(out, t);
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct tool_call *call = &t->calls[i];

		buf_adds(out, ",{\"type\":\"function_call_output\"");
		json_text_member(out, "call_id", call->id);
		json_text_member(out, "output", tool_result_text(call));
		buf_addc(out, '}');
	}
}

static void add_input(struct buf *out, const struct conversation *c,
		      const struct wire_request *r)
{
	buf_adds(out, ",\"input\":[");
	for (size_t i = 0; i < c->n_turns; i++) {
		buf_adds(out, i ? "," : "");
		if (c->turns[i].side == TURN_ASSISTANT)
			add_assistant(out, &c->turns[i], r);
		else
			add_said(out, "user", c->turns[i].text);
	}
	buf_addc(out, ']');
}

static void responses_request(struct buf *out, const struct conversation *c,
			      const struct wire_request *r)
{
	buf_adds(out, "{\"model\":");
	json_text_quote(out, r->model, strlen(r->model));
	buf_adds(out, ",\"store\":false");
	if (r->streaming && !(r->left_out & LEAVE_OUT_STREAM))
		buf_adds(out, ",\"stream\":true");
	if (!(r->left_out & LEAVE_OUT_MAX_TOKENS))
		buf_addf(out, ",\"max_output_tokens\":%lld",
			 (long long)r->max_tokens);
	if (r->temperature && !(r->left_out & LEAVE_OUT_TEMPERATURE))
		buf_addf(out, ",\"temperature\":%.6g", *r->temperature);
	if (r->effort && !(r->left_out & LEAVE_OUT_EFFORT)) {
		buf_adds(out, ",\"reasoning\":{\"effort\":");
		json_text_quote(out, r->effort, strlen(r->effort));
		buf_addc(out, '}');
	}
	if (!(r->left_out & LEAVE_OUT_INCLUDE))
		buf_adds(out, ",\"include\":[\"reasoning.encrypted_content\"]");
	if (!(r->left_out & LEAVE_OUT_CACHE_KEY))
		add_cache_key(out, c);
	if (*c->system)
		json_text_member(out, "instructions", c->system);
	add_tools(out, c);
	add_input(out, c, r);
	buf_addc(out, '}');
}

/* ---- the answer ---------------------------------------------------------- */

static struct json_text item_of(const struct draft_block *b)
{
	return (struct json_text){b->start.data, b->start.len};
}

static bool is_type(const struct draft_block *b, const char *type)
{
	return json_text_equals(json_text_get(item_of(b), "type"), type);
}

static void set_pieces(struct buf *pieces, struct json_text string)
{
	buf_clear(pieces);
	draft_append(pieces, string);
}

static void set_arguments(struct draft_block *b, struct json_text arguments)
{
	set_pieces(&b->arguments, arguments);
	b->arguments_are_json = json_text_is(arguments, '{');
	if (b->arguments_are_json)
		buf_add(&b->arguments, arguments.p, arguments.len);
}

/* The block of an event; without an index it is the newest. */
static struct draft_block *block_of(const struct draft *d,
				    struct json_text event)
{
	int64_t index;

	if (json_text_int(json_text_get(event, "output_index"), &index))
		return draft_find(d, index);
	return d->n ? &d->blocks[d->n - 1] : NULL;
}

static void set_item(struct draft_block *b, struct json_text item, bool ended)
{
	buf_clear(&b->start);
	buf_add(&b->start, item.p, item.len);
	b->ended = ended;
	b->is_call = is_type(b, "function_call");
	if (!b->is_call)
		return;
	set_pieces(&b->id, json_text_get(item, "call_id"));
	set_pieces(&b->name, json_text_get(item, "name"));
	set_arguments(b, json_text_get(item, "arguments"));
}

static struct error *add_item(struct draft *d, int64_t index,
			      struct json_text item, bool ended)
{
	struct draft_block *b;

	if (!json_text_is(item, '{'))
		return error_new(ERROR_MALFORMED,
				 "an item of the reply is not an object");
	TRY(draft_add(&b, d, index));
	set_item(b, item, ended);
	return NULL;
}

static struct error *begin_item(struct draft *d, struct json_text event)
{
	int64_t index = -1;

	json_text_int(json_text_get(event, "output_index"), &index);
	return add_item(d, index, json_text_get(event, "item"), false);
}

/* What an item is in the end replaces what its deltas made of it. */
static struct error *end_item(struct draft *d, struct json_text event)
{
	struct draft_block *b = block_of(d, event);
	struct json_text item = json_text_get(event, "item");
	int64_t index = -1;

	if (b && !b->ended && json_text_is(item, '{')) {
		set_item(b, item, true);
		return NULL;
	}
	json_text_int(json_text_get(event, "output_index"), &index);
	return add_item(d, index, item, true);
}

static void take_delta(struct draft *d, struct json_text event,
		       bool is_arguments)
{
	struct draft_block *b = block_of(d, event);

	if (b && !b->ended && !b->arguments_are_json)
		draft_append(is_arguments ? &b->arguments : &b->text,
			     json_text_get(event, "delta"));
}

static void take_usage(struct usage *u, struct json_text usage)
{
	struct json_text in = json_text_get(usage, "input_tokens_details"),
			 out = json_text_get(usage, "output_tokens_details");
	int64_t input, read = 0, write = 0;

	if (!json_text_int(json_text_get(usage, "input_tokens"), &input) ||
	    input < 0)
		return;
	json_text_int(json_text_get(in, "cached_tokens"), &read);
	json_text_int(json_text_get(in, "cache_write_tokens"), &write);
	u->cache_read = MIN(MAX(read, 0), input);
	u->cache_write = MIN(MAX(write, 0), input - u->cache_read);
	u->input = input - u->cache_read - u->cache_write;
	json_text_int(json_text_get(usage, "output_tokens"), &u->output);
	u->output = MAX(u->output, 0);
	json_text_int(json_text_get(out, "reasoning_tokens"), &u->reasoning);
	u->reasoning = MIN(MAX(u->reasoning, 0), u->output);
	u->known = true;
}

static struct error *take_output(struct draft *d, struct json_text output)
{
	struct json_text item;
	size_t at = 0;

	if (!json_text_is(output, '['))
		return NULL;
	while (json_text_next(output, &at, NULL, &item))
		TRY(add_item(d, (int64_t)d->n, item, true));
	return NULL;
}

static void take_stop(struct draft *d, struct json_text response)
{
	struct json_text why = json_text_get(
		json_text_get(response, "incomplete_details"), "reason");

	d->stop_known = d->ended = true;
	d->stop = json_text_equals(why, "content_filter") ? REPLY_FILTERED
		  : json_text_equals(json_text_get(response, "status"),
				     "incomplete")
			  ? REPLY_LENGTH
			  : REPLY_END;
}

/* Takes the response at its end; its items, if no event brought them. */
static struct error *take_response(struct draft *d, struct json_text response)
{
	if (!json_text_is(response, '{'))
		return error_new(ERROR_MALFORMED, "the reply has no response");
	free(d->model);
	d->model = json_text_string(json_text_get(response, "model"));
	take_usage(&d->usage, json_text_get(response, "usage"));
	take_stop(d, response);
	return d->n ? NULL : take_output(d, json_text_get(response, "output"));
}

static void take_failure(struct draft *d, struct json_text holder)
{
	struct draft_failure *f = &d->failure;

	if (f->status)
		return;
	if (!openai_failed(f, holder, 0) && !openai_error(f, holder, 0)) {
		f->status = 500;
		f->message = xstrdup("the response failed");
	}
}

static struct error *event(struct draft *d, const char *name,
			   struct json_text data)
{
	struct json_text type = json_text_get(data, "type");
	struct json_text response = json_text_get(data, "response");

	(void)name;
	if (json_text_equals(type, "response.output_item.added"))
		return begin_item(d, data);
	if (json_text_equals(type, "response.output_item.done"))
		return end_item(d, data);
	if (json_text_equals(type, "response.completed") ||
	    json_text_equals(type, "response.incomplete"))
		return take_response(d, response);
	if (json_text_equals(type, "response.output_text.delta"))
		take_delta(d, data, false);
	else if (json_text_equals(type,
				  "response.function_call_arguments.delta"))
		take_delta(d, data, true);
	else if (json_text_equals(type, "response.failed"))
		take_failure(d, response);
	else if (json_text_equals(type, "error") ||
		 json_text_is(json_text_get(data, "error"), '{'))
		take_failure(d, data);
	return NULL;
}

static struct error *whole(struct draft *d, struct json_text body)
{
	if (!json_text_is(json_text_get(body, "output"), '['))
		return error_new(ERROR_MALFORMED, "the reply has no output");
	return take_response(d, body);
}

/* ---- from draft to reply ----------------------------------------------- */

/* The item as it came, with the call's final id and arguments. */
static void add_own_item(struct buf *out, const struct draft_block *b,
			 const struct tool_call *call)
{
	struct json_text item = item_of(b), key, value;
	size_t at = 0;

	buf_adds(out, "{\"type\":");
	value = json_text_get(item, "type");
	buf_add(out, value.p ? value.p : "\"\"", value.p ? value.len : 2);
	while (json_text_next(item, &at, &key, &value)) {
		if (json_text_equals(key, "type") ||
		    (call && (json_text_equals(key, "call_id") ||
			      json_text_equals(key, "arguments"))) ||
		    (!b->ended && json_text_equals(key, "status")))
			continue;
		buf_addc(out, ',');
		buf_add(out, key.p, key.len);
		buf_addc(out, ':');
		buf_add(out, value.p, value.len);
	}
	if (call) {
		json_text_member(out, "call_id", call->id);
		json_text_member(out, "arguments", call->arguments);
	}
	buf_addc(out, '}');
}

static void add_message(struct buf *out, const struct buf *pieces)
{
	buf_adds(out, "{\"type\":\"message\",\"role\":\"assistant\","
		      "\"content\":[{\"type\":\"output_text\",\"text\":\"");
	buf_add(out, pieces->data, pieces->len);
	buf_adds(out, "\"}]}");
}

/* Collects what an ended message says, and what it refuses. */
static void gather(struct buf *text, struct buf *refusal,
		   const struct draft_block *b)
{
	struct json_text content = json_text_get(item_of(b), "content"), part;
	size_t at = 0;

	if (!json_text_is(content, '['))
		return;
	while (json_text_next(content, &at, NULL, &part)) {
		draft_append(text, json_text_get(part, "text"));
		draft_append(refusal, json_text_get(part, "refusal"));
	}
}

/* A reply that is being put together. The server refuses reasoning without the
 * item that followed it, so reasoning waits in `pending` for that item. */
struct assembly {
	struct reply *out;
	size_t cap;
	struct buf raw, pending, text, refusal;
};

static void assembly_release(struct assembly *a)
{
	buf_release(&a->raw);
	buf_release(&a->pending);
	buf_release(&a->text);
	buf_release(&a->refusal);
}
DEFINE_RELEASE(assembly, struct assembly, assembly_release)

static void flush_pending(struct assembly *a)
{
	if (a->raw.len > 1)
		buf_addc(&a->raw, ',');
	buf_add(&a->raw, a->pending.data, a->pending.len);
	buf_clear(&a->pending);
}

static void give_message(struct assembly *a, const struct draft_block *b)
{
	size_t before = a->text.len;

	if (b->ended) {
		gather(&a->text, &a->refusal, b);
		flush_pending(a);
		add_own_item(&a->raw, b, NULL);
		return;
	}
	buf_add(&a->text, b->text.data, b->text.len);
	if (a->text.len == before)
		return;
	flush_pending(a);
	add_message(&a->raw, &b->text);
}

static void give_item(struct assembly *a, const struct draft_block *b,
		      bool may_run)
{
	if (b->is_call && !may_run) {
		a->out->dropped_calls++;
		buf_clear(&a->pending);
	} else if (b->is_call) {
		draft_give_call(a->out, &a->cap, b);
		flush_pending(a);
		add_own_item(&a->raw, b, &a->out->calls[a->out->n_calls - 1]);
	} else if (is_type(b, "message")) {
		give_message(a, b);
	} else if (is_type(b, "reasoning")) {
		add_own_item(&a->pending, b, NULL);
		buf_addc(&a->pending, ',');
	} else if (b->ended) {
		flush_pending(a);
		add_own_item(&a->raw, b, NULL);
	}
}

static enum reply_stop stop_of(const struct assembly *a, const struct draft *d)
{
	if (d->stop != REPLY_END)
		return d->stop;
	if (a->out->n_calls)
		return REPLY_TOOLS;
	return a->refusal.len && !a->text.len ? REPLY_REFUSED : REPLY_END;
}

static struct error *finish(struct reply *out, const struct draft *d)
{
	static const char cut[] =
		"{\"role\":\"assistant\",\"content\":\"(cut at the length "
		"limit)\"}";
	CLEANUP(assembly) struct assembly a = {.out = out};

	buf_init(&a.raw, SIZE_MAX / 2);
	buf_init(&a.pending, SIZE_MAX / 2);
	buf_init(&a.text, SIZE_MAX / 2);
	buf_init(&a.refusal, SIZE_MAX / 2);
	if (!d->ended || !d->stop_known)
		return error_new(ERROR_MALFORMED,
				 "the reply ended before its end");
	buf_addc(&a.raw, '[');
	for (size_t i = 0; i < d->n; i++)
		give_item(&a, &d->blocks[i], d->stop == REPLY_END);
	if (d->stop == REPLY_LENGTH)
		buf_addf(&a.raw, "%s%s", a.raw.len > 1 ? "," : "", cut);
	buf_addc(&a.raw, ']');
	out->stop = stop_of(&a, d);
	out->text = draft_text(&a.text);
	if (a.refusal.len)
		out->refusal = draft_text(&a.refusal);
	out->raw = a.raw.len > 2 ? buf_take(&a.raw) : NULL;
	out->protocol = PROTOCOL_RESPONSES;
	return NULL;
}

const struct wire wire_responses = {
	.vendor_url = "https://api.openai.com/v1",
	.parameters = responses_parameters,
	.url = responses_url,
	.headers = openai_headers,
	.request = responses_request,
	.event = event,
	.whole = whole,
	.failed = openai_failed,
	.finish = finish,
};
