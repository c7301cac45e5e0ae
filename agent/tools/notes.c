/* An agent's notes, and its access to the knowledge base. */
#include "agent/tools/internal.h"

void notes_init(struct notes *n)
{
	buf_init(&n->text, TOOL_NOTES_MAX);
}

void notes_release(struct notes *n)
{
	buf_release(&n->text);
}

/* False if the state has no notes. */
static bool take_notes(struct notes *n, const char *state)
{
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = NULL;
	const char *text;

	if (!state)
		return false;
	err = json_parse(&j, state, strlen(state));
	if (err || !json_get_string(j, "notes", &text))
		return false;
	buf_clear(&n->text);
	buf_adds(&n->text, text);
	n->text.truncated = false;
	return true;
}

/* Takes the newest notes that exist: an attempt may have none, and notes may be
 * newer than the newest attempt. */
void notes_restore(struct notes *n, const struct population *p)
{
	for (size_t i = p->n + 1; i-- > 0;) {
		if (i == p->state_attempts && take_notes(n, p->operator_state))
			return;
		if (i > 0 && take_notes(n, p->attempt[i - 1].operator_state))
			return;
	}
}

/* Into the journal, before anything can be lost. */
static struct error *keep(struct toolbox *b)
{
	cleanup_free char *state = toolbox_state(b, true);

	if (!b->v->keep_state)
		return NULL;
	return b->v->keep_state(b->v, state ? state : "{}");
}

static bool changes(const struct json *arguments)
{
	const char *text;

	return json_get_string(arguments, "replace", &text) ||
	       json_get_string(arguments, "add", &text);
}

static bool fits(struct tool_reply *out, size_t len)
{
	if (len < TOOL_NOTES_MAX)
		return true;
	tool_fail(out,
		  "notes are at most %zu KiB and this would make it more: "
		  "replace them by what still matters",
		  TOOL_NOTES_MAX >> 10);
	return false;
}

TOOL_FUNCTION(tool_notes)
{
	const char *text;

	if (!b->notes) {
		tool_fail(out, "no notes are kept here");
		return NULL;
	}
	if (json_get_string(arguments, "replace", &text)) {
		if (!fits(out, strlen(text)))
			return NULL;
		buf_clear(&b->notes->text);
		buf_adds(&b->notes->text, text);
	}
	if (json_get_string(arguments, "add", &text)) {
		if (!fits(out, b->notes->text.len + strlen(text) + 1))
			return NULL;
		if (b->notes->text.len)
			buf_addc(&b->notes->text, '\n');
		buf_adds(&b->notes->text, text);
	}
	if (changes(arguments))
		TRY(keep(b));
	if (b->notes->text.len)
		buf_adds(&out->text, b->notes->text.data);
	else
		buf_adds(&out->text, "(nothing yet)");
	buf_addc(&out->text, '\n');
	return NULL;
}

static struct error *open_document(struct tool_reply *out, struct toolbox *b,
				   const char *name)
{
	struct error *err = b->knowledge->open(b->knowledge, &out->text,
					       b->v->population, name);

	if (!error_is(err, ERROR_NOT_FOUND))
		return err;
	tool_fail(out, "the knowledge base has no '%.100s'; it has:\n", name);
	error_free(err);
	return b->knowledge->open(b->knowledge, &out->text, b->v->population,
				  "");
}

TOOL_FUNCTION(tool_knowledge_search)
{
	const char *query = tool_string(arguments, "query"), *name;
	int64_t count = tool_int(arguments, "count", 5, 1, 20);
	struct error *err;

	if (!b->knowledge) {
		tool_fail(out, "there is no knowledge base here");
		return NULL;
	}
	if (json_get_string(arguments, "open", &name))
		return tool_mend(out, open_document(out, b, name));
	if (!*query) {
		tool_fail(out, "knowledge needs `query`, or `open` (\"\" names "
			       "the documents)");
		return NULL;
	}
	err = b->knowledge->search(b->knowledge, &out->text, b->v->population,
				   query, (size_t)count);
	if (!err && !out->text.len)
		buf_adds(&out->text, "nothing is known of that: try other "
				     "words\n");
	return tool_mend(out, err);
}
