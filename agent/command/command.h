/*
 * The operator that is an external coding agent: a headless program that the
 * task names. It runs in the sandbox with the network on; its workspace is its
 * current folder, and it has the tools over MCP. A step is one run of it. The
 * step is judged by its attempts and by the sources it leaves, never by what it
 * says; the journal says in words how it ended.
 *
 *     operator:
 *       command: [claude, -p, "{prompt}", --mcp-config, "{mcp_config}"]
 *       env: [ANTHROPIC_API_KEY]   # names of avogit's own variables
 *       folders: [/opt/claude]     # more of the machine, read-only
 *       silence: 300s              # ended after no output and no call
 *       time: 1h                   # of one step; the run's budget counts too
 *
 * Inside, /box is the workspace and /run/avogit has avogit itself, the socket,
 * mcp.json and prompt.md. AVOGIT_MCP_CONFIG and AVOGIT_PROMPT name the last
 * two.
 */
#ifndef AGENT_COMMAND_COMMAND_H
#define AGENT_COMMAND_COMMAND_H

#include "agent/tools/tool.h"

/* Makes the operator. It borrows `knowledge` (may be NULL) for its whole life.
 * ERROR_TASK if the task's settings are wrong. */
struct error *command_new(struct variation_operator **out,
			  const struct task *task,
			  struct tool_knowledge *knowledge) MUST_CHECK;

#endif
