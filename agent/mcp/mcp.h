/*
 * The agent's tools over the Model Context Protocol: JSON-RPC 2.0, one object
 * a line, for both eras that are in use: with `initialize` (2024-11-05 to
 * 2025-11-25) and without (2026-07-28, `server/discover`).
 *
 * A thread reads, answers what it can by itself (the protocol, the tools that
 * only touch files, `result`) and queues all else for the thread that owns the
 * population, which works on one call at a time. Since clients give up after
 * about a minute, a call is answered after `wait` seconds with a handle at the
 * latest, and `result` asks again.
 */
#ifndef AGENT_MCP_MCP_H
#define AGENT_MCP_MCP_H

#include "agent/tools/tool.h"

struct mcp_server;

struct mcp_options {
	/* One client on two descriptors, which are not closed; or where in_fd
	 * is -1 a listening socket for up to MCP_CLIENTS at a time. */
	int in_fd, out_fd, listen_fd;
};
#define MCP_CLIENTS 8

/* Starts the thread, which answers what needs no run: a client does not wait
 * for the start to be measured. mcp_stop ends it. */
struct error *mcp_start(struct mcp_server **out,
			const struct mcp_options *o) MUST_CHECK;
/* From here on calls are worked on, with this toolbox, which stays the
 * caller's; until mcp_detach, after which none is touched. */
void mcp_attach(struct mcp_server *s, struct toolbox *box);
void mcp_detach(struct mcp_server *s);
/* Becomes readable when there may be work, or the client is gone. */
int mcp_work_fd(const struct mcp_server *s);
/* Works on the oldest call that waits, in this thread; *did false: there was
 * none. An error ends the step; the client is told. */
struct error *mcp_work(bool *did, struct mcp_server *s) MUST_CHECK;
/* The one client has closed its end and has all its answers. */
bool mcp_ended(struct mcp_server *s);
/* Seconds since a client was last heard or answered. */
double mcp_silence(struct mcp_server *s);
/* Answers what still waits, closes what it opened, joins. NULL is fine. */
void mcp_stop(struct mcp_server *s);

DEFINE_CLEANUP(mcp_server, struct mcp_server, mcp_stop)
#define cleanup_mcp_server CLEANUP(mcp_server)

/* The operator whose ideas come over in_fd: `vary` serves the client until
 * it closes its end. Borrows `knowledge` (NULL: there is none) as long as it
 * lives. operator->free disposes. */
struct error *mcp_operator_new(struct variation_operator **out, int in_fd,
			       int out_fd,
			       struct tool_knowledge *knowledge) MUST_CHECK;

/* Copies between two descriptors and a Unix socket, until either ends. */
struct error *mcp_relay(const char *socket_path, int in_fd,
			int out_fd) MUST_CHECK;

/* What registers this program with a client ("claude", "codex", "cursor"), to
 * be pasted where the text says. ERROR_USAGE for another name. */
struct error *mcp_print_config(struct buf *out, const char *client,
			       const char *program) MUST_CHECK;

#endif
