/* What a client can offer its user besides tools: a prompt that starts the
 * work, and the run's log and best kernel as resources. */
#include "agent/mcp/internal.h"

#define PROMPT "evolve"

static const char start_of_work[] =
	"Make the kernel of this repository's task faster and keep it right, "
	"with the tools of the MCP server `avogit`.\n"
	"1. `workspace`: read the task, the reference, what may be changed and "
	"which folder holds your files.\n"
	"2. `lineage` and `knowledge`: what was tried, and what is known of "
	"the hardware. Work out what bounds the kernel and how far it is from "
	"that.\n"
	"3. Form one hypothesis: what to change, why it should help, by how "
	"much.\n"
	"4. Change the sources, `build`, then `score` with the change as "
	"subject and the reason as hypothesis. Only what is scored counts.\n"
	"5. Read the report: wrong, slower, undecided or kept, in which case, "
	"and why. `profile` where time goes.\n"
	"6. `notes`: what was learnt, what is ruled out, what comes next. Then "
	"the next hypothesis, until you have no better idea.\n";

struct json *mcp_prompt_list(void)
{
	struct json *r = json_object(), *list = json_array(),
		    *p = json_object(), *arguments = json_array(),
		    *focus = json_object();

	json_set_string(p, "name", PROMPT);
	json_set_string(p, "title", "Evolve the kernel");
	json_set_string(p, "description",
			"Starts the work: look, form a hypothesis, change, "
			"score, read, note, again.");
	json_set_string(focus, "name", "focus");
	json_set_string(focus, "description", "what to try first");
	json_set_bool(focus, "required", false);
	json_push(arguments, focus);
	json_set(p, "arguments", arguments);
	json_push(list, p);
	json_set(r, "prompts", list);
	return r;
}

static struct json *user_message(const char *text)
{
	struct json *m = json_object(), *content = json_object();

	json_set_string(content, "type", "text");
	json_set_string(content, "text", text);
	json_set_string(m, "role", "user");
	json_set(m, "content", content);
	return m;
}

bool mcp_prompt_get(struct json **result, const struct json *params)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	const char *name = "", *focus = "";
	struct json *messages;

	json_get_string(params, "name", &name);
	json_get_string(json_get(params, "arguments"), "focus", &focus);
	if (!str_eq(name, PROMPT))
		return false;
	buf_adds(&text, start_of_work);
	if (*focus)
		buf_addf(&text, "Try first: %s\n", focus);
	messages = json_array();
	json_push(messages, user_message(text.data));
	*result = json_object();
	json_set_string(*result, "description", "Evolve the kernel");
	json_set(*result, "messages", messages);
	return true;
}

/* Each is what a tool says. */
static const struct offer {
	const char *uri, *name, *title, *description, *tool, *arguments;
} resources[] = {
	{"avogit://log", "log", "The attempts of the run",
	 "Every attempt, newest first: outcome, speed, what was tried",
	 "lineage", "{\"count\":500}"},
	{"avogit://best", "best", "The champion of the run",
	 "Its figures, its hypothesis, and what it changed", "show",
	 "{\"attempt\":\"best\"}"},
};

struct json *mcp_resource_list(void)
{
	struct json *r = json_object(), *list = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		const struct offer *o = &resources[i];
		struct json *j = json_object();

		json_set_string(j, "uri", o->uri);
		json_set_string(j, "name", o->name);
		json_set_string(j, "title", o->title);
		json_set_string(j, "description", o->description);
		json_set_string(j, "mimeType", "text/plain");
		json_push(list, j);
	}
	json_set(r, "resources", list);
	return r;
}

bool mcp_resource_read(struct mcp_server *s, size_t client,
		       const struct json *id, const struct json *params,
		       bool modern)
{
	const char *uri = "";

	json_get_string(params, "uri", &uri);
	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		const struct offer *o = &resources[i];
		struct json *arguments = NULL;

		if (!str_eq(o->uri, uri))
			continue;
		error_free(json_parse(&arguments, o->arguments,
				      strlen(o->arguments)));
		mcp_read_by_tool(s, client, id, o->uri, o->tool, arguments,
				 modern);
		return true;
	}
	return false;
}
