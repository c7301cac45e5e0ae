/*
 * The operator that is an external coding agent: a headless program that the
 * task names, in the sandbox with the network on, with its workspace as its
 * folder and the tools by MCP. A step is one run of it; it is judged by its
 * attempts and by the sources it leaves, never by what it says. However it
 * ends, that is written into the journal in words.
 *
 *     operator:
 *       command: [claude, -p, "{prompt}", --mcp-config, "{mcp_config}"]
 *       env: [ANTHROPIC_API_KEY]   # by name, of avogit's own environment
 *       folders: [/opt/claude]     # more of the machine, read-only
 *       silence: 300s              # no output and no call: it is ended
 *       time: 1h                   # of one step; the run's budget counts too
 *
 * Inside: /box is the workspace, /run/avogit has avogit itself, the socket,
 * mcp.json and prompt.md; AVOGIT_MCP_CONFIG and AVOGIT_PROMPT name the latter.
 */
#ifndef AGENT_COMMAND_COMMAND_H
#define AGENT_COMMAND_COMMAND_H

#include "agent/tools/tool.h"

/* Borrows the task, and as long as it lives `knowledge` (NULL: there is none).
 * ERROR_TASK where its settings are off. */
struct error *command_new(struct variation_operator **out,
			  const struct task *task,
			  struct tool_knowledge *knowledge) MUST_CHECK;

#endif
