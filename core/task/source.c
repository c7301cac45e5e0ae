#include "core/task/source.h"

#define MAX_TOKENS ((size_t)4 << 20)
#define PAST	   8 /* tokens that one may look behind the last one */

char source_closing(struct token t)
{
	return t.len != 1     ? 0
	       : *t.at == '(' ? ')'
	       : *t.at == '[' ? ']'
	       : *t.at == '{' ? '}'
			      : 0;
}

void source_release(struct source_tokens *s)
{
	free(s->token);
	free(s->partner);
	free(s->definition);
}

/* Brackets that do not match have no partner. */
static void match_brackets(struct source_tokens *s)
{
	size_t *open = xcalloc(s->n + 1, sizeof *open), depth = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (source_closing(s->token[i])) {
			open[depth++] = i;
		} else if (s->token[i].len == 1 &&
			   strchr(")]}", *s->token[i].at)) {
			size_t at = depth ? open[--depth] : i;

			if (at == i ||
			    source_closing(s->token[at]) != *s->token[i].at)
				continue;
			s->partner[at] = i;
			s->partner[i] = at;
		}
	}
	free(open);
}

static bool is_keyword(struct token t)
{
	static const char *const words[] = {"if",     "for",	      "while",
					    "switch", "return",	      "sizeof",
					    "catch",  "__attribute__"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (token_is(t, words[i]))
			return true;
	return false;
}

/* NAME ( ... ) words { */
static bool is_definition(const struct source_tokens *s, size_t i,
			  struct function_body *out)
{
	size_t k;

	if (i + 3 >= s->n || !token_is_word(s->token[i]) ||
	    is_keyword(s->token[i]) || !token_is(s->token[i + 1], "(") ||
	    !s->partner[i + 1])
		return false;
	k = s->partner[i + 1] + 1;
	while (k + 1 < s->n && token_is_word(s->token[k])) {
		k++;
		if (token_is(s->token[k], "(") && s->partner[k])
			k = s->partner[k] + 1;
	}
	if (k >= s->n || !token_is(s->token[k], "{") || !s->partner[k])
		return false;
	*out = (struct function_body){i, i + 1, k};
	return true;
}

static void add_token(struct source_tokens *s, struct token t)
{
	GROW(s->token, s->n, s->cap);
	s->token[s->n++] = t;
}

void source_read(struct source_tokens *s, const char *text)
{
	struct token t;

	while (s->n < MAX_TOKENS && (t = token_next(&text)).len)
		add_token(s, t);
	for (size_t i = 0; i < PAST; i++)
		add_token(s, (struct token){"", 0});
	s->partner = xcalloc(s->n, sizeof *s->partner);
	s->n -= PAST;
	match_brackets(s);
	for (size_t i = 0; i < s->n; i++) {
		struct function_body d;

		if (!is_definition(s, i, &d))
			continue;
		GROW(s->definition, s->n_definitions, s->cap_definitions);
		s->definition[s->n_definitions++] = d;
		i = d.parameters;
	}
}
