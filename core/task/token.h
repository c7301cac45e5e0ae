/*
 * C and C++ source as tokens, without a preprocessor: comments and directives
 * are blanks, words, numbers and strings are one token each, all else is a
 * character.
 */
#ifndef CORE_TASK_TOKEN_H
#define CORE_TASK_TOKEN_H

#include "core/base/base.h"

struct token {
	const char *at; /* in the source */
	size_t len;	/* 0 at the end */
};

/* *source moves past it. */
struct token token_next(const char **source);
bool token_is(struct token t, const char *text);
/* A name or a keyword. */
bool token_is_word(struct token t);
/* Goes past the bracket that closes one just read. */
const char *token_skip_nested(const char *s, const char *open,
			      const char *close);

#endif
