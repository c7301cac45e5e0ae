/* Measurements as text, for the agent that decides what to try next. */
#ifndef AGENT_TOOLS_FIGURES_H
#define AGENT_TOOLS_FIGURES_H

#include "agent/tools/tool.h"
#include "core/run/archive.h"

/* Writes "1.234x" (relative to the start) or "-". */
void attempt_speed(char *out, size_t size, const struct attempt *a);
/* What a score gives to programs. A figure that is not there (a failure, no
 * rival) is left out. */
extern const struct tool_member figures_members[];
/* The members that an attempt has, without the report. json_free disposes. */
struct json *figures_json(const struct population *p,
			  const struct attempt *a) MUST_CHECK;
/* Adds everything an agent needs to decide: verdict, cases, comparisons and the
 * reason of a failure. Measurements that the population keeps in short form are
 * read from the archive (may be NULL); what it lacks is left out. */
void figures_add(struct buf *out, const struct population *p,
		 const struct attempt *a, struct archive *archive);

#endif
