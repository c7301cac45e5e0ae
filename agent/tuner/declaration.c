#include "agent/tuner/declaration.h"

#include <ctype.h>

#define MARK "avogit"
/* What ends a value of an assignment, and so cannot be in one. */
#define ASSIGNED_END "/#;,)="

/* Length of what begins a comment and ends at `end`; 0: nothing does. */
static size_t comment_length(const char *line, const char *end)
{
	static const char *const starts[] = {"//", "#", "--", ";"};

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		size_t n = strlen(starts[i]);

		if ((size_t)(end - line) >= n &&
		    strncmp(end - n, starts[i], n) == 0)
			return n;
	}
	return 0;
}

const char *declaration_mark(const char *line, const char **comment)
{
	for (const char *p = line; (p = strstr(p, " " MARK)); p++) {
		size_t n = comment_length(line, p);

		*comment = p - n;
		if (n)
			return p + 1;
	}
	return NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "const uint NAME = VALUE;", "NAME: int = VALUE". */
static bool find_assigned(struct define *d, const char *line)
{
	const char *sign = strchr(line, '='), *end;

	if (!sign || sign == line || sign[1] == '=' ||
	    strchr("<>!=+-*/%&|^", sign[-1]))
		return false;
	end = memchr(line, ':', (size_t)(sign - line));
	end = end && end[1] != ':' ? end : sign;
	while (end > line && isblank((unsigned char)end[-1]))
		end--;
	d->name = end;
	while (d->name > line && is_word(d->name[-1]))
		d->name--;
	d->name_len = (size_t)(end - d->name);
	d->value = sign + 1 + strspn(sign + 1, " \t");
	d->value_len = strcspn(d->value, " \t" ASSIGNED_END);
	d->is_assigned = true;
	return d->name_len && !isdigit((unsigned char)*d->name) && d->value_len;
}

bool declaration_define(struct define *d, const char *line)
{
	const char *p = line + strspn(line, " \t");

	if (*p++ != '#')
		return find_assigned(d, line);
	d->is_assigned = false;
	p += strspn(p, " \t");
	if (!starts_with(p, "define") || !isblank((unsigned char)p[6]))
		return false;
	d->name = p + 6 + strspn(p + 6, " \t");
	d->name_len = strcspn(d->name, " \t(");
	d->value = d->name + d->name_len;
	/* With arguments, the value's place is different. */
	if (*d->value == '(')
		return false;
	d->value += strspn(d->value, " \t");
	d->value_len = strcspn(d->value, " \t/");
	return d->name_len && d->value_len;
}

const char *declaration_odd_value(const struct define *d, const char *value)
{
	if (starts_with(value, MARK))
		return "a value begins with 'avogit'";
	if (!strchr(value, '/') && comment_length(value, value + strlen(value)))
		return "a value ends as a comment begins";
	if (!d->is_assigned)
		return strchr(value, '/') ? "a value holds a '/'" : NULL;
	return strpbrk(value, ASSIGNED_END)
		       ? "a value holds one of " ASSIGNED_END
		       : NULL;
}

/* Is p at the first word of a comment? */
static bool begins_comment(const char *line, const char *p)
{
	while (p > line && isblank((unsigned char)p[-1]))
		p--;
	if (p > line && p[-1] == '#')
		return p - line < 2 || isblank((unsigned char)p[-2]);
	if (p - line < 2 || p[-2] != '/' || !strchr("/*", p[-1]))
		return false;
	/* "https://" */
	return p - line < 3 || p[-3] != ':';
}

bool declaration_looks_like_one(const char *line)
{
	struct define d;

	for (const char *p = line; (p = strcasestr(p, "avogit")); p++) {
		const char *after = p + strlen("avogit");

		if (!begins_comment(line, p))
			continue;
		after += strspn(after, " \t");
		if (declaration_define(&d, line) || *after == ':' ||
		    *after == '-' || isdigit((unsigned char)*after))
			return true;
	}
	return false;
}
