/* The knowledge base as the agent's tool: opened when it is first asked. */
#ifndef CMD_SESSION_KNOWLEDGE_TOOL_H
#define CMD_SESSION_KNOWLEDGE_TOOL_H

#include "agent/tools/tool.h"
#include "cmd/session/knowledge_base.h"

struct knowledge_tool {
	struct tool_knowledge tool; /* first: cast back */
	struct session *session;
	struct knowledge *knowledge;
	size_t known; /* attempts of the run that are in it */
};
/* Borrows the session. */
void knowledge_tool_init(struct knowledge_tool *t, struct session *s);
void knowledge_tool_release(struct knowledge_tool *t);

#endif
