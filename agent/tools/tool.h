/*
 * The tools of an agent: typed functions over one context, the same for a
 * model, an MCP client and an agent in the sandbox. A tool answers with bounded
 * text: its head and tail, a count of what is left out, and the name of a file
 * in the workspace (TOOL_FOLDER) that holds the full text for `view`.
 *
 * A mistake of the agent (arguments, paths, an edit that matches nowhere) is a
 * reply that says so, and the agent can try again. An error is a failure
 * outside the agent; it ends the step.
 */
#ifndef AGENT_TOOLS_TOOL_H
#define AGENT_TOOLS_TOOL_H

#include "core/base/json.h"
#include "core/run/variation.h"

/* In the workspace; never among the task's sources. */
#define TOOL_FOLDER ".avogit-out"
/* Limits of a reply that the agent gets: bytes, and bytes of a line. */
#define TOOL_REPLY_MAX ((size_t)16 << 10)
#define TOOL_LINE_MAX  2000
/* Limit in bytes of a reply before it is cut, and of a file that is read. */
#define TOOL_WHOLE_MAX ((size_t)4 << 20)
#define TOOL_NOTES_MAX ((size_t)16 << 10)

struct tool_reply {
	struct buf text; /* without NUL; may hold invalid UTF-8 */
	bool failed;
	char *file; /* full text, path in the workspace; NULL: not cut */
	/* The same for programs: an object of the tool's `gives`, or NULL. */
	struct json *data;
};
void tool_reply_init(struct tool_reply *r);
void tool_reply_release(struct tool_reply *r);
/* Makes the reply a failure with this text alone. */
void tool_fail(struct tool_reply *r, const char *fmt, ...) PRINTF(2, 3);
DEFINE_RELEASE(tool_reply, struct tool_reply, tool_reply_release)
#define cleanup_tool_reply CLEANUP(tool_reply)

/* Notes that an agent writes for itself. The owner keeps them from step to
 * step; operator_state carries them from process to process. */
struct notes {
	struct buf text;
};
void notes_init(struct notes *n);
/* Takes the notes of the newest attempt that has any. */
void notes_restore(struct notes *n, const struct population *p);
void notes_release(struct notes *n);
DEFINE_RELEASE(notes, struct notes, notes_release)
#define cleanup_notes CLEANUP(notes)

/* The knowledge base as a tool: `search` adds the best passages to *out, each
 * with its source. It also covers what the run `p` has tried so far. `open` adds
 * a document, or the names of all (name ""); ERROR_NOT_FOUND. */
struct tool_knowledge {
	struct error *(*open)(struct tool_knowledge *self, struct buf *out,
			      const struct population *p, const char *name);
	struct error *(*search)(struct tool_knowledge *self, struct buf *out,
				const struct population *p, const char *query,
				size_t limit);
};

/* The context of the tools. Borrows all its pointers. See toolbox_init. */
struct toolbox {
	struct variation *v;
	/* The agent's files. If this is not v->workspace, the sources are
	 * copied there before each build or score. */
	const char *dir;
	const char *shown;   /* `dir` as the agent's own programs see it */
	struct notes *notes; /* NULL: no notes */
	struct tool_knowledge *knowledge; /* NULL: no knowledge base */
	/* An object that the operator stores with each attempt beside the
	 * notes; NULL: nothing. */
	const struct json *state;
	/* Id of the sources that were last scored; "": never. */
	char scored[FILESET_ID_LEN + 1];
	size_t attempts; /* scored through this box */
	/* After a kill: attempts from this index on may be scores whose result
	 * the agent did not get; 0: none are. */
	size_t unread;
	unsigned n_files; /* in TOOL_FOLDER */
	const char *file_prefix;
};
void toolbox_init(struct toolbox *b, struct variation *v);

enum tool_flags {
	TOOL_READS = 1, /* changes nothing */
	TOOL_FILES = 2, /* only touches the workspace's files */
	TOOL_LONG = 4,	/* may take minutes */
	TOOL_AGAIN = 8, /* twice does the same as once */
	/* Needs no more than the run and the notes, at rest (variation.h). */
	TOOL_BESIDE = 16,
};

/* A member of the object that a tool's reply holds for programs. */
struct tool_member {
	const char *name, *type, *about; /* as in a JSON schema */
	bool always;
};

struct tool {
	const char *name, *title, *description;
	const char *schema; /* of the arguments: JSON, members in fixed order */
	/* Of the reply's data, ended by a NULL name; NULL: it has none. */
	const struct tool_member *gives;
	unsigned flags;
	struct error *(*call)(struct tool_reply *out, struct toolbox *b,
			      const struct json *arguments);
};
/* All tools, always in the same order. */
const struct tool *tools(size_t *n);
const struct tool *tool_find(const char *name); /* or NULL */
/* False for one that must fail for this task: `profile` where the evaluator
 * cannot, `tune` where the run has no tuner. A list that is made with the task
 * known leaves it out. */
bool tool_is_offered(const struct tool *t, const struct variation *v);
/* Checks the arguments (may be NULL) against the schema, calls the tool and
 * bounds the reply. The caller initialises *out. */
struct error *tool_call(struct tool_reply *out, struct toolbox *b,
			const struct tool *t,
			const struct json *arguments) MUST_CHECK;

/* Adds where the files are, what the task asks for, the machine, and what is
 * left of the budget, for an agent that cannot read the task file. */
void toolbox_brief(struct buf *out, const struct toolbox *b);
/* Adds the machine's name, and lines on instruction sets, caches and the most
 * that it can do, as far as they are known. */
void toolbox_machine(struct buf *out, const struct variation *v);
/* Adds what is left of the run's budget: "12 attempts, 58 min". */
void toolbox_left(struct buf *out, const struct variation *v);
/* What the task asks for. */
void task_brief(struct buf *out, const struct task *t);
/* Adds the patterns of the files that may be changed: "kernel.c, src/". */
void task_brief_sources(struct buf *out, const struct task *t);
/* Reads the agent's sources without following links. */
struct error *toolbox_read_sources(struct fileset *out,
				   const struct toolbox *b) MUST_CHECK;
/* Do the sources differ from those last scored, or else the parent's? */
struct error *toolbox_is_dirty(bool *out, const struct toolbox *b) MUST_CHECK;
/* Adds how the agent's sources differ from the parent's, as `git diff` would
 * print it, up to the limit of *out. */
struct error *toolbox_diff(struct buf *out, const struct toolbox *b) MUST_CHECK;
/* Scores the sources like the tool `score`. */
struct error *toolbox_score(struct tool_reply *out, struct toolbox *b,
			    const char *subject,
			    const char *hypothesis) MUST_CHECK;

#endif
