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

#define TOKEN_ARGUMENTS 128 /* tokens from "<" to ">" of a template, at most */

/* Of the brackets of a template's parameters or arguments, among `n` tokens, the
 * other one of the "<" or ">" at `at`. 0: it has none, or a statement ends between
 * them, or they are further apart than TOKEN_ARGUMENTS. */
size_t token_other_angle(const struct token *t, size_t n, size_t at);
/* The next of these, [*from, *to), of those up to the ">" at `close`; *to is at the
 * "<" first. False after the last. */
bool token_next_argument(const struct token *t, size_t *from, size_t *to,
			 size_t close);

#endif
