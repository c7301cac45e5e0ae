#include "agent/provider/conversation.h"
#include "core/base/json_text.h"
#include "core/base/utf8.h"

void conversation_init(struct conversation *c, const char *system)
{
	*c = (struct conversation){.system = xstrdup(system)};
}

static void turn_release(struct conversation_turn *t)
{
	free(t->text);
	free(t->raw);
	free(t->model);
	for (size_t i = 0; i < t->n_calls; i++)
		tool_call_release(&t->calls[i]);
	free(t->calls);
}

void conversation_release(struct conversation *c)
{
	free(c->system);
	for (size_t i = 0; i < c->n_tools; i++) {
		free(c->tools[i].name);
		free(c->tools[i].description);
		free(c->tools[i].schema);
	}
	free(c->tools);
	for (size_t i = 0; i < c->n_turns; i++)
		turn_release(&c->turns[i]);
	free(c->turns);
	*c = (struct conversation){0};
}

static bool is_tool_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-";
	size_t n = strspn(name, letters);

	return n && n <= 64 && !name[n];
}

struct error *conversation_add_tool(struct conversation *c, const char *name,
				    const char *description, const char *schema)
{
	struct json_text checked;

	if (!is_tool_name(name))
		return error_new(ERROR_INTERNAL,
				 "'%s' is not the name of a tool", name);
	TRY(error_wrap(json_text_check(&checked, schema, strlen(schema)),
		       "the schema of %s", name));
	if (!json_text_is(checked, '{'))
		return error_new(ERROR_INTERNAL,
				 "the schema of %s is not an object", name);
	GROW(c->tools, c->n_tools, c->tools_cap);
	c->tools[c->n_tools++] = (struct tool_spec){
		.name = xstrdup(name),
		.description = xstrdup(description),
		.schema = xstrndup(checked.p, checked.len),
	};
	return NULL;
}

static char *clean(const char *text, size_t len)
{
	cleanup_buf struct buf out = BUF_INIT(SIZE_MAX / 2);

	utf8_add_clean(&out, text, len);
	/* Shrinks it, because it stays for the whole conversation. */
	len = out.len;
	return xrealloc(buf_take(&out), len + 1, 1);
}

static struct conversation_turn *add_turn(struct conversation *c,
					  enum turn_side side)
{
	GROW(c->turns, c->n_turns, c->turns_cap);
	c->turns[c->n_turns] = (struct conversation_turn){.side = side};
	return &c->turns[c->n_turns++];
}

void conversation_say(struct conversation *c, const char *text)
{
	struct conversation_turn *t = add_turn(c, TURN_USER);

	t->text = clean(text, strlen(text));
}

bool conversation_take(struct conversation *c, struct reply *r)
{
	struct conversation_turn *t;

	if (r->stop == REPLY_REFUSED || r->stop == REPLY_FILTERED ||
	    r->stop == REPLY_CONTEXT_FULL || r->stop == REPLY_REJECTED)
		return false;
	t = add_turn(c, TURN_ASSISTANT);
	t->text = steal(&r->text);
	t->raw = steal(&r->raw);
	t->model = xstrdup(r->model);
	t->protocol = r->protocol;
	t->calls = steal(&r->calls);
	t->n_calls = r->n_calls;
	r->n_calls = 0;
	return true;
}

static struct conversation_turn *last_turn(const struct conversation *c)
{
	if (!c->n_turns || c->turns[c->n_turns - 1].side != TURN_ASSISTANT)
		return NULL;
	return &c->turns[c->n_turns - 1];
}

void conversation_answer(struct conversation *c, size_t i, const char *text,
			 size_t len, bool is_error, const char *file)
{
	struct conversation_turn *t = last_turn(c);
	struct tool_call *call;

	if (!t || i >= t->n_calls)
		abort(); /* the caller broke the contract */
	call = &t->calls[i];
	free(call->result.text);
	free(call->result.file);
	call->result.text = clean(text, len);
	call->result.file = xstrdup_null(file);
	call->result.is_error = is_error;
	call->result.cleared = false;
}

const char *tool_result_text(const struct tool_call *call)
{
	if (!call->result.text)
		return "This call was not run: the step ended before it.";
	/* Some servers refuse an empty result. */
	return *call->result.text ? call->result.text : "(no output)";
}

bool tool_result_is_error(const struct tool_call *call)
{
	return !call->result.text || call->result.is_error;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (const char *p = text; *p; p++)
		n += *p == '\n' || !p[1];
	return n;
}

static size_t clear_result(struct tool_call *call)
{
	size_t before = strlen(call->result.text), after;
	char *shorter = xasprintf("[old output: %zu lines, %zu bytes%s%s]",
				  count_lines(call->result.text), before,
				  call->result.file ? ", all of it in " : "",
				  call->result.file ? call->result.file : "");

	after = strlen(shorter);
	if (after >= before) {
		free(shorter);
		return 0;
	}
	free(call->result.text);
	call->result.text = shorter;
	call->result.cleared = true;
	return before - after;
}

size_t conversation_clear_results(struct conversation *c, size_t keep)
{
	size_t saved = 0;

	for (size_t i = c->n_turns; i-- > 0;)
		for (size_t j = c->turns[i].n_calls; j-- > 0;) {
			struct tool_call *call = &c->turns[i].calls[j];

			if (!call->result.text || call->result.cleared)
				continue;
			if (keep)
				keep--;
			else
				saved += clear_result(call);
		}
	return saved;
}

static size_t call_size(const struct tool_call *call, bool with_arguments)
{
	size_t n = strlen(tool_result_text(call));

	return with_arguments ? n + strlen(call->name) + strlen(call->arguments)
			      : n;
}

size_t conversation_size(const struct conversation *c)
{
	size_t n = strlen(c->system);

	for (size_t i = 0; i < c->n_tools; i++)
		n += strlen(c->tools[i].name) + strlen(c->tools[i].schema) +
		     strlen(c->tools[i].description);
	for (size_t i = 0; i < c->n_turns; i++) {
		const struct conversation_turn *t = &c->turns[i];

		n += strlen(t->raw ? t->raw : t->text);
		for (size_t j = 0; j < t->n_calls; j++)
			n += call_size(&t->calls[j], !t->raw);
	}
	return n;
}
