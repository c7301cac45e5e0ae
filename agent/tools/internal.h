/* The functions of the tools and what they share; the table is in tool.c. Only
 * this module and mcp include it. */
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
TOOL_FUNCTION(tool_tune);
TOOL_FUNCTION(tool_profile);
TOOL_FUNCTION(tool_microbenchmark);
TOOL_FUNCTION(tool_lineage);
TOOL_FUNCTION(tool_show);
TOOL_FUNCTION(tool_diff);
TOOL_FUNCTION(tool_restore);
TOOL_FUNCTION(tool_knowledge_search);
TOOL_FUNCTION(tool_notes);

/* Turns an error that the agent can correct into a failed reply and returns
 * NULL; returns any other error. */
struct error *tool_mend(struct tool_reply *out, struct error *err) MUST_CHECK;
/* A string argument that the schema requires. Borrowed. */
const char *tool_string(const struct json *arguments, const char *key);
/* An optional integer, limited to low..high; `otherwise` if it is missing. */
int64_t tool_int(const struct json *arguments, const char *key,
		 int64_t otherwise, int64_t low, int64_t high);
/* Reads the agent's sources (at least one), and copies them into v->workspace
 * if that is another folder. */
struct error *toolbox_take_sources(struct fileset *sources,
				   struct toolbox *b) MUST_CHECK;
/* Why the run is over (core/run/allowance.h); NULL: it is not. */
const char *toolbox_why_stop(const struct toolbox *b);
/* Adds where the supervisor has turned the run to. */
void toolbox_add_redirection(struct buf *out, const struct variation *v);
bool tool_is_source(const struct toolbox *b, const char *path);
/* If `path` is not a source: false, and a failed reply that names the
 * sources. */
bool tool_may_write(struct tool_reply *out, const struct toolbox *b,
		    const char *path);
/* The arguments (may be NULL) as the schema wants them: without nulls, "1" for
 * an integer as 1, 1 for a string as "1". json_free disposes. */
struct json *tool_settle(const char *schema,
			 const struct json *arguments) MUST_CHECK;
/* State for a later process: the operator's own and the notes; NULL if there
 * is none. `cleared`: notes that are empty are notes too. free() disposes. */
char *toolbox_state(const struct toolbox *b, bool cleared) MUST_CHECK;
/* bound.c: shortens the reply to what an agent gets. */
void tool_bound(struct tool_reply *out, struct toolbox *b);
/* Checks the arguments against a schema: unknown members, missing members and
 * types. Returns false after tool_fail. */
bool tool_check(struct tool_reply *out, const char *tool, const char *schema,
		const struct json *arguments);

#endif
