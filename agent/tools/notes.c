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

/* Takes the newest notes that exist: an attempt may have none. */
void notes_restore(struct notes *n, const struct population *p)
{
	for (size_t i = p->n; i-- > 0;) {
		const char *state = p->attempt[i].operator_state, *text;
		cleanup_json struct json *j = NULL;
		cleanup_error struct error *err = NULL;

		if (!state)
			continue;
		err = json_parse(&j, state, strlen(state));
		if (err || !json_get_string(j, "notes", &text))
			continue;
		buf_clear(&n->text);
		buf_adds(&n->text, text);
		n->text.truncated = false;
		return;
	}
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
	if (b->notes->text.len)
		buf_adds(&out->text, b->notes->text.data);
	else
		buf_adds(&out->text, "(nothing yet)");
	buf_addc(&out->text, '\n');
	return NULL;
}

TOOL_FUNCTION(tool_knowledge_search)
{
	const char *query = tool_string(arguments, "query");
	int64_t count = tool_int(arguments, "count", 5, 1, 20);
	struct error *err;

	if (!b->knowledge) {
		tool_fail(out, "there is no knowledge base here");
		return NULL;
	}
	err = b->knowledge->search(b->knowledge, &out->text, b->v->population,
				   query, (size_t)count);
	if (!err && !out->text.len)
		buf_adds(&out->text, "nothing is known of that: try other "
				     "words\n");
	return tool_mend(out, err);
}
