#include "agent/provider/conversation.h"
#include "core/base/json_text.h"
#include "core/base/utf8.h"

/* Bytes of an argument that is cleared with its call's result. */
#define LONG_ARGUMENT 400

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

/* Puts text in the place of the first `old`; false if it is not there. */
static bool replace(char **in, const char *old, const char *text)
{
	char *at = strstr(*in, old), *whole;

	if (!at)
		return false;
	whole = xasprintf("%.*s%s%s", (int)(at - *in), *in, text,
			  at + strlen(old));
	free(*in);
	*in = whole;
	return true;
}

/* The same in the provider's own bytes of the turn: arguments are an object
 * there, or a string that holds one. */
static bool replace_in_raw(struct conversation_turn *t, const char *old,
			   const char *text)
{
	cleanup_buf struct buf quoted_old = BUF_INIT(SIZE_MAX / 2);
	cleanup_buf struct buf quoted = BUF_INIT(SIZE_MAX / 2);

	if (!t->raw)
		return true;
	if (replace(&t->raw, old, text))
		return true;
	json_text_quote(&quoted_old, old, strlen(old));
	json_text_quote(&quoted, text, strlen(text));
	return replace(&t->raw, quoted_old.data, quoted.data);
}

/* The arguments with a short text for each long one; NULL: none is long. */
static char *shorter_arguments(const struct tool_call *call)
{
	cleanup_json struct json *j = NULL, *out = json_object();
	cleanup_error struct error *err =
		json_parse(&j, call->arguments, strlen(call->arguments));
	bool any = false;

	for (size_t i = 0; !err && i < json_len(j); i++) {
		const struct json *member = json_at(j, i);
		const char *text = json_string(member);
		bool is_long = text && strlen(text) > LONG_ARGUMENT;
		cleanup_free char *words =
			is_long ? xasprintf("[old text: %zu lines, %zu bytes]",
					    count_lines(text), strlen(text))
				: NULL;

		if (is_long)
			json_set_string(out, json_key(member), words);
		else
			json_set(out, json_key(member), json_dup(member));
		any |= is_long;
	}
	return any ? json_print(out) : NULL;
}

/* What a model wrote is in the file, or was replaced there. */
static size_t clear_arguments(struct conversation_turn *t,
			      struct tool_call *call)
{
	cleanup_free char *shorter = NULL;
	size_t before = strlen(call->arguments);

	if (before <= LONG_ARGUMENT)
		return 0;
	shorter = shorter_arguments(call);
	if (!shorter || strlen(shorter) >= before ||
	    !replace_in_raw(t, call->arguments, shorter))
		return 0;
	free(call->arguments);
	call->arguments = steal(&shorter);
	return before - strlen(call->arguments);
}

static size_t clear_call(struct conversation_turn *t, struct tool_call *call)
{
	size_t saved = clear_arguments(t, call);

	return call->result.cleared ? saved : saved + clear_result(call);
}

static size_t count_answered(const struct conversation *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_turns; i++)
		for (size_t j = 0; j < c->turns[i].n_calls; j++)
			n += c->turns[i].calls[j].result.text != NULL;
	return n;
}

size_t conversation_clear(struct conversation *c, size_t keep, size_t enough)
{
	size_t n = count_answered(c), saved = 0;

	for (size_t i = 0; i < c->n_turns; i++)
		for (size_t j = 0; j < c->turns[i].n_calls; j++) {
			struct conversation_turn *t = &c->turns[i];

			if (!t->calls[j].result.text)
				continue;
			if (n <= keep || saved >= enough)
				return saved;
			n--;
			saved += clear_call(t, &t->calls[j]);
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
