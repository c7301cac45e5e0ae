/*
 * A reply while it arrives, from a stream or whole: blocks of text, reasoning
 * and calls in the order they came. What is quoted JSON stays so until the
 * end: pieces of strings are joined between their quotes, so that escapes
 * split over two pieces meet again and what goes back has the bytes that came.
 */
#ifndef AGENT_PROVIDER_DRAFT_H
#define AGENT_PROVIDER_DRAFT_H

#include "agent/provider/reply.h"
#include "core/base/json_text.h"

#define DRAFT_MAX_BLOCKS 4096

/* A string in pieces, without quotes, escapes as they came. */
struct draft_block {
	int64_t index;	  /* the server's; -1: it gave none */
	struct buf start; /* the block as it was announced; "": it was not */
	struct buf text, thinking, signature, arguments;
	struct buf id, name; /* of a call */
	bool is_call, arguments_are_json, ended;
};

/* What the server said went wrong, after status 200 too. */
struct draft_failure {
	int status; /* as HTTP has it; 0: nothing went wrong */
	char *message;
	char *parameter; /* the one it names; or NULL */
};

struct draft {
	struct draft_block *blocks;
	size_t n, cap;
	/* Chat Completions has one of each, outside the blocks. */
	struct buf content, refusal, reasoning, reasoning_content, details;
	char *model, *explanation;
	struct usage usage;
	enum reply_stop stop;
	bool stop_known; /* the server said why it stopped */
	bool ended;	 /* the server said that it stopped */
	struct draft_failure failure;
};

void draft_init(struct draft *d);
void draft_release(struct draft *d);
DEFINE_RELEASE(draft, struct draft, draft_release)
#define cleanup_draft CLEANUP(draft)

/* The newest block of that index; NULL if there is none. */
struct draft_block *draft_find(const struct draft *d, int64_t index);
/* ERROR_TOO_BIG when there are too many. */
struct error *draft_add(struct draft_block **out, struct draft *d,
			int64_t index) MUST_CHECK;
/* Appends a string's inside to b; another value is passed over. */
void draft_append(struct buf *b, struct json_text string);
/* The text that quoted pieces stand for; free() disposes. */
char *draft_text(const struct buf *pieces) MUST_CHECK;
/* Adds a call to a reply: arguments that are not a JSON object become "{}" and
 * `invalid` says so. `id` may be "", then one is made. */
void draft_give_call(struct reply *out, size_t *cap,
		     const struct draft_block *b);

#endif
