#include "core/task/token.h"

#include <ctype.h>

static const char *skip_line(const char *s)
{
	/* A backslash at the end of a directive's line continues it. */
	while (*s && *s != '\n')
		s += s[0] == '\\' && s[1] ? 2 : 1;
	return s;
}

static const char *skip_comment(const char *s)
{
	const char *end;

	if (s[1] == '/')
		return skip_line(s);
	end = strstr(s + 2, "*/");
	return end ? end + 2 : s + strlen(s);
}

static const char *skip_string(const char *s)
{
	char quote = *s++;

	while (*s && *s != quote)
		s += s[0] == '\\' && s[1] ? 2 : 1;
	return *s ? s + 1 : s;
}

/* C++ and C23 may have quotes between the digits of a number. */
static const char *skip_word(const char *s)
{
	bool number = isdigit((unsigned char)*s);

	while (is_word_char(*s) || (number && *s == '\'' && is_word_char(s[1])))
		s++;
	return s;
}

struct token token_next(const char **source)
{
	const char *s = *source, *begin;

	for (;;) {
		if (isspace((unsigned char)*s))
			s++;
		else if (*s == '#')
			s = skip_line(s);
		else if (*s == '/' && (s[1] == '/' || s[1] == '*'))
			s = skip_comment(s);
		else
			break;
	}
	begin = s;
	if (*s == '"' || *s == '\'')
		s = skip_string(s);
	else if (is_word_char(*s))
		s = skip_word(s);
	else if (*s)
		s++;
	*source = s;
	return (struct token){begin, (size_t)(s - begin)};
}

bool token_is(struct token t, const char *text)
{
	return t.len == strlen(text) && memcmp(t.at, text, t.len) == 0;
}

bool token_occurs(const char *source, const char *text)
{
	struct token t;

	while (source && (t = token_next(&source)).len)
		if (token_is(t, text))
			return true;
	return false;
}

bool token_is_word(struct token t)
{
	return t.len && is_word_char(*t.at) && !isdigit((unsigned char)*t.at);
}

bool token_is_number(struct token t)
{
	return t.len && isdigit((unsigned char)*t.at);
}

const char *token_skip_nested(const char *s, const char *open,
			      const char *close)
{
	struct token t;
	size_t depth = 1;

	while (depth && (t = token_next(&s)).len) {
		if (token_is(t, open))
			depth++;
		else if (token_is(t, close))
			depth--;
	}
	return s;
}

/* ---- brackets of templates -------------------------------------------------- */

/* Around a token. */
struct nesting {
	size_t angles, others;
};

static bool is_one_of(struct token t, const char *characters)
{
	return t.len == 1 && strchr(characters, *t.at);
}

/* Moves past it, in the direction in which `angle[0]` and `other` open brackets.
 * False: it closes one that was not opened on the way. Within other brackets "<" is
 * less than. */
static bool pass(struct nesting *n, struct token t, const char *angle,
		 const char *other, const char *closing)
{
	if (is_one_of(t, other)) {
		n->others++;
	} else if (is_one_of(t, closing)) {
		if (!n->others)
			return false;
		n->others--;
	} else if (!n->others && is_one_of(t, angle)) {
		if (*t.at == angle[0])
			n->angles++;
		else if (n->angles)
			n->angles--;
		else
			return false;
	}
	return true;
}

static bool pass_forward(struct nesting *n, struct token t)
{
	return pass(n, t, "<>", "([{", ")]}");
}

static bool pass_back(struct nesting *n, struct token t)
{
	return pass(n, t, "><", ")]}", "([{");
}

size_t token_other_angle(const struct token *t, size_t n, size_t at)
{
	bool back = token_is(t[at], ">");
	struct nesting d = {0};

	for (size_t left = TOKEN_ARGUMENTS; left && at < n; left--) {
		if (!(back ? pass_back : pass_forward)(&d, t[at]) ||
		    (!d.others && token_is(t[at], ";")))
			return 0;
		if (!d.angles && !d.others)
			return at;
		at += back ? SIZE_MAX : 1;
	}
	return 0;
}

bool token_next_argument(const struct token *t, size_t *from, size_t *to,
			 size_t close)
{
	struct nesting d = {0};

	if (*to >= close)
		return false;
	*from = *to + 1;
	for (*to = *from; *to < close; ++*to) {
		if (!d.angles && !d.others && token_is(t[*to], ","))
			break;
		pass_forward(&d, t[*to]);
	}
	return *from < *to;
}
