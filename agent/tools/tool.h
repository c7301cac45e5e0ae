/*
 * The tools of an agent: typed, over one context, the same for a model, for a
 * client of MCP and for an agent in the sandbox. A tool answers with text that
 * is bounded: head and tail are kept, what is left out is counted, and the
 * whole lies in a file of the workspace (TOOL_FOLDER) that `view` reads.
 *
 * Whatever the agent did wrong (arguments, paths, an edit that fits nowhere)
 * is a reply that says so, for it to mend. An error is the world's: then the
 * step is over.
 */
#ifndef AGENT_TOOLS_TOOL_H
#define AGENT_TOOLS_TOOL_H

#include "core/base/json.h"
#include "core/run/variation.h"

/* In the workspace; never among the task's sources. */
#define TOOL_FOLDER ".avogit-out"
/* Of a reply as the agent gets it. */
#define TOOL_REPLY_MAX ((size_t)16 << 10)
#define TOOL_LINE_MAX  2000
/* Of a reply before it is cut, and of a file that is read. */
#define TOOL_WHOLE_MAX ((size_t)4 << 20)
#define TOOL_NOTES_MAX ((size_t)16 << 10)

struct tool_reply {
	struct buf
		text; /* NUL-free; bytes that are not UTF-8 are still in it */
	bool failed;
	char *file; /* where all of it is, from the workspace; NULL: here */
};
void tool_reply_init(struct tool_reply *r);
void tool_reply_release(struct tool_reply *r);
/* The reply is a failure with this text and no other. */
void tool_fail(struct tool_reply *r, const char *fmt, ...) PRINTF(2, 3);
DEFINE_RELEASE(tool_reply, struct tool_reply, tool_reply_release)
#define cleanup_tool_reply CLEANUP(tool_reply)

/* What an agent writes to itself; its owner keeps it from step to step, and
 * operator_state from process to process. */
struct notes {
	struct buf text;
};
void notes_init(struct notes *n);
/* Takes what the newest attempt of the population has, if it has any. */
void notes_restore(struct notes *n, const struct population *p);
void notes_release(struct notes *n);
DEFINE_RELEASE(notes, struct notes, notes_release)
#define cleanup_notes CLEANUP(notes)

/* The knowledge base as a tool sees it: adds the best passages, each with its
 * source, to *out. What the run tried up to now, `p`, is part of it. */
struct tool_knowledge {
	struct error *(*search)(struct tool_knowledge *self, struct buf *out,
				const struct population *p, const char *query,
				size_t limit);
};

/* The context. Borrows all it points to; toolbox_init for the plain case. */
struct toolbox {
	struct variation *v;
	/* The agent's files. Where that is not v->workspace itself, what is
	 * built or scored is copied there first, sources only. */
	const char *dir;
	const char *shown;   /* the same, as the agent's own programs see it */
	struct notes *notes; /* NULL: none are kept */
	struct tool_knowledge *knowledge; /* NULL: there is none */
	/* What the operator keeps with an attempt beside the notes (an
	 * object); NULL: nothing. */
	const struct json *state;
	/* The sources as they were last scored; "": never. */
	char scored[FILESET_ID_LEN + 1];
	size_t attempts;  /* made through this box */
	unsigned n_files; /* in TOOL_FOLDER */
	const char *file_prefix;
};
void toolbox_init(struct toolbox *b, struct variation *v);

enum tool_flags {
	TOOL_READS = 1, /* changes nothing */
	TOOL_FILES = 2, /* touches the workspace's files and no more */
	TOOL_LONG = 4,	/* may take minutes */
};

struct tool {
	const char *name, *description;
	const char *schema; /* of its arguments: JSON, members in fixed order */
	unsigned flags;
	struct error *(*call)(struct tool_reply *out, struct toolbox *b,
			      const struct json *arguments);
};
/* Always in the same order. */
const struct tool *tools(size_t *n);
const struct tool *tool_find(const char *name); /* NULL: there is none */
/* Checks the arguments (NULL: none) against the schema, calls, bounds. *out
 * is initialised by the caller. */
struct error *tool_call(struct tool_reply *out, struct toolbox *b,
			const struct tool *t,
			const struct json *arguments) MUST_CHECK;

/* Where the files are and what the task asks for, for an agent that cannot see
 * its file. */
void toolbox_brief(struct buf *out, const struct toolbox *b);
/* The same without a workspace. */
void task_brief(struct buf *out, const struct task *t);
/* Names the patterns of what may be changed: "kernel.c, src/". */
void task_brief_sources(struct buf *out, const struct task *t);
/* The agent's sources, read back without following links. */
struct error *toolbox_read_sources(struct fileset *out,
				   const struct toolbox *b) MUST_CHECK;
/* Do they differ from what was last scored, or from the parent where nothing
 * was? */
struct error *toolbox_is_dirty(bool *out, const struct toolbox *b) MUST_CHECK;
/* Scores them: what the tool `score` does. */
struct error *toolbox_score(struct tool_reply *out, struct toolbox *b,
			    const char *subject,
			    const char *hypothesis) MUST_CHECK;

#endif
