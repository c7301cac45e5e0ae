/* Shared by the files of the MCP server: jobs, and requests that wait for them.
 * Only this module includes it. */
#ifndef AGENT_MCP_INTERNAL_H
#define AGENT_MCP_INTERNAL_H

#include <pthread.h>

#include "agent/mcp/channel.h"
#include "agent/mcp/mcp.h"

/* ---- jobs: calls for the working thread ---------------------------------- */

#define JOBS_MAX 64

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE };

struct job {
	char handle[32]; /* "score-3" */
	const struct tool *tool;
	struct json *arguments;
	enum job_state state;
	double began;		 /* when it was queued, clock_seconds() */
	bool told;		 /* an answer was sent */
	bool cancelled;		 /* while it ran */
	unsigned watchers;	 /* waiting requests; only the reader uses it */
	struct tool_reply reply; /* valid in JOB_DONE */
};

struct jobs {
	pthread_mutex_t lock;
	struct job *job[JOBS_MAX]; /* oldest first */
	size_t n;
	unsigned long made;
	int work_fd, done_fd; /* eventfds */
	bool over;	      /* no more jobs are accepted */
	bool client_gone;
	double heard; /* clock_seconds() of the last message or finished job */
	/* Lets the running job give up; see core/run/allowance.h. Or NULL. */
	void (*cancel)(bool on);
};

struct error *jobs_init(struct jobs *j) MUST_CHECK;
void jobs_release(struct jobs *j);
/* For the reading thread. Takes the arguments. Returns NULL if there are too
 * many jobs or the run is ending. */
struct job *jobs_add(struct jobs *j, const struct tool *t,
		     struct json *arguments);
/* The job with that handle; NULL if there is none. */
struct job *jobs_find(struct jobs *j, const char *handle);
enum job_state jobs_state(struct jobs *j, const struct job *job);
/* Removes the job if it has not begun and no request waits for it; lets it give
 * up if it runs (and, unless `anyway`, no request waits for it). False: it is
 * removed. */
bool jobs_cancel(struct jobs *j, struct job *job, bool anyway);
/* Adds a line for each job whose answer was not sent yet. */
void jobs_list(struct buf *out, struct jobs *j);
/* Records the time of a message, for mcp_silence. */
void jobs_heard(struct jobs *j);
/* The oldest that waits, of a tool that has all these flags. NULL: there is
 * none. */
struct job *jobs_next(struct jobs *j, unsigned flags);
void jobs_done(struct jobs *j, struct job *job);
/* Was it cancelled while it ran? */
bool jobs_was_cancelled(struct jobs *j, const struct job *job);
/* jobs_wake makes an eventfd readable; jobs_drain ends that. */
void jobs_wake(int fd);
void jobs_drain(int fd);

/* ---- the server ---------------------------------------------------------- */

#define REQUESTS_MAX 256

/* A call that a client waits for. */
struct mcp_request {
	size_t client;
	struct json *id;
	struct json *token; /* progress token; NULL: no progress wanted */
	struct job *job;
	bool is_result;	 /* asks again for a job that another call began */
	const char *uri; /* the answer is this resource; NULL: a tool's */
	double deadline, next_progress;
	int64_t progress;
	bool modern;
};

#define BATCHES_MAX 16

/* Messages that came as one array, as the version 2025-03-26 allows: their
 * answers are one array, too. */
struct mcp_batch {
	size_t client;
	struct json *ids;     /* an object whose keys are ids not answered */
	struct json *answers; /* NULL: this place is free */
};

struct mcp_server {
	struct jobs jobs;
	struct toolbox *box; /* for the working thread only */
	/* For the reading thread's TOOL_FILES calls, which hold the lock. */
	pthread_mutex_t files_lock;
	struct toolbox files;
	bool attached;
	const char *without; /* of struct mcp_options */
	/* The working thread uses the run and its archive. The reading thread
	 * may while it holds the lock and `busy` is false. */
	pthread_mutex_t run_lock;
	bool busy;
	bool is_shared; /* other agents use the run, too: then it never may */
	struct mcp_batch batch[BATCHES_MAX];
	struct mcp_batch *reading; /* its messages are handled; else NULL */
	struct channel client[MCP_CLIENTS];
	bool connected[MCP_CLIENTS];
	int listen_fd; /* -1: only client 0, on two descriptors */
	struct mcp_request request[REQUESTS_MAX];
	size_t n_requests;
	pthread_t thread;
	bool started;
};

/* protocol.c: handles one line of a client. */
void mcp_message(struct mcp_server *s, size_t client, const char *line,
		 size_t len);
void mcp_line_too_long(struct mcp_server *s, size_t client);
/* call.c: tools/call and the answers to it. */
void mcp_call(struct mcp_server *s, size_t client, const struct json *id,
	      const struct json *params, bool modern);
void mcp_cancel(struct mcp_server *s, size_t client, const struct json *id);
/* Answers a request for a resource by what a tool says. */
void mcp_read_by_tool(struct mcp_server *s, size_t client,
		      const struct json *id, const char *uri, const char *tool,
		      struct json *arguments, bool modern);
/* offers.c: the prompts and resources, and the answers to requests for them,
 * which are false if there is none of that name. */
struct json *mcp_prompt_list(void) MUST_CHECK;
struct json *mcp_resource_list(void) MUST_CHECK;
bool mcp_prompt_get(struct json **result, const struct json *params);
bool mcp_resource_read(struct mcp_server *s, size_t client,
		       const struct json *id, const struct json *params,
		       bool modern);
/* batch.c. Each answer of a request goes through mcp_batch_take, which is true
 * if it is kept for a batch, and sends a batch that is whole. */
void mcp_batch_message(struct mcp_server *s, size_t client,
		       const struct json *messages);
bool mcp_batch_take(struct mcp_server *s, size_t client, const struct json *id,
		    const struct json *answer);
/* No answer will come: the request was cancelled. */
void mcp_batch_forget(struct mcp_server *s, size_t client,
		      const struct json *id);
/* The client has left. */
void mcp_batch_drop(struct mcp_server *s, size_t client);
/* protocol.c: one message that is not an array. */
void mcp_dispatch(struct mcp_server *s, size_t client,
		  const struct json *message);
/* Answers each request whose job is done or whose deadline has passed; sends
 * progress notifications that are due. */
void mcp_attend(struct mcp_server *s, double now);
/* Seconds from now until mcp_attend is due; negative: no request waits. */
double mcp_next_due(const struct mcp_server *s, double now);
/* Drops the requests of a client that has left; their jobs continue. */
void mcp_forget_client(struct mcp_server *s, size_t client);
/* The tools that the task has a use for, in the form of tools/list. */
struct json *mcp_tool_list(struct mcp_server *s) MUST_CHECK;

/* Send to the client unless it has left. `result` and `data` are taken. */
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
#define RPC_RESOURCE	  (-32002)

#endif
