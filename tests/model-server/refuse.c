#include "tests/model-server/refuse.h"

static const char *string_of(const struct json *v, const char *key)
{
	const char *s = "";

	json_get_string(v, key, &s);
	return s;
}

static bool is(const struct json *v, const char *key, const char *value)
{
	return str_eq(string_of(v, key), value);
}

/* Has the array, from element i on, an object with these two members? */
static bool has(const struct json *array, size_t i, const char *key,
		const char *value, const char *key2, const char *value2)
{
	for (; i < json_len(array); i++)
		if (is(json_at(array, i), key, value) &&
		    is(json_at(array, i), key2, value2))
			return true;
	return false;
}

/* ---- Anthropic --------------------------------------------------------- */

/* The blocks of message i that are calls have results in the next message. */
static char *refuse_anthropic(const struct json *request)
{
	const struct json *all = json_get(request, "messages");

	for (size_t i = 0; i < json_len(all); i++) {
		const struct json *blocks =
					  json_get(json_at(all, i), "content"),
				  *next = json_get(json_at(all, i + 1),
						   "content");

		for (size_t j = 0; j < json_len(blocks); j++) {
			const char *id = string_of(json_at(blocks, j), "id");

			if (is(json_at(blocks, j), "type", "tool_use") &&
			    !has(next, 0, "type", "tool_result", "tool_use_id",
				 id))
				return xasprintf(
					"messages.%zu: `tool_use` ids were "
					"found without `tool_result` blocks "
					"immediately after: %s",
					i, id);
		}
	}
	return NULL;
}

/* ---- Chat Completions, and Gemini's form of it --------------------------- */

static char *refuse_calls(const struct json *all, size_t i, bool gemini)
{
	const struct json *calls = json_get(json_at(all, i), "tool_calls");

	for (size_t j = 0; j < json_len(calls); j++) {
		const struct json *call = json_at(calls, j),
				  *extra = json_get(call, "extra_content");

		if (!has(all, i + 1, "role", "tool", "tool_call_id",
			 string_of(call, "id")))
			return xasprintf(
				"An assistant message with 'tool_calls' must "
				"be followed by tool messages responding to "
				"each 'tool_call_id'. The following "
				"tool_call_ids did not have response messages: "
				"%s",
				string_of(call, "id"));
		/* Of calls made together the first one is signed. */
		if (gemini && !j &&
		    !*string_of(json_get(extra, "google"), "thought_signature"))
			return xasprintf(
				"Function call is missing a thought_signature "
				"in functionCall parts. This is required for "
				"tools to work correctly, and missing "
				"thought_signature may lead to degraded model "
				"performance.");
	}
	return NULL;
}

static char *refuse_chat(const struct json *request, bool gemini)
{
	const struct json *all = json_get(request, "messages");
	char *why = NULL;

	for (size_t i = 0; i < json_len(all) && !why; i++)
		why = refuse_calls(all, i, gemini);
	return why;
}

/* ---- Gemini's own -------------------------------------------------------- */

static size_t count_of(const struct json *content, const char *member)
{
	const struct json *parts = json_get(content, "parts");
	size_t n = 0;

	for (size_t i = 0; i < json_len(parts); i++)
		n += json_get(json_at(parts, i), member) != NULL;
	return n;
}

static char *refuse_google(const struct json *request)
{
	const struct json *all = json_get(request, "contents");

	for (size_t i = 0; i < json_len(all); i++) {
		const struct json *content = json_at(all, i);
		size_t calls = count_of(content, "functionCall");

		if (calls && !count_of(content, "thoughtSignature"))
			return xasprintf(
				"Function call is missing a thought_signature "
				"in functionCall parts. This is required for "
				"tools to work correctly, and missing "
				"thought_signature may lead to degraded model "
				"performance.");
		if (calls != count_of(json_at(all, i + 1), "functionResponse"))
			return xasprintf(
				"Please ensure that the number of function "
				"response parts is equal to the number of "
				"function call parts of the function call "
				"turn.");
	}
	return NULL;
}

/* ---- Responses --------------------------------------------------------- */

static char *refuse_reasoning(const struct json *all, size_t i)
{
	const struct json *item = json_at(all, i), *next = json_at(all, i + 1);

	if (!*string_of(item, "encrypted_content"))
		return xasprintf("Item with id '%s' not found. Items are not "
				 "persisted when `store` is set to false. Try "
				 "again with `store` set to true, or remove "
				 "this item from your input.",
				 string_of(item, "id"));
	if (is(next, "type", "function_call") || is(next, "type", "message") ||
	    is(next, "type", "reasoning"))
		return NULL;
	return xasprintf("Item '%s' of type 'reasoning' was provided without "
			 "its required following item.",
			 string_of(item, "id"));
}

static char *refuse_item(const struct json *all, size_t i)
{
	const struct json *item = json_at(all, i);
	const char *id = string_of(item, "call_id");

	if (is(item, "type", "reasoning"))
		return refuse_reasoning(all, i);
	if (is(item, "type", "function_call") &&
	    !has(all, i + 1, "type", "function_call_output", "call_id", id))
		return xasprintf("No tool output found for function call %s.",
				 id);
	if (is(item, "type", "function_call_output") &&
	    !has(all, 0, "type", "function_call", "call_id", id))
		return xasprintf("No tool call found for function call output "
				 "with call_id %s.",
				 id);
	return NULL;
}

static char *refuse_responses(const struct json *request)
{
	const struct json *all = json_get(request, "input");
	char *why = NULL;

	if (json_get(request, "messages"))
		return xasprintf("Unsupported parameter: 'messages'. In the "
				 "Responses API, this parameter has moved to "
				 "'input'.");
	for (size_t i = 0; i < json_len(all) && !why; i++)
		why = refuse_item(all, i);
	return why;
}

/* Of Vertex and Bedrock, which name the model in the path. */
static char *refuse_platform(const char *path, const struct json *request)
{
	bool bedrock = ends_with(path, "/invoke");

	if (json_get(request, "model"))
		return xasprintf("model: Extra inputs are not permitted");
	if (bedrock && json_get(request, "stream"))
		return xasprintf("stream: Extra inputs are not permitted");
	if (!is(request, "anthropic_version",
		bedrock ? "bedrock-2023-05-31" : "vertex-2023-10-16"))
		return xasprintf("anthropic_version: Field required");
	return NULL;
}

char *refuse(enum dialect dialect, const char *path, const struct json *request)
{
	char *why = NULL;

	switch (dialect) {
	case DIALECT_ANTHROPIC:
		if (!ends_with(path, "/messages"))
			why = refuse_platform(path, request);
		return why ? why : refuse_anthropic(request);
	case DIALECT_RESPONSES:
		return refuse_responses(request);
	case DIALECT_GOOGLE:
		return refuse_google(request);
	case DIALECT_OPENAI:
	case DIALECT_GEMINI:
		break;
	}
	return refuse_chat(request, dialect == DIALECT_GEMINI);
}
