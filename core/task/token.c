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
