/*
 * Serves the agent's tools over the Model Context Protocol: JSON-RPC 2.0, one
 * object per line, for both eras in use: with `initialize` (2024-11-05 to
 * 2025-11-25) and without (2026-07-28, `server/discover`).
 *
 * One thread reads. It answers the protocol, `result` and the tools that only
 * touch files, and queues every other call for the thread that owns the
 * population, which works on one call at a time. Clients give up after about a
 * minute, so a call that takes longer than `wait` seconds is answered with a
 * handle, and the client asks again with `result`.
 */
#ifndef AGENT_MCP_MCP_H
#define AGENT_MCP_MCP_H

#include "agent/tools/tool.h"

struct mcp_server;

struct mcp_options {
	/* One client on two descriptors, which the server does not close. If
	 * in_fd is -1: a listening socket for up to MCP_CLIENTS at a time. */
	int in_fd, out_fd, listen_fd;
	/* Not in the list before a run is attached, which says it itself: a
	 * tool that this task has no use for; NULL: all are. */
	const char *without;
};
#define MCP_CLIENTS 8

/* Starts the reading thread. It answers calls that need no run, so that a
 * client need not wait until the start is measured. mcp_stop ends it. */
struct error *mcp_start(struct mcp_server **out,
			const struct mcp_options *o) MUST_CHECK;
/* From here until mcp_detach calls are worked on with `box`, which is
 * borrowed. */
void mcp_attach(struct mcp_server *s, struct toolbox *box);
void mcp_detach(struct mcp_server *s);
/* Becomes readable when a call is queued or the client has left. */
int mcp_work_fd(const struct mcp_server *s);
/* Works on the oldest queued call, in this thread; sets *did to false if there
 * is none. An error ends the step and is also the client's answer. */
struct error *mcp_work(bool *did, struct mcp_server *s) MUST_CHECK;
/* Answers the queued calls, of which none is worked on, with this failure. */
void mcp_refuse(struct mcp_server *s, const char *why);
/* True once the only client has closed its end and has all its answers. */
bool mcp_ended(struct mcp_server *s);
/* Seconds since the last message of a client or the last finished job. */
double mcp_silence(struct mcp_server *s);
/* Answers the requests that still wait, closes what the server opened and joins
 * the thread. NULL is fine. */
void mcp_stop(struct mcp_server *s);

DEFINE_CLEANUP(mcp_server, struct mcp_server, mcp_stop)
#define cleanup_mcp_server CLEANUP(mcp_server)

/* An operator that gets its ideas from an MCP client on in_fd: `vary` serves
 * the client until it closes its end. Borrows `knowledge` (may be NULL) for its
 * whole life. operator->free disposes. */
struct error *mcp_operator_new(struct variation_operator **out, int in_fd,
			       int out_fd, const char *without,
			       struct tool_knowledge *knowledge) MUST_CHECK;

/* For such an operator whose run cannot be had: answers every call that waits
 * with the reason, then waits for the next, which is left for another refusal
 * or for `vary`. False: the client has left, or a signal came. */
bool mcp_operator_refuse(struct variation_operator *op, const char *why);

/* Copies between two descriptors and a Unix socket until the socket's end. */
struct error *mcp_relay(const char *socket_path, int in_fd,
			int out_fd) MUST_CHECK;

/* Adds the text that registers a server with a client: claude, codex, cursor,
 * gemini, opencode, vscode. `words` start it: the program and its arguments,
 * then NULL. ERROR_USAGE for another name. */
struct error *mcp_print_config(struct buf *out, const char *client,
			       const char *const *words) MUST_CHECK;

#endif
