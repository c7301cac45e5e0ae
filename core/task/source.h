/*
 * A source in C or C++ as tokens, with the functions that it defines. The tokens
 * point into the text.
 */
#ifndef CORE_TASK_SOURCE_H
#define CORE_TASK_SOURCE_H

#include "core/task/token.h"

struct function_body {
	size_t name, parameters, body; /* token numbers; both are brackets */
};

struct source_tokens {
	struct token *token;
	size_t *partner; /* of a bracket; else 0 */
	size_t n, cap;
	struct function_body *definition; /* in the order of the text */
	size_t n_definitions, cap_definitions;
};

/* Fills *s, which is empty, of a text that stays. What is beyond some millions of tokens
 * is left out. Behind the last one are a few without a character, not counted in `n`:
 * what looks at the tokens after a name need not ask where the text ends. */
void source_read(struct source_tokens *s, const char *text);
void source_release(struct source_tokens *s);
DEFINE_RELEASE(source_tokens, struct source_tokens, source_release)
#define cleanup_source_tokens CLEANUP(source_tokens)

/* The bracket that closes this one; 0: it is not an opening one. */
char source_closing(struct token t);

#endif
