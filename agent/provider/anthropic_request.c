/* Requests to Anthropic's Messages. */
#include "agent/provider/anthropic.h"

const char *const anthropic_parameters[] = {
#define LEAVE_OUT_TEMPERATURE 1u
	"temperature",
#define LEAVE_OUT_EFFORT 2u
	"output_config",
#define LEAVE_OUT_THINKING 4u
	"thinking",
#define LEAVE_OUT_CACHE 8u
	"cache_control",
#define LEAVE_OUT_TTL 16u
	"ttl",		 NULL};

void anthropic_url(struct buf *out, const char *base)
{
	buf_addf(out, "%s%s/messages", base,
		 ends_with(base, "/v1") ? "" : "/v1");
}

void anthropic_headers(struct strvec *out, const struct api_key *key)
{
	strvec_push(out, "Content-Type: application/json");
	strvec_push(out, "anthropic-version: 2023-06-01");
	if (key->secret && key->bearer)
		strvec_pushf(out, "Authorization: Bearer %s", key->secret);
	else if (key->secret)
		strvec_pushf(out, "x-api-key: %s", key->secret);
}

/* An anchor of the prompt cache behind the member before it. */
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

/* From text and calls: for a turn that another model wrote. */
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

/* The user's side from turn *i on: the results of the turn before, then what
 * was said. Leaves *i at the next turn of the assistant. */
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

/* Messages of the user's side from turn i on. */
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

void anthropic_request(struct buf *out, const struct conversation *c,
		       const struct wire_request *r)
{
	buf_adds(out, "{\"model\":");
	json_text_quote(out, r->model, strlen(r->model));
	buf_addf(out, ",\"max_tokens\":%lld", (long long)r->max_tokens);
	if (r->streaming)
		buf_adds(out, ",\"stream\":true");
	if (r->temperature && !(r->left_out & LEAVE_OUT_TEMPERATURE))
		buf_addf(out, ",\"temperature\":%.6g", *r->temperature);
	if (r->effort && !(r->left_out & LEAVE_OUT_THINKING))
		buf_adds(out, ",\"thinking\":{\"type\":\"adaptive\"}");
	if (r->effort && !(r->left_out & LEAVE_OUT_EFFORT)) {
		buf_adds(out, ",\"output_config\":{\"effort\":");
		json_text_quote(out, r->effort, strlen(r->effort));
		buf_addc(out, '}');
	}
	add_tools(out, c, r);
	add_system(out, c, r);
	add_messages(out, c, r);
	buf_addc(out, '}');
}
