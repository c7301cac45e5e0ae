/* tools/call: answered at once, by the working thread, or later by a handle. */
#include <inttypes.h>
#include <math.h>

#include "agent/mcp/internal.h"
#include "agent/tools/internal.h"
#include "core/base/clock.h"

#define WAIT_SECONDS	 40
#define WAIT_MAX	 3600
#define PROGRESS_SECONDS 5

#define WAIT_SCHEMA                                                        \
	"{\"type\":\"integer\",\"description\":\"seconds to wait for the " \
	"answer; then there is a handle for `result` (40)\"}"
#define WORKSPACE_SCHEMA                                                   \
	"{\"type\":\"object\",\"properties\":{},\"additionalProperties\":" \
	"false}"
#define RESULT_SCHEMA                                                    \
	"{\"type\":\"object\",\"properties\":{\"handle\":{\"type\":"     \
	"\"string\",\"description\":\"of the call that is not answered " \
	"yet\"},\"wait\":" WAIT_SCHEMA "},\"required\":[\"handle\"],"    \
	"\"additionalProperties\":false}"

static struct error *tell_workspace(struct tool_reply *out, struct toolbox *b,
				    const struct json *arguments)
{
	(void)arguments;
	toolbox_brief(&out->text, b);
	return NULL;
}

/* Only a client of this server needs to be given the path of its files. */
static const struct tool workspace = {
	"workspace",
	"Says which folder holds your files, what may be changed there, and "
	"what the task is. Call it first.",
	WORKSPACE_SCHEMA, TOOL_READS | TOOL_FILES, tell_workspace};

/* ---- the list ------------------------------------------------------------ */

static struct json *parse(const char *schema)
{
	struct json *j = NULL;
	cleanup_error struct error *err =
		json_parse(&j, schema, strlen(schema));

	return err ? json_object() : j;
}

/* The schema of a long tool with the argument `wait` added. */
static struct json *with_wait(const char *schema)
{
	cleanup_json struct json *own = parse(schema);
	struct json *j = json_dup(own);
	struct json *properties = json_dup(json_get(own, "properties"));

	json_set(properties, "wait", parse(WAIT_SCHEMA));
	json_set(j, "properties", properties);
	return j;
}

static void add_tool(struct json *list, const char *name, const char *about,
		     struct json *schema, bool reads)
{
	struct json *t = json_object(), *hints = json_object();

	json_set_string(t, "name", name);
	json_set_string(t, "description", about);
	json_set(t, "inputSchema", schema);
	json_set_bool(hints, "readOnlyHint", reads);
	json_set_bool(hints, "openWorldHint", false);
	json_set(t, "annotations", hints);
	json_push(list, t);
}

struct json *mcp_tool_list(void)
{
	struct json *list = json_array();
	const struct tool *all;
	size_t n;

	all = tools(&n);
	add_tool(list, workspace.name, workspace.description,
		 parse(workspace.schema), true);
	for (size_t i = 0; i < n; i++)
		add_tool(list, all[i].name, all[i].description,
			 all[i].flags & TOOL_LONG ? with_wait(all[i].schema)
						  : parse(all[i].schema),
			 all[i].flags & TOOL_READS);
	add_tool(list, "result",
		 "The answer of a call that gave a handle, or how it stands.",
		 parse(RESULT_SCHEMA), true);
	return list;
}

/* ---- answers ------------------------------------------------------------- */

static struct json *content(const char *text, bool failed)
{
	struct json *r = json_object(), *list = json_array(),
		    *block = json_object();

	json_set_string(block, "type", "text");
	json_set_string(block, "text", text);
	json_push(list, block);
	json_set(r, "content", list);
	json_set_bool(r, "isError", failed);
	return r;
}

static void answer(struct mcp_server *s, size_t client, const struct json *id,
		   const struct tool_reply *reply, bool modern)
{
	mcp_send_result(s, client, id, content(reply->text.data, reply->failed),
			modern);
}

static void answer_later(struct mcp_server *s, const struct mcp_request *r,
			 double now)
{
	cleanup_buf struct buf text = BUF_INIT(1024);
	bool waiting = jobs_state(&s->jobs, r->job) == JOB_WAITING;

	buf_addf(&text,
		 "handle: %s\n%s for %.0f s so far, and not finished: call "
		 "`result` with this handle.\n",
		 r->job->handle,
		 waiting ? "It waits its turn" : "It is at work",
		 now - r->job->began);
	mcp_send_result(s, r->client, r->id, content(text.data, false),
			r->modern);
}

/* ---- requests that wait -------------------------------------------------- */

static void request_drop(struct mcp_server *s, size_t i)
{
	struct mcp_request *r = &s->request[i];

	r->job->watchers--;
	json_free(r->id);
	json_free(r->token);
	s->request[i] = s->request[--s->n_requests];
}

static void notify(struct mcp_server *s, struct mcp_request *r, double now)
{
	cleanup_json struct json *j = json_object();
	struct json *params = json_object();
	char text[128];

	snprintf(text, sizeof text, "%s: %.0f s", r->job->tool->name,
		 now - r->job->began);
	json_set_string(j, "jsonrpc", "2.0");
	json_set_string(j, "method", "notifications/progress");
	json_set(params, "progressToken", json_dup(r->token));
	json_set_int(params, "progress", ++r->progress);
	json_set_string(params, "message", text);
	json_set(j, "params", params);
	mcp_send(s, r->client, j);
}

/* Returns true once the request has its answer. */
static bool attend(struct mcp_server *s, struct mcp_request *r, double now)
{
	if (jobs_state(&s->jobs, r->job) == JOB_DONE) {
		r->job->told = true;
		answer(s, r->client, r->id, &r->job->reply, r->modern);
		return true;
	}
	if (now >= r->deadline) {
		answer_later(s, r, now);
		return true;
	}
	if (r->token && now >= r->next_progress) {
		notify(s, r, now);
		r->next_progress = now + PROGRESS_SECONDS;
	}
	return false;
}

void mcp_attend(struct mcp_server *s, double now)
{
	for (size_t i = s->n_requests; i-- > 0;)
		if (attend(s, &s->request[i], now))
			request_drop(s, i);
}

double mcp_next_due(const struct mcp_server *s, double now)
{
	double due = INFINITY;

	for (size_t i = 0; i < s->n_requests; i++) {
		const struct mcp_request *r = &s->request[i];

		due = fmin(due, r->deadline);
		if (r->token)
			due = fmin(due, r->next_progress);
	}
	return isinf(due) ? -1 : fmax(due - now, 0);
}

void mcp_forget_client(struct mcp_server *s, size_t client)
{
	for (size_t i = s->n_requests; i-- > 0;)
		if (s->request[i].client == client)
			request_drop(s, i);
}

static bool same_id(const struct json *a, const struct json *b)
{
	cleanup_free char *x = json_print(a);
	cleanup_free char *y = json_print(b);

	return str_eq(x, y);
}

/* A job that has begun continues: a committed attempt must be measured. */
void mcp_cancel(struct mcp_server *s, size_t client, const struct json *id)
{
	for (size_t i = s->n_requests; i-- > 0;) {
		struct job *job = s->request[i].job;

		if (s->request[i].client != client ||
		    !same_id(s->request[i].id, id))
			continue;
		request_drop(s, i);
		jobs_cancel(&s->jobs, job);
	}
}

/* ---- the call ------------------------------------------------------------ */

struct mcp_call {
	size_t client;
	const struct json *id;
	const struct json *token;
	bool modern;
	double wait;
};

static void fail(struct mcp_server *s, const struct mcp_call *c,
		 const char *text)
{
	mcp_send_result(s, c->client, c->id, content(text, true), c->modern);
}

static void wait_for(struct mcp_server *s, const struct mcp_call *c,
		     struct job *job)
{
	double now = clock_seconds();
	struct mcp_request *r = &s->request[s->n_requests++];

	job->watchers++;
	*r = (struct mcp_request){
		.client = c->client,
		.id = json_dup(c->id),
		.token = c->token ? json_dup(c->token) : NULL,
		.job = job,
		.deadline = now + c->wait,
		.next_progress = now + PROGRESS_SECONDS,
		.modern = c->modern,
	};
}

static bool may_wait(struct mcp_server *s, const struct mcp_call *c)
{
	if (s->n_requests < REQUESTS_MAX)
		return true;
	fail(s, c, "too many calls wait for an answer: ask for those first");
	return false;
}

/* Copies the arguments, because `wait` must not reach the tool. */
static void queue(struct mcp_server *s, const struct mcp_call *c,
		  const struct tool *t, const struct json *arguments)
{
	struct json *own = arguments ? json_dup(arguments) : json_object();
	struct job *job;

	if (t->flags & TOOL_LONG)
		json_remove(own, "wait");
	job = jobs_add(&s->jobs, t, own);
	if (job)
		wait_for(s, c, job);
	else
		fail(s, c,
		     "avogit takes no more calls: the run is ending, or "
		     "too many wait");
}

/* Returns false while no workspace is attached. */
static bool call_now(struct mcp_server *s, const struct mcp_call *c,
		     const struct tool *t, const struct json *arguments)
{
	cleanup_tool_reply struct tool_reply reply;
	cleanup_error struct error *err = NULL;
	bool attached;

	tool_reply_init(&reply);
	pthread_mutex_lock(&s->files_lock);
	attached = s->attached;
	if (attached)
		err = tool_call(&reply, &s->files, t, arguments);
	pthread_mutex_unlock(&s->files_lock);
	if (!attached)
		return false;
	if (err)
		tool_fail(&reply, "%s", error_message(err));
	answer(s, c->client, c->id, &reply, c->modern);
	return true;
}

static void call_tool(struct mcp_server *s, const struct mcp_call *c,
		      const struct tool *t, const struct json *arguments)
{
	if (t->flags & TOOL_FILES && call_now(s, c, t, arguments))
		return;
	if (may_wait(s, c))
		queue(s, c, t, arguments);
}

static void call_result(struct mcp_server *s, const struct mcp_call *c,
			const struct json *arguments)
{
	cleanup_tool_reply struct tool_reply reply;
	struct job *job;

	tool_reply_init(&reply);
	if (!tool_check(&reply, "result", RESULT_SCHEMA, arguments)) {
		answer(s, c->client, c->id, &reply, c->modern);
		return;
	}
	job = jobs_find(&s->jobs, tool_string(arguments, "handle"));
	if (!job)
		fail(s, c, "no call has this handle, or its answer is gone");
	else if (may_wait(s, c))
		wait_for(s, c, job);
}

void mcp_call(struct mcp_server *s, size_t client, const struct json *id,
	      const struct json *params, bool modern)
{
	const struct json *arguments = json_get(params, "arguments");
	const struct tool *t;
	const char *name = "";
	struct mcp_call c = {
		.client = client,
		.id = id,
		.token = json_get(json_get(params, "_meta"), "progressToken"),
		.modern = modern,
	};

	json_get_string(params, "name", &name);
	t = str_eq(name, "workspace") ? &workspace : tool_find(name);
	c.wait = (double)tool_int(arguments, "wait", WAIT_SECONDS, 0, WAIT_MAX);
	jobs_heard(&s->jobs);
	if (str_eq(name, "result"))
		call_result(s, &c, arguments);
	else if (t)
		call_tool(s, &c, t, arguments);
	else
		mcp_send_error(s, client, id, RPC_PARAMS,
			       "there is no such tool: tools/list names them",
			       NULL);
	mcp_attend(s, clock_seconds());
}
