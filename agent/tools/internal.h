/* The tools, one function each, and what they share. Only this
 * module and mcp include it; the table is in tool.c. */
#ifndef AGENT_TOOLS_INTERNAL_H
#define AGENT_TOOLS_INTERNAL_H

#include "agent/tools/figures.h"
#include "agent/tools/folder.h"
#include "agent/tools/tool.h"

#define TOOL_FUNCTION(name)                                           \
	struct error *name(struct tool_reply *out, struct toolbox *b, \
			   const struct json *arguments)

TOOL_FUNCTION(tool_view);
TOOL_FUNCTION(tool_search);
TOOL_FUNCTION(tool_edit);
TOOL_FUNCTION(tool_write);
TOOL_FUNCTION(tool_shell);
TOOL_FUNCTION(tool_build);
TOOL_FUNCTION(tool_score);
TOOL_FUNCTION(tool_profile);
TOOL_FUNCTION(tool_lineage);
TOOL_FUNCTION(tool_show);
TOOL_FUNCTION(tool_diff);
TOOL_FUNCTION(tool_restore);
TOOL_FUNCTION(tool_knowledge_search);
TOOL_FUNCTION(tool_notes);

/* What the agent can mend becomes a failed reply; NULL then, else err. */
struct error *tool_mend(struct tool_reply *out, struct error *err) MUST_CHECK;
/* The argument, which the schema has as required. */
const char *tool_string(const struct json *arguments, const char *key);
/* The optional one, within bounds; `otherwise` where it is not there. */
int64_t tool_int(const struct json *arguments, const char *key,
		 int64_t otherwise, int64_t low, int64_t high);
bool tool_is_source(const struct toolbox *b, const char *path);
/* Refuses, naming the sources, where `path` is none of them. */
bool tool_may_write(struct tool_reply *out, const struct toolbox *b,
		    const char *path);
/* bound.c: cuts the reply to what an agent gets. */
void tool_bound(struct tool_reply *out, struct toolbox *b);
/* Checks arguments against a schema: unknown and missing members, types.
 * False after tool_fail. */
bool tool_check(struct tool_reply *out, const char *tool, const char *schema,
		const struct json *arguments);

#endif
