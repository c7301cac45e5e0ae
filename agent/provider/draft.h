/*
 * A reply while it arrives, from a stream or whole: blocks of text, reasoning
 * and calls in their order. Strings stay JSON-quoted until the end: pieces are
 * joined between their quotes, so that an escape split over two pieces is whole
 * again and the block is sent back with the bytes that came.
 */
#ifndef AGENT_PROVIDER_DRAFT_H
#define AGENT_PROVIDER_DRAFT_H

#include "agent/provider/reply.h"
#include "core/base/json_text.h"

#define DRAFT_MAX_BLOCKS 4096

/* Each buffer is a JSON string in pieces: without quotes, escapes kept. */
struct draft_block {
	int64_t index;	  /* the server's; -1: it gave none */
	struct buf start; /* the block as announced; "": not announced */
	struct buf text, thinking, signature, arguments;
	struct buf id, name; /* of a call */
	/* Members of a call and of its function that Chat Completions does not
	 * define, as `"key":value,...`; they go back as they came. */
	struct buf more, function_more;
	bool is_call, arguments_are_json, ended;
};

/* An error that the server reported, possibly after status 200. */
struct draft_failure {
	int status; /* as in HTTP; 0: no error */
	char *message;
	char *parameter; /* the parameter it blames; or NULL */
};

struct draft {
	struct draft_block *blocks;
	size_t n, cap;
	/* Chat Completions has one of each, outside the blocks. */
	struct buf content, refusal, reasoning, reasoning_content, details;
	struct buf more; /* `"extra_content":...` of the message */
	char *model, *explanation;
	struct usage usage;
	enum reply_stop stop;
	bool stop_known; /* the server gave a reason for stopping */
	bool ended;	 /* the server reported the end */
	struct draft_failure failure;
};

void draft_init(struct draft *d);
void draft_release(struct draft *d);
DEFINE_RELEASE(draft, struct draft, draft_release)
#define cleanup_draft CLEANUP(draft)

/* The newest block with that index; NULL if there is none. */
struct draft_block *draft_find(const struct draft *d, int64_t index);
/* ERROR_TOO_BIG above DRAFT_MAX_BLOCKS. */
struct error *draft_add(struct draft_block **out, struct draft *d,
			int64_t index) MUST_CHECK;
/* Appends the string without its quotes; ignores other types of value. */
void draft_append(struct buf *b, struct json_text string);
/* Appends `key` and `value`, unless the key is there already. */
void draft_append_member(struct buf *more, struct json_text key,
			 struct json_text value);
/* Replaces in JSON text, in place, each escape of half a character ("\ud83d"
 * alone) by "\ufffd": a model may write one, and servers refuse it. NULL is
 * allowed. */
void draft_mend_escapes(char *json);
/* Decodes the pieces. free() disposes. */
char *draft_text(const struct buf *pieces) MUST_CHECK;
/* Adds a call to a reply. Arguments that are not a JSON object become "{}" and
 * `invalid` says why. An empty `id` is replaced by a generated one. */
void draft_give_call(struct reply *out, size_t *cap,
		     const struct draft_block *b);

#endif
