/* Inside the MCP server: calls that wait, and who waits for them. Only
 * this module includes it. */
#ifndef AGENT_MCP_INTERNAL_H
#define AGENT_MCP_INTERNAL_H

#include <pthread.h>

#include "agent/mcp/channel.h"
#include "agent/mcp/mcp.h"

/* ---- jobs: calls for the thread that works ------------------------------- */

#define JOBS_MAX 64

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE };

struct job {
	char handle[32]; /* "score-3" */
	const struct tool *tool;
	struct json *arguments;
	enum job_state state;
	double began;		 /* put here, clock_seconds() */
	bool told;		 /* its answer went out */
	unsigned watchers;	 /* requests that wait for it; the reader's */
	struct tool_reply reply; /* of JOB_DONE */
};

struct jobs {
	pthread_mutex_t lock;
	struct job *job[JOBS_MAX]; /* oldest first */
	size_t n;
	unsigned long made;
	int work_fd, done_fd; /* eventfds */
	bool over;	      /* the working thread takes no more */
	bool client_gone;
	double heard; /* when something last came or was done */
};

struct error *jobs_init(struct jobs *j) MUST_CHECK;
void jobs_release(struct jobs *j);
/* By the reading thread. Takes the arguments; NULL: there are too many. */
struct job *jobs_add(struct jobs *j, const struct tool *t,
		     struct json *arguments);
struct job *jobs_find(struct jobs *j, const char *handle);
enum job_state jobs_state(struct jobs *j, const struct job *job);
/* It is needed no more: removed if it has not begun and no request waits for
 * it. */
void jobs_cancel(struct jobs *j, struct job *job);
void jobs_heard(struct jobs *j);
/* By the working thread. */
struct job *jobs_next(struct jobs *j);
void jobs_done(struct jobs *j, struct job *job);
void jobs_wake(int fd);
void jobs_drain(int fd);

/* ---- the server ---------------------------------------------------------- */

#define REQUESTS_MAX 256

/* A call that a client waits for. */
struct mcp_request {
	size_t client;
	struct json *id;
	struct json *token; /* of progress; NULL: none is wanted */
	struct job *job;
	double deadline, next_progress;
	int64_t progress;
	bool modern;
};

struct mcp_server {
	struct jobs jobs;
	struct toolbox *box; /* the working thread's */
	/* Of the reading thread, for TOOL_FILES; held while it uses it. */
	pthread_mutex_t files_lock;
	struct toolbox files;
	bool attached;
	struct channel client[MCP_CLIENTS];
	bool connected[MCP_CLIENTS];
	int listen_fd; /* -1: one client, number 0 */
	struct mcp_request request[REQUESTS_MAX];
	size_t n_requests;
	pthread_t thread;
	bool started;
};

/* protocol.c: what one line asks for. */
void mcp_message(struct mcp_server *s, size_t client, const char *line,
		 size_t len);
void mcp_line_too_long(struct mcp_server *s, size_t client);
/* call.c: tools/call, and answers to it. */
void mcp_call(struct mcp_server *s, size_t client, const struct json *id,
	      const struct json *params, bool modern);
void mcp_cancel(struct mcp_server *s, size_t client, const struct json *id);
/* Answers every request whose job is done or whose time is up; notifies. */
void mcp_attend(struct mcp_server *s, double now);
/* When mcp_attend is due next, in seconds from now; negative: never. */
double mcp_next_due(const struct mcp_server *s, double now);
void mcp_forget_client(struct mcp_server *s, size_t client);
/* Every tool, as tools/list has them. */
struct json *mcp_tool_list(void) MUST_CHECK;

void mcp_send_result(struct mcp_server *s, size_t client, const struct json *id,
		     struct json *result, bool modern);
void mcp_send_error(struct mcp_server *s, size_t client, const struct json *id,
		    int code, const char *message, struct json *data);
void mcp_send(struct mcp_server *s, size_t client, const struct json *message);

#define MCP_LATEST_LEGACY "2025-11-25"
#define MCP_MODERN	  "2026-07-28"
#define RPC_PARSE	  (-32700)
#define RPC_REQUEST	  (-32600)
#define RPC_METHOD	  (-32601)
#define RPC_PARAMS	  (-32602)
#define RPC_VERSION	  (-32022)
#define RPC_BUSY	  (-32000)

#endif
