/* Anthropic's Messages protocol. A stream of typed events makes the content
 * blocks of a reply; a block is sent back with the bytes it came with. */
#include "agent/provider/wire.h"

#include <ctype.h>

/* ---- the request --------------------------------------------------------- */

static const struct wire_parameter anthropic_parameters[] = {
#define LEAVE_OUT_TEMPERATURE 1u
	{.name = "temperature"},
#define LEAVE_OUT_EFFORT 2u
	{.name = "output_config",
	 .also = {"output_config.effort", "effort"},
	 .is_effort = true},
/* Models before 4.6 think by a budget of tokens. */
#define LEAVE_OUT_ADAPTIVE 4u
	{.name = "thinking", .instead = " in its adaptive form"},
#define LEAVE_OUT_THINKING 8u
	{.name = "thinking"},
#define LEAVE_OUT_CACHE 16u
	{.name = "cache_control"},
#define LEAVE_OUT_TTL 32u
	{.name = "ttl"},
#define LEAVE_OUT_STREAM 64u
	{.name = "stream"},
	{.name = NULL}};

/* Google's Vertex and Amazon's Bedrock serve the same messages at addresses of
 * their own: the model is in the path, and the body names the interface. Bedrock
 * streams in a binary form, so it is asked for whole replies. */
enum site { SITE_OWN, SITE_VERTEX, SITE_BEDROCK };

static bool path_ends(const char *base, const char *end)
{
	size_t len = strcspn(base, "?"), n = strlen(end);

	while (len && base[len - 1] == '/')
		len--;
	return len >= n && memcmp(base + len - n, end, n) == 0;
}

static enum site site_of(const char *base)
{
	if (base && path_ends(base, "/publishers/anthropic/models"))
		return SITE_VERTEX;
	return base && path_ends(base, "/model") ? SITE_BEDROCK : SITE_OWN;
}

bool anthropic_is_bedrock(const char *base_url)
{
	return site_of(base_url) == SITE_BEDROCK;
}

static bool anthropic_streams(const char *base)
{
	return !anthropic_is_bedrock(base);
}

/* A name may hold a colon or a slash, which have a meaning in a path. */
static void add_segment(struct buf *out, const char *name)
{
	for (; *name; name++)
		if (isalnum((unsigned char)*name) || strchr("-._~@", *name))
			buf_addc(out, *name);
		else
			buf_addf(out, "%%%02X", (unsigned char)*name);
}

static void anthropic_url(struct buf *out, const struct wire_request *r)
{
	const char *base = r->base_url;
	enum site site = site_of(base);
	cleanup_buf struct buf path = BUF_INIT(8192);

	if (site == SITE_OWN) {
		buf_addf(&path, "%s/messages",
			 path_ends(base, "/v1") ? "" : "/v1");
	} else {
		buf_addc(&path, '/');
		add_segment(&path, r->model);
		buf_adds(&path, site == SITE_BEDROCK ? "/invoke"
				: r->streaming	     ? ":streamRawPredict"
						     : ":rawPredict");
	}
	wire_add_url(out, base, path.data);
}

static void anthropic_headers(struct strvec *out, const struct api_key *key,
			      const char *base)
{
	enum site site = site_of(base);

	strvec_push(out, "Content-Type: application/json");
	if (site == SITE_OWN)
		strvec_push(out, "anthropic-version: 2023-06-01");
	if (key->aws_id) {
		if (key->aws_token)
			strvec_pushf(out, "x-amz-security-token: %s",
				     key->aws_token);
		return;
	}
	if (key->secret && (key->bearer || site != SITE_OWN))
		strvec_pushf(out, "Authorization: Bearer %s", key->secret);
	else if (key->secret)
		strvec_pushf(out, "x-api-key: %s", key->secret);
}

/* Marks the member before it as the end of a cached part of the prompt. */
static void add_anchor(struct buf *out, const struct wire_request *r,
		       bool is_long)
{
	if (r->left_out & LEAVE_OUT_CACHE)
		return;
	buf_adds(out, ",\"cache_control\":{\"type\":\"ephemeral\"");
	if (is_long && r->long_cache && !(r->left_out & LEAVE_OUT_TTL))
		buf_adds(out, ",\"ttl\":\"1h\"");
	buf_addc(out, '}');
}

static void add_tools(struct buf *out, const struct conversation *c,
		      const struct wire_request *r)
{
	if (!c->n_tools)
		return;
	buf_adds(out, ",\"tools\":[");
	for (size_t i = 0; i < c->n_tools; i++) {
		const struct tool_spec *t = &c->tools[i];

		buf_addf(out, "%s{\"name\":\"%s\"", i ? "," : "", t->name);
		json_text_member(out, "description", t->description);
		buf_addf(out, ",\"input_schema\":");
		buf_adds(out, t->schema);
		if (i + 1 == c->n_tools)
			add_anchor(out, r, true);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static void add_system(struct buf *out, const struct conversation *c,
		       const struct wire_request *r)
{
	if (!*c->system)
		return;
	buf_adds(out, ",\"system\":[{\"type\":\"text\"");
	json_text_member(out, "text", c->system);
	add_anchor(out, r, true);
	buf_adds(out, "}]");
}

/* Builds the message from text and calls: another model wrote the turn. */
static void add_rebuilt(struct buf *out, const struct conversation_turn *t)
{
	buf_addc(out, '[');
	if (*t->text || !t->n_calls) {
		buf_adds(out, "{\"type\":\"text\"");
		json_text_member(out, "text", *t->text ? t->text : "(nothing)");
		buf_addc(out, '}');
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct tool_call *call = &t->calls[i];

		buf_addf(out, "%s{\"type\":\"tool_use\"",
			 i || *t->text ? "," : "");
		json_text_member(out, "id", call->id);
		json_text_member(out, "name", call->name);
		buf_adds(out, ",\"input\":");
		buf_adds(out, call->arguments);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static void add_results(struct buf *out, const struct conversation_turn *t,
			const struct wire_request *r, bool is_anchor)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct tool_call *call = &t->calls[i];

		buf_addf(out, "%s{\"type\":\"tool_result\"", i ? "," : "");
		json_text_member(out, "tool_use_id", call->id);
		json_text_member(out, "content", tool_result_text(call));
		if (tool_result_is_error(call))
			buf_adds(out, ",\"is_error\":true");
		if (is_anchor && i + 1 == t->n_calls)
			add_anchor(out, r, false);
		buf_addc(out, '}');
	}
}

/* Adds one user message from turn *i on: the results of the turn before, then
 * the texts. Moves *i to the next assistant turn. */
static void add_user(struct buf *out, const struct conversation *c, size_t *i,
		     const struct wire_request *r, bool is_anchor)
{
	const struct conversation_turn *before = *i ? &c->turns[*i - 1] : NULL;
	bool any = before && before->n_calls;
	size_t end = *i;

	while (end < c->n_turns && c->turns[end].side == TURN_USER)
		end++;
	buf_adds(out, "{\"role\":\"user\",\"content\":[");
	if (any)
		add_results(out, before, r, is_anchor && end == *i);
	for (; *i < end; ++*i, any = true) {
		const char *text = c->turns[*i].text;

		buf_addf(out, "%s{\"type\":\"text\"", any ? "," : "");
		json_text_member(out, "text", *text ? text : "(nothing)");
		if (is_anchor && *i + 1 == end)
			add_anchor(out, r, false);
		buf_addc(out, '}');
	}
	buf_adds(out, "]}");
}

/* The number of user messages in the conversation. */
static size_t count_users(const struct conversation *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_turns; i++) {
		const struct conversation_turn *t = &c->turns[i];
		bool follows = i && c->turns[i - 1].side == TURN_USER;

		if (t->side == TURN_USER)
			n += !follows && !(i && c->turns[i - 1].n_calls);
		else
			n += t->n_calls > 0;
	}
	return n;
}

static void add_messages(struct buf *out, const struct conversation *c,
			 const struct wire_request *r)
{
	size_t users = count_users(c), seen = 0;

	buf_adds(out, ",\"messages\":[");
	for (size_t i = 0; i < c->n_turns;) {
		const struct conversation_turn *t = &c->turns[i];

		if (t->side == TURN_USER) {
			add_user(out, c, &i, r, ++seen + 2 > users);
		} else {
			bool own = t->raw &&
				   t->protocol == PROTOCOL_ANTHROPIC &&
				   str_eq(t->model, r->model);

			buf_adds(out, "{\"role\":\"assistant\",\"content\":");
			if (own)
				buf_adds(out, t->raw);
			else
				add_rebuilt(out, t);
			buf_addc(out, '}');
			i++;
			if (t->n_calls) {
				buf_addc(out, ',');
				add_user(out, c, &i, r, ++seen + 2 > users);
			}
		}
		buf_adds(out, i < c->n_turns ? "," : "");
	}
	buf_addc(out, ']');
}

/* A budget is below max_tokens, and of 1024 tokens at least. */
static void add_thinking(struct buf *out, const struct wire_request *r)
{
	if (!(r->left_out & LEAVE_OUT_ADAPTIVE))
		buf_adds(out, ",\"thinking\":{\"type\":\"adaptive\"}");
	else if (!(r->left_out & LEAVE_OUT_THINKING) && r->max_tokens > 2048)
		buf_addf(out,
			 ",\"thinking\":{\"type\":\"enabled\","
			 "\"budget_tokens\":%lld}",
			 (long long)r->max_tokens / 2);
}

static void add_beginning(struct buf *out, const struct wire_request *r)
{
	enum site site = site_of(r->base_url);

	if (site == SITE_VERTEX) {
		buf_adds(out, "{\"anthropic_version\":\"vertex-2023-10-16\"");
	} else if (site == SITE_BEDROCK) {
		buf_adds(out, "{\"anthropic_version\":\"bedrock-2023-05-31\"");
	} else {
		buf_adds(out, "{\"model\":");
		json_text_quote(out, r->model, strlen(r->model));
	}
}

static void anthropic_request(struct buf *out, const struct conversation *c,
			      const struct wire_request *r)
{
	bool thinks = r->effort && !str_eq(r->effort, "none");

	add_beginning(out, r);
	buf_addf(out, ",\"max_tokens\":%lld", (long long)r->max_tokens);
	if (r->streaming && !(r->left_out & LEAVE_OUT_STREAM) &&
	    anthropic_streams(r->base_url))
		buf_adds(out, ",\"stream\":true");
	if (r->temperature && !(r->left_out & LEAVE_OUT_TEMPERATURE))
		buf_addf(out, ",\"temperature\":%.6g", *r->temperature);
	if (thinks)
		add_thinking(out, r);
	if (thinks && !(r->left_out & LEAVE_OUT_EFFORT)) {
		buf_adds(out, ",\"output_config\":{\"effort\":");
		json_text_quote(out, r->effort, strlen(r->effort));
		buf_addc(out, '}');
	}
	add_tools(out, c, r);
	add_system(out, c, r);
	add_messages(out, c, r);
	buf_addc(out, '}');
}

/* ---- the answer ---------------------------------------------------------- */

static bool failed(struct draft_failure *out, struct json_text body, int status)
{
	static const struct {
		const char *type;
		int status;
	} known[] = {
		{"invalid_request_error", 400}, {"authentication_error", 401},
		{"billing_error", 402},		{"permission_error", 403},
		{"not_found_error", 404},	{"request_too_large", 413},
		{"rate_limit_error", 429},	{"api_error", 500},
		{"timeout_error", 504},		{"overloaded_error", 529},
	};
	struct json_text error = json_text_get(body, "error");
	struct json_text type = json_text_get(error, "type");

	if (!json_text_is(error, '{'))
		return false;
	out->message = json_text_string(json_text_get(error, "message"));
	if (!out->message)
		out->message = json_text_string(type);
	out->status = status ? status : 500;
	for (size_t i = 0; !status && i < ARRAY_SIZE(known); i++)
		if (json_text_equals(type, known[i].type))
			out->status = known[i].status;
	return true;
}

static void take_count(int64_t *out, struct json_text usage, const char *key,
		       bool *known)
{
	int64_t v;

	if (!json_text_int(json_text_get(usage, key), &v) || v < 0)
		return;
	*out = v;
	*known = true;
}

/* Counts are totals so far, so they replace the earlier ones. */
static void take_usage(struct usage *u, struct json_text usage)
{
	struct json_text kinds = json_text_get(usage, "cache_creation");

	take_count(&u->input, usage, "input_tokens", &u->known);
	take_count(&u->cache_read, usage, "cache_read_input_tokens", &u->known);
	take_count(&u->cache_write, usage, "cache_creation_input_tokens",
		   &u->known);
	take_count(&u->cache_write_long, kinds, "ephemeral_1h_input_tokens",
		   &u->known);
	take_count(&u->output, usage, "output_tokens", &u->known);
}

static void take_stop(struct draft *d, struct json_text holder)
{
	static const struct {
		const char *name;
		enum reply_stop stop;
	} known[] = {
		{"end_turn", REPLY_END},
		{"stop_sequence", REPLY_END},
		{"tool_use", REPLY_TOOLS},
		{"max_tokens", REPLY_LENGTH},
		{"pause_turn", REPLY_PAUSED},
		{"refusal", REPLY_REFUSED},
		{"model_context_window_exceeded", REPLY_CONTEXT_FULL},
	};
	struct json_text reason = json_text_get(holder, "stop_reason");
	struct json_text details = json_text_get(holder, "stop_details");

	if (!json_text_is(reason, '"'))
		return;
	d->stop_known = true;
	d->stop = REPLY_END;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (json_text_equals(reason, known[i].name))
			d->stop = known[i].stop;
	if (d->stop == REPLY_REFUSED && !d->explanation) {
		d->explanation =
			json_text_string(json_text_get(details, "explanation"));
		if (!d->explanation)
			d->explanation = json_text_string(
				json_text_get(details, "category"));
	}
}

static void take_message(struct draft *d, struct json_text message)
{
	free(d->model);
	d->model = json_text_string(json_text_get(message, "model"));
	take_usage(&d->usage, json_text_get(message, "usage"));
}

static struct error *take_block(struct draft *d, int64_t index,
				struct json_text block)
{
	struct draft_block *b;

	if (!json_text_is(block, '{'))
		return error_new(ERROR_MALFORMED,
				 "a content block is not an object");
	TRY(draft_add(&b, d, index));
	buf_add(&b->start, block.p, block.len);
	b->is_call = json_text_equals(json_text_get(block, "type"), "tool_use");
	if (b->is_call) {
		draft_append(&b->id, json_text_get(block, "id"));
		draft_append(&b->name, json_text_get(block, "name"));
	}
	return NULL;
}

static struct error *take_delta(struct draft *d, struct json_text event)
{
	struct json_text delta = json_text_get(event, "delta");
	struct draft_block *b;
	int64_t index = -1;

	json_text_int(json_text_get(event, "index"), &index);
	b = draft_find(d, index);
	if (!b || b->ended)
		return error_new(ERROR_MALFORMED,
				 "a delta belongs to no open block");
	draft_append(&b->text, json_text_get(delta, "text"));
	draft_append(&b->thinking, json_text_get(delta, "thinking"));
	draft_append(&b->signature, json_text_get(delta, "signature"));
	draft_append(&b->arguments, json_text_get(delta, "partial_json"));
	return NULL;
}

static struct error *start_block(struct draft *d, struct json_text event)
{
	int64_t index = -1;

	json_text_int(json_text_get(event, "index"), &index);
	return take_block(d, index, json_text_get(event, "content_block"));
}

static void end_block(struct draft *d, struct json_text event)
{
	struct draft_block *b;
	int64_t index = -1;

	json_text_int(json_text_get(event, "index"), &index);
	b = draft_find(d, index);
	if (b)
		b->ended = true;
}

static struct error *event(struct draft *d, const char *name,
			   struct json_text data)
{
	struct json_text type = json_text_get(data, "type");

	(void)name;
	if (json_text_equals(type, "message_start")) {
		take_message(d, json_text_get(data, "message"));
	} else if (json_text_equals(type, "content_block_start")) {
		return start_block(d, data);
	} else if (json_text_equals(type, "content_block_delta")) {
		return take_delta(d, data);
	} else if (json_text_equals(type, "content_block_stop")) {
		end_block(d, data);
	} else if (json_text_equals(type, "message_delta")) {
		take_stop(d, json_text_get(data, "delta"));
		take_usage(&d->usage, json_text_get(data, "usage"));
	} else if (json_text_equals(type, "message_stop")) {
		d->ended = true;
	} else if (json_text_equals(type, "error") && !d->failure.status) {
		failed(&d->failure, data, 0);
	}
	return NULL;
}

static struct error *whole(struct draft *d, struct json_text body)
{
	struct json_text content = json_text_get(body, "content"), block;
	size_t at = 0;

	if (!json_text_is(content, '['))
		return error_new(ERROR_MALFORMED, "the reply has no content");
	take_message(d, body);
	take_stop(d, body);
	while (json_text_next(content, &at, NULL, &block)) {
		TRY(take_block(d, (int64_t)d->n, block));
		d->blocks[d->n - 1].ended = true;
	}
	d->ended = true;
	return NULL;
}

/* ---- from draft to reply ----------------------------------------------- */

/* What deltas add to a block as it was announced: a string continues, `input`
 * is replaced, a missing member is added. */
struct addition {
	const char *key;
	const struct buf *pieces;
	bool done;
};

static void add_value(struct buf *out, struct json_text value,
		      struct addition *a, const char *input)
{
	struct json_text begun = json_text_inner(value);

	if (a && a->pieces->len) {
		buf_addc(out, '"');
		if (begun.p)
			buf_add(out, begun.p, begun.len);
		buf_add(out, a->pieces->data, a->pieces->len);
		buf_addc(out, '"');
		a->done = true;
	} else if (input) {
		buf_adds(out, input);
	} else {
		buf_add(out, value.p, value.len);
	}
}

static struct addition *addition_of(struct addition *all, size_t n,
				    struct json_text key)
{
	for (size_t i = 0; i < n; i++)
		if (json_text_equals(key, all[i].key))
			return &all[i];
	return NULL;
}

static void add_block(struct buf *out, const struct draft_block *b,
		      const char *input)
{
	struct addition all[] = {{"text", &b->text, false},
				 {"thinking", &b->thinking, false},
				 {"signature", &b->signature, false}};
	struct json_text start = {b->start.data, b->start.len}, key, value;
	size_t at = 0, n = 0;

	buf_addc(out, '{');
	for (; json_text_next(start, &at, &key, &value); n++) {
		buf_adds(out, n ? "," : "");
		buf_add(out, key.p, key.len);
		buf_addc(out, ':');
		add_value(out, value, addition_of(all, ARRAY_SIZE(all), key),
			  json_text_equals(key, "input") ? input : NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!all[i].done && all[i].pieces->len) {
			buf_addf(out, "%s\"%s\":\"", n++ ? "," : "",
				 all[i].key);
			buf_add(out, all[i].pieces->data, all[i].pieces->len);
			buf_addc(out, '"');
		}
	buf_addc(out, '}');
}

/* Collects the text of a block's own member, then of its deltas. */
static void gather(struct buf *out, const struct draft_block *b,
		   const char *key, const struct buf *pieces)
{
	struct json_text start = {b->start.data, b->start.len};

	draft_append(out, json_text_get(start, key));
	buf_add(out, pieces->data, pieces->len);
}

static bool is_type(const struct draft_block *b, const char *type)
{
	struct json_text start = {b->start.data, b->start.len};

	return json_text_equals(json_text_get(start, "type"), type);
}

/* The call's input comes from its deltas, or else from the announced block. */
static void give_call(struct reply *out, size_t *cap,
		      const struct draft_block *b)
{
	struct json_text start = {b->start.data, b->start.len};
	struct json_text input = json_text_get(start, "input");
	struct draft_block whole_block = *b;
	cleanup_buf struct buf text = BUF_INIT(SIZE_MAX / 2);

	buf_add(&text, input.p, input.len);
	if (!b->arguments.len && input.len) {
		whole_block.arguments = text;
		whole_block.arguments_are_json = true;
	}
	draft_give_call(out, cap, &whole_block);
}

/* After a cut the reply must end in text, because its calls are dropped and the
 * server refuses reasoning with nothing after it. */
static void close_cut(struct buf *raw, bool ends_in_text)
{
	if (ends_in_text)
		return;
	buf_adds(raw, raw->len > 1 ? "," : "");
	buf_adds(raw, "{\"type\":\"text\",\"text\":\"(cut at the length "
		      "limit)\"}");
}

static bool may_run(enum reply_stop stop)
{
	return stop == REPLY_TOOLS || stop == REPLY_END;
}

/* Adds the block's text to `text` and the block itself to `raw`. */
static void give_block(struct reply *out, size_t *cap, struct buf *raw,
		       struct buf *text, const struct draft_block *b)
{
	const char *input = NULL;
	size_t before = text->len;

	if (b->is_call) {
		give_call(out, cap, b);
		input = out->calls[out->n_calls - 1].arguments;
	} else if (is_type(b, "text")) {
		gather(text, b, "text", &b->text);
		if (text->len == before)
			return; /* the server would refuse an empty text */
	}
	buf_adds(raw, raw->len > 1 ? "," : "");
	add_block(raw, b, input);
}

static struct error *finish(struct reply *out, const struct draft *d)
{
	cleanup_buf struct buf raw = BUF_INIT(SIZE_MAX / 2);
	cleanup_buf struct buf text = BUF_INIT(SIZE_MAX / 2);
	size_t cap = 0;
	bool ends_in_text = false;

	if (!d->ended || !d->stop_known)
		return error_new(ERROR_MALFORMED,
				 "the reply ended before its end");
	buf_addc(&raw, '[');
	for (size_t i = 0; i < d->n; i++) {
		const struct draft_block *b = &d->blocks[i];

		if (b->is_call && !may_run(d->stop)) {
			out->dropped_calls++;
			continue;
		}
		give_block(out, &cap, &raw, &text, b);
		ends_in_text = is_type(b, "text");
	}
	if (d->stop == REPLY_LENGTH)
		close_cut(&raw, ends_in_text);
	buf_addc(&raw, ']');
	out->stop = may_run(d->stop) ? (out->n_calls ? REPLY_TOOLS : REPLY_END)
				     : d->stop;
	out->text = draft_text(&text);
	out->raw = raw.len > 2 ? buf_take(&raw) : NULL;
	out->protocol = PROTOCOL_ANTHROPIC;
	return NULL;
}

const struct wire wire_anthropic = {
	.vendor_url = "https://api.anthropic.com",
	.parameters = anthropic_parameters,
	.url = anthropic_url,
	.streams = anthropic_streams,
	.headers = anthropic_headers,
	.request = anthropic_request,
	.event = event,
	.whole = whole,
	.failed = failed,
	.finish = finish,
};
