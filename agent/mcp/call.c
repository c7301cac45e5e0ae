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
	"yet; without it: what is pending\"},\"stop\":{\"type\":"        \
	"\"boolean\",\"description\":\"let it give up (false)\"},"       \
	"\"wait\":" WAIT_SCHEMA "},\"required\":[],"                     \
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
	"Where to begin",
	"Says which folder holds your files, what may be changed there, and "
	"what the task is. Call it first.",
	WORKSPACE_SCHEMA,
	NULL,
	TOOL_READS | TOOL_FILES,
	tell_workspace};

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

/* The hints that clients decide by whether to ask their user: no tool deletes
 * what cannot be had back, and none reaches past this machine. */
static struct json *hints_of(const char *title, unsigned flags)
{
	struct json *hints = json_object();
	bool reads = flags & TOOL_READS;

	json_set_string(hints, "title", title);
	json_set_bool(hints, "readOnlyHint", reads);
	json_set_bool(hints, "destructiveHint", false);
	json_set_bool(hints, "idempotentHint", reads || flags & TOOL_AGAIN);
	json_set_bool(hints, "openWorldHint", false);
	return hints;
}

/* Clients refuse a reply with a member that is not listed here. */
static struct json *output_schema(const struct tool_member *m)
{
	struct json *j = json_object(), *properties = json_object(),
		    *required = json_array();

	for (; m->name; m++) {
		struct json *property = json_object();

		json_set_string(property, "type", m->type);
		json_set_string(property, "description", m->about);
		json_set(properties, m->name, property);
		if (m->always)
			json_push_string(required, m->name);
	}
	json_set_string(j, "type", "object");
	json_set(j, "properties", properties);
	json_set(j, "required", required);
	json_set_bool(j, "additionalProperties", false);
	return j;
}

static void add_tool(struct json *list, const struct tool *t)
{
	struct json *j = json_object();

	json_set_string(j, "name", t->name);
	json_set_string(j, "title", t->title);
	json_set_string(j, "description", t->description);
	json_set(j, "inputSchema",
		 t->flags & TOOL_LONG ? with_wait(t->schema)
				      : parse(t->schema));
	if (t->gives)
		json_set(j, "outputSchema", output_schema(t->gives));
	json_set(j, "annotations", hints_of(t->title, t->flags));
	json_push(list, j);
}

static bool is_listed(struct mcp_server *s, const struct tool *t)
{
	bool listed;

	pthread_mutex_lock(&s->files_lock);
	listed = s->attached ? tool_is_offered(t, s->files.v)
			     : !s->without || !str_eq(t->name, s->without);
	pthread_mutex_unlock(&s->files_lock);
	return listed;
}

struct json *mcp_tool_list(struct mcp_server *s)
{
	static const struct tool result = {
		.name = "result",
		.title = "The answer of a long call",
		.description =
			"The answer of a call that gave a handle, or how "
			"it stands; without a handle, which calls are "
			"pending.",
		.schema = RESULT_SCHEMA,
		.flags = TOOL_READS};
	struct json *list = json_array();
	const struct tool *all;
	size_t n;

	all = tools(&n);
	add_tool(list, &workspace);
	for (size_t i = 0; i < n; i++)
		if (is_listed(s, &all[i]))
			add_tool(list, &all[i]);
	add_tool(list, &result);
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

static struct json *tool_result(const struct tool_reply *reply)
{
	struct json *r = content(reply->text.data, reply->failed);

	if (reply->data)
		json_set(r, "structuredContent", json_dup(reply->data));
	return r;
}

static struct json *resource_result(const struct tool_reply *reply,
				    const char *uri)
{
	struct json *r = json_object(), *list = json_array(),
		    *part = json_object();

	json_set_string(part, "uri", uri);
	json_set_string(part, "mimeType", "text/plain");
	json_set_string(part, "text", reply->text.data);
	json_push(list, part);
	json_set(r, "contents", list);
	return r;
}

/* uri: of the resource that was asked for; NULL: a tool was called. */
static void answer(struct mcp_server *s, size_t client, const struct json *id,
		   const struct tool_reply *reply, const char *uri, bool modern)
{
	mcp_send_result(s, client, id,
			uri ? resource_result(reply, uri) : tool_result(reply),
			modern);
}

/* A tool with an output schema must keep to it when it is not done, too. */
static struct json *pending(const struct job *job, const char *text)
{
	struct json *r = content(text, false), *data;

	if (!job->tool->gives)
		return r;
	data = json_object();
	json_set_string(data, "status", "pending");
	json_set_string(data, "handle", job->handle);
	json_set_string(data, "report", text);
	json_set(r, "structuredContent", data);
	return r;
}

static void answer_later(struct mcp_server *s, const struct mcp_request *r,
			 double now)
{
	cleanup_buf struct buf text = BUF_INIT(1024);
	bool waiting = jobs_state(&s->jobs, r->job) == JOB_WAITING;

	if (r->uri) {
		mcp_send_error(s, r->client, r->id, RPC_BUSY,
			       "the run is at work: ask for it later", NULL);
		return;
	}
	buf_addf(&text,
		 "handle: %s\n%s for %.0f s so far, and not finished: call "
		 "`result` with this handle.\n",
		 r->job->handle,
		 waiting ? "It waits its turn" : "It is at work",
		 now - r->job->began);
	mcp_send_result(s, r->client, r->id, pending(r->job, text.data),
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
		answer(s, r->client, r->id, &r->job->reply, r->uri, r->modern);
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

/* Other processes extend the run, too: what changes it may have to wait for their
 * turns, which the reading thread does not. */
static bool may_wait_for_turn(const struct mcp_server *s)
{
	struct variation *v = s->files.v;

	return v->has_others && v->has_others(v);
}

static struct error *call_beside(struct tool_reply *reply, struct mcp_server *s,
				 const struct tool *t,
				 const struct json *arguments)
{
	struct variation *v = s->files.v;

	if (t->flags & TOOL_BESIDE && v->catch_up)
		TRY(v->catch_up(v));
	return tool_call(reply, &s->files, t, arguments);
}

/* The flags of what the reading thread may do of the run. */
static unsigned beside_now(const struct mcp_server *s)
{
	return TOOL_BESIDE | (may_wait_for_turn(s) ? TOOL_READS : 0);
}

/* Calls that were queued because the working thread used the run just then. */
static void work_beside(struct mcp_server *s)
{
	struct job *job;

	pthread_mutex_lock(&s->files_lock);
	pthread_mutex_lock(&s->run_lock);
	while (s->attached && !s->busy && !s->is_shared &&
	       (job = jobs_next(&s->jobs, beside_now(s)))) {
		struct error *err =
			call_beside(&job->reply, s, job->tool, job->arguments);

		if (err)
			tool_fail(&job->reply, "%s", error_message(err));
		error_free(err);
		jobs_done(&s->jobs, job);
	}
	pthread_mutex_unlock(&s->run_lock);
	pthread_mutex_unlock(&s->files_lock);
}

void mcp_attend(struct mcp_server *s, double now)
{
	work_beside(s);
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

/* The call gives up, unless it was answered by a handle: then only the waiting
 * for it ends, and `result` can stop it. */
void mcp_cancel(struct mcp_server *s, size_t client, const struct json *id)
{
	for (size_t i = s->n_requests; i-- > 0;) {
		struct job *job = s->request[i].job;
		bool is_result = s->request[i].is_result;

		if (s->request[i].client != client ||
		    !same_id(s->request[i].id, id))
			continue;
		request_drop(s, i);
		mcp_batch_forget(s, client, id);
		if (!is_result)
			jobs_cancel(&s->jobs, job, false);
	}
}

/* ---- the call ------------------------------------------------------------ */

struct mcp_call {
	size_t client;
	const struct json *id;
	const struct json *token;
	const char *uri; /* of a resource; NULL: a tool was called */
	bool is_result;
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
		.is_result = c->is_result,
		.uri = c->uri,
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

static void answer_now(struct mcp_server *s, const struct mcp_call *c,
		       struct tool_reply *reply, struct error *err)
{
	if (err)
		tool_fail(reply, "%s", error_message(err));
	error_free(err);
	answer(s, c->client, c->id, reply, c->uri, c->modern);
}

/* In the reading thread, for a tool of files, or of the run while the working
 * thread does not use it. The locks are held while it works. */
static bool try_now(struct error **err, struct tool_reply *reply,
		    struct mcp_server *s, const struct tool *t,
		    const struct json *arguments)
{
	bool beside = t->flags & TOOL_BESIDE, done = s->attached;

	if (beside)
		pthread_mutex_lock(&s->run_lock);
	if (beside &&
	    (s->busy || s->is_shared ||
	     (done && !(t->flags & TOOL_READS) && may_wait_for_turn(s))))
		done = false;
	if (done)
		*err = call_beside(reply, s, t, arguments);
	if (beside)
		pthread_mutex_unlock(&s->run_lock);
	return done;
}

/* Returns false if the call must be queued. */
static bool call_now(struct mcp_server *s, const struct mcp_call *c,
		     const struct tool *t, const struct json *arguments)
{
	cleanup_tool_reply struct tool_reply reply;
	struct error *err = NULL;
	bool done;

	tool_reply_init(&reply);
	if (!(t->flags & (TOOL_FILES | TOOL_BESIDE)))
		return false;
	pthread_mutex_lock(&s->files_lock);
	done = try_now(&err, &reply, s, t, arguments);
	pthread_mutex_unlock(&s->files_lock);
	if (done)
		answer_now(s, c, &reply, err);
	return done;
}

static void call_tool(struct mcp_server *s, const struct mcp_call *c,
		      const struct tool *t, const struct json *arguments)
{
	if (call_now(s, c, t, arguments))
		return;
	if (may_wait(s, c))
		queue(s, c, t, arguments);
}

/* Without a handle: what is pending. */
static void list_pending(struct mcp_server *s, const struct mcp_call *c)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	jobs_list(&text, &s->jobs);
	if (!text.len)
		buf_adds(&text, "no call is pending\n");
	mcp_send_result(s, c->client, c->id, content(text.data, false),
			c->modern);
}

static void call_result(struct mcp_server *s, const struct mcp_call *c,
			const struct json *given)
{
	cleanup_json struct json *arguments = tool_settle(RESULT_SCHEMA, given);
	cleanup_tool_reply struct tool_reply reply;
	const char *handle;
	struct job *job;
	bool stop = false;

	tool_reply_init(&reply);
	if (!tool_check(&reply, "result", RESULT_SCHEMA, arguments)) {
		answer(s, c->client, c->id, &reply, NULL, c->modern);
		return;
	}
	if (!json_get_string(arguments, "handle", &handle)) {
		list_pending(s, c);
		return;
	}
	job = jobs_find(&s->jobs, handle);
	json_get_bool(arguments, "stop", &stop);
	if (job && stop && !jobs_cancel(&s->jobs, job, true))
		fail(s, c, "stopped before it began");
	else if (!job)
		fail(s, c, "no call has this handle, or its answer is gone");
	else if (may_wait(s, c))
		wait_for(s, c, job);
}

void mcp_read_by_tool(struct mcp_server *s, size_t client,
		      const struct json *id, const char *uri, const char *tool,
		      struct json *arguments, bool modern)
{
	const struct mcp_call c = {.client = client,
				   .id = id,
				   .uri = uri,
				   .modern = modern,
				   .wait = WAIT_SECONDS};

	jobs_heard(&s->jobs);
	call_tool(s, &c, tool_find(tool), arguments);
	json_free(arguments);
	mcp_attend(s, clock_seconds());
}

void mcp_call(struct mcp_server *s, size_t client, const struct json *id,
	      const struct json *params, bool modern)
{
	const struct json *arguments = json_get(params, "arguments");
	cleanup_json struct json *settled = NULL;
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
	c.is_result = str_eq(name, "result");
	settled = tool_settle(RESULT_SCHEMA, arguments);
	c.wait = (double)tool_int(settled, "wait", WAIT_SECONDS, 0, WAIT_MAX);
	jobs_heard(&s->jobs);
	if (c.is_result)
		call_result(s, &c, arguments);
	else if (t)
		call_tool(s, &c, t, arguments);
	else
		mcp_send_error(s, client, id, RPC_PARAMS,
			       "there is no such tool: tools/list names them",
			       NULL);
	mcp_attend(s, clock_seconds());
}
