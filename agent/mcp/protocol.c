/* Handles one line of a client, in either era of the protocol. */
#include "agent/mcp/internal.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_SERVER  "io.modelcontextprotocol/serverInfo"
#define LIST_TTL_MS  3600000

/* Newest first. */
static const char *const versions[] = {MCP_MODERN, MCP_LATEST_LEGACY,
				       "2025-06-18", "2025-03-26",
				       "2024-11-05"};

static const char instructions[] =
	"avogit evolves a kernel in a git repository. Call `workspace` first: "
	"it says what the task is and which folder holds your files. Look at "
	"`lineage`, form one hypothesis, change the sources there (with your "
	"own tools, or `edit` and `write`), `build`, then `score` with what "
	"you changed and why it should be faster. Every score is a commit "
	"with its figures; what is kept is what the next one is compared "
	"with. A call that takes long answers with a handle: ask `result` for "
	"it.";

/* ---- sending ------------------------------------------------------------- */

void mcp_send(struct mcp_server *s, size_t client, const struct json *message)
{
	cleanup_free char *line = json_print(message);

	if (s->connected[client])
		channel_put(&s->client[client], line);
}

static void send_answer(struct mcp_server *s, size_t client,
			const struct json *id, const struct json *answer)
{
	if (!mcp_batch_take(s, client, id, answer))
		mcp_send(s, client, answer);
}

static struct json *response(const struct json *id)
{
	struct json *j = json_object();

	json_set_string(j, "jsonrpc", "2.0");
	if (id)
		json_set(j, "id", json_dup(id));
	return j;
}

void mcp_send_result(struct mcp_server *s, size_t client, const struct json *id,
		     struct json *result, bool modern)
{
	cleanup_json struct json *j = response(id);

	if (modern)
		json_set_string(result, "resultType", "complete");
	json_set(j, "result", result);
	send_answer(s, client, id, j);
}

/* Takes the data. The id is null in JSON if the request's id was unreadable. */
void mcp_send_error(struct mcp_server *s, size_t client, const struct json *id,
		    int code, const char *message, struct json *data)
{
	cleanup_json struct json *j = response(id);
	struct json *e = json_object();

	if (!id)
		json_set_null(j, "id");
	json_set_int(e, "code", code);
	json_set_string(e, "message", message);
	if (data)
		json_set(e, "data", data);
	json_set(j, "error", e);
	send_answer(s, client, id, j);
}

void mcp_line_too_long(struct mcp_server *s, size_t client)
{
	mcp_send_error(s, client, NULL, RPC_PARSE, "a message is at most 8 MiB",
		       NULL);
}

/* ---- methods ------------------------------------------------------------- */

static struct json *server_info(void)
{
	struct json *info = json_object();

	json_set_string(info, "name", "avogit");
	json_set_string(info, "version", AVOGIT_VERSION);
	return info;
}

static struct json *capabilities(void)
{
	struct json *c = json_object();

	json_set(c, "tools", json_object());
	json_set(c, "prompts", json_object());
	json_set(c, "resources", json_object());
	return c;
}

static bool is_known(const char *version, size_t from)
{
	for (size_t i = from; i < ARRAY_SIZE(versions); i++)
		if (str_eq(versions[i], version))
			return true;
	return false;
}

static struct json *known_versions(void)
{
	struct json *list = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		json_push_string(list, versions[i]);
	return list;
}

/* An unknown version gets our latest: after an error the client would leave. */
static struct json *initialize(const struct json *params)
{
	struct json *r = json_object();
	const char *asked = "";

	json_get_string(params, "protocolVersion", &asked);
	json_set_string(r, "protocolVersion",
			is_known(asked, 1) ? asked : MCP_LATEST_LEGACY);
	json_set(r, "capabilities", capabilities());
	json_set(r, "serverInfo", server_info());
	json_set_string(r, "instructions", instructions);
	return r;
}

static void allow_caching(struct json *result)
{
	json_set_int(result, "ttlMs", LIST_TTL_MS);
	json_set_string(result, "cacheScope", "private");
}

static struct json *discover(void)
{
	struct json *r = json_object(), *meta = json_object();

	json_set(meta, META_SERVER, server_info());
	json_set(r, "supportedVersions", known_versions());
	json_set(r, "capabilities", capabilities());
	json_set_string(r, "instructions", instructions);
	json_set(r, "_meta", meta);
	allow_caching(r);
	return r;
}

static struct json *list_tools(struct mcp_server *s)
{
	struct json *r = json_object();

	json_set(r, "tools", mcp_tool_list(s));
	return r;
}

static struct json *list_templates(void)
{
	struct json *r = json_object();

	json_set(r, "resourceTemplates", json_array());
	return r;
}

/* What never changes while the server runs; NULL: it is not that. */
static struct json *constant(struct mcp_server *s, const char *method,
			     bool modern)
{
	struct json *r =
		str_eq(method, "tools/list")	   ? list_tools(s)
		: str_eq(method, "prompts/list")   ? mcp_prompt_list()
		: str_eq(method, "resources/list") ? mcp_resource_list()
		: str_eq(method, "resources/templates/list") ? list_templates()
							     : NULL;

	if (r && modern)
		allow_caching(r);
	return r;
}

/* ---- messages ------------------------------------------------------------ */

static void notification(struct mcp_server *s, size_t client,
			 const char *method, const struct json *params)
{
	const struct json *id = json_get(params, "requestId");

	if (str_eq(method, "notifications/cancelled") && id)
		mcp_cancel(s, client, id);
}

/* Sends an error and returns false if _meta names an unsupported version. */
static bool check_version(bool *modern, struct mcp_server *s, size_t client,
			  const struct json *id, const struct json *params)
{
	const struct json *meta = json_get(params, "_meta");
	const char *version;
	struct json *data;

	*modern = json_get_string(meta, META_VERSION, &version);
	if (!*modern || is_known(version, 0))
		return true;
	data = json_object();
	json_set(data, "supported", known_versions());
	json_set_string(data, "requested", version);
	mcp_send_error(s, client, id, RPC_VERSION,
		       "avogit does not speak this version of the protocol",
		       data);
	return false;
}

static void get_prompt(struct mcp_server *s, size_t client,
		       const struct json *id, const struct json *params,
		       bool modern)
{
	struct json *result;

	if (mcp_prompt_get(&result, params))
		mcp_send_result(s, client, id, result, modern);
	else
		mcp_send_error(s, client, id, RPC_PARAMS,
			       "there is no such prompt: prompts/list names "
			       "them",
			       NULL);
}

static void read_resource(struct mcp_server *s, size_t client,
			  const struct json *id, const struct json *params,
			  bool modern)
{
	if (!mcp_resource_read(s, client, id, params, modern))
		mcp_send_error(
			s, client, id, RPC_RESOURCE,
			"there is no such resource: resources/list names "
			"them",
			NULL);
}

/* Of the methods that need nothing but their name; NULL: of none. */
static struct json *plain_result(struct mcp_server *s, const char *method,
				 bool *modern)
{
	if (str_eq(method, "ping"))
		return json_object();
	if (!str_eq(method, "server/discover"))
		return constant(s, method, *modern);
	*modern = true;
	return discover();
}

static void request(struct mcp_server *s, size_t client, const struct json *id,
		    const char *method, const struct json *params)
{
	struct json *result = NULL;
	bool modern = false;

	if (str_eq(method, "initialize")) {
		mcp_send_result(s, client, id, initialize(params), false);
		return;
	}
	if (!check_version(&modern, s, client, id, params))
		return;
	if (str_eq(method, "tools/call"))
		mcp_call(s, client, id, params, modern);
	else if (str_eq(method, "prompts/get"))
		get_prompt(s, client, id, params, modern);
	else if (str_eq(method, "resources/read"))
		read_resource(s, client, id, params, modern);
	else if ((result = plain_result(s, method, &modern)))
		mcp_send_result(s, client, id, result, modern);
	else
		mcp_send_error(s, client, id, RPC_METHOD,
			       "there is no such method here", NULL);
}

static bool is_id(const struct json *id)
{
	double number;

	return json_string(id) || json_number(id, &number);
}

void mcp_dispatch(struct mcp_server *s, size_t client,
		  const struct json *message)
{
	const struct json *id = json_get(message, "id");
	const struct json *params = json_get(message, "params");
	const char *version = "", *method;

	json_get_string(message, "jsonrpc", &version);
	if (!str_eq(version, "2.0") || (id && !is_id(id))) {
		mcp_send_error(s, client, NULL, RPC_REQUEST,
			       "that is not a request of JSON-RPC 2.0", NULL);
		return;
	}
	if (json_get_string(message, "method", &method)) {
		if (id)
			request(s, client, id, method, params);
		else
			notification(s, client, method, params);
		return;
	}
	/* The server sends no requests, so a response is ignored. */
	if (!json_get(message, "result") && !json_get(message, "error"))
		mcp_send_error(s, client, id, RPC_REQUEST,
			       "the request names no method", NULL);
}

static bool is_blank_line(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r", line[i]) || !line[i])
			return false;
	return true;
}

void mcp_message(struct mcp_server *s, size_t client, const char *line,
		 size_t len)
{
	cleanup_json struct json *message = NULL;
	cleanup_error struct error *err = NULL;

	if (is_blank_line(line, len))
		return;
	err = json_parse(&message, line, len);
	if (err) {
		mcp_send_error(s, client, NULL, RPC_PARSE, error_message(err),
			       NULL);
		return;
	}
	if (json_is_array(message) && json_len(message))
		mcp_batch_message(s, client, message);
	else
		mcp_dispatch(s, client, message);
}
