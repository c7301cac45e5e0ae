/* Tokens, and the names that are bound to values where the walk is. */
#include "core/task/walk.h"

bool walk_is(const struct walk *w, size_t at, const char *op)
{
	return at < w->end && strncmp(w->token[at].at, op, strlen(op)) == 0 &&
	       (w->token[at].len == 1 || w->token[at].len == strlen(op));
}

bool walk_take(struct walk *w, const char *op)
{
	if (!walk_is(w, w->at, op))
		return false;
	/* Each character of an operator is a token. */
	w->at += w->token[w->at].len == strlen(op) ? 1 : strlen(op);
	return true;
}

bool walk_is_type_word(struct token t)
{
	static const char *const words[] = {
		"void",	    "char",	  "short",	  "int",
		"long",	    "float",	  "double",	  "signed",
		"unsigned", "const",	  "volatile",	  "static",
		"struct",   "union",	  "enum",	  "register",
		"restrict", "__restrict", "__restrict__", "_Bool",
		"bool",	    "auto",	  "constexpr",	  "inline",
		"size_t",   "ssize_t",	  "ptrdiff_t",	  "int8_t",
		"int16_t",  "int32_t",	  "int64_t",	  "uint8_t",
		"uint16_t", "uint32_t",	  "uint64_t",	  "_Float16",
		"__bf16",   "__const",	  "intptr_t",	  "uintptr_t",
		"typename", "extern",	  "__extension__"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (token_is(t, words[i]))
			return true;
	return false;
}

bool walk_same(struct token a, struct token b)
{
	return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

struct binding *walk_find(struct walk *w, struct token name)
{
	for (size_t i = w->n; i-- > w->scope;)
		if (walk_same(w->binding[i].name, name))
			return &w->binding[i];
	for (size_t i = MIN(w->seen_to, w->n); i-- > w->seen_from;)
		if (walk_same(w->binding[i].name, name))
			return &w->binding[i];
	return NULL;
}

bool walk_number(size_t *out, struct walk *w, struct token name)
{
	const struct binding *b = walk_find(w, name);

	if (b)
		*out = (size_t)(b - w->binding);
	return b != NULL;
}

void walk_bind(struct walk *w, struct token name, const struct value *v)
{
	if (w->n == WALK_NAMES)
		return;
	GROW(w->binding, w->n, w->cap);
	w->binding[w->n++] = (struct binding){.name = name, .v = *v};
}

struct value value_unknown(void)
{
	return (struct value){.tensor = -1, .binding = SIZE_MAX};
}

struct value value_of(struct poly p)
{
	return (struct value){.p = p, .tensor = -1, .binding = SIZE_MAX};
}

bool walk_enter(struct walk *w)
{
	if (++w->nest <= WALK_NEST && ++w->steps <= WALK_STEPS)
		return true;
	w->at = w->end;
	return false;
}

void walk_leave(struct walk *w)
{
	w->nest--;
}
