/*
 * Tokens of C and C++ source: comments and directives count as blanks; words,
 * numbers and strings are one token each; every other character is a token.
 * Nothing is preprocessed here: a compiler did it before, or the source is read
 * without its macros.
 */
#ifndef CORE_TASK_TOKEN_H
#define CORE_TASK_TOKEN_H

#include "core/base/base.h"

struct token {
	const char *at; /* in the source */
	size_t len;	/* 0 at the end */
};

/* The next one; moves *source past it. */
struct token token_next(const char **source);
bool token_is(struct token t, const char *text);
/* Is one of the tokens of `source` this one? NULL has none. */
bool token_occurs(const char *source, const char *text);
/* A name or a keyword. */
bool token_is_word(struct token t);
bool token_is_number(struct token t);
/* Moves past the bracket that closes the one just read. */
const char *token_skip_nested(const char *s, const char *open,
			      const char *close);

#endif
