#include "core/base/json_scan.h"

#include "core/base/utf8.h"

#define MAX_DEPTH     64
#define NUMBER_ESCAPE "\\u0001"

struct json_scan {
	const char *p, *end;
	const char *added; /* what is before it is in *out */
	unsigned depth;
	struct buf *out;
};

/* What stands for itself in a string: most of it. */
static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* One character of a string, which is not plain. */
static struct error *scan_char(struct json_scan *s)
{
	size_t left = (size_t)(s->end - s->p), n = utf8_len(s->p, left);

	if (!n || (unsigned char)*s->p < ' ')
		return error_new(ERROR_MALFORMED,
				 "a string has bytes that are no text");
	if (*s->p == '\\' && left > 5 &&
	    (memcmp(s->p, "\\u0000", 6) == 0 ||
	     memcmp(s->p, NUMBER_ESCAPE, 6) == 0))
		return error_new(ERROR_MALFORMED,
				 "a string has a control character");
	s->p += *s->p == '\\' ? 2 : n;
	return NULL;
}

static struct error *scan_string(struct json_scan *s)
{
	s->p++;
	for (;;) {
		while (s->p < s->end && is_plain(*s->p))
			s->p++;
		if (s->p >= s->end)
			return error_new(ERROR_MALFORMED,
					 "a string does not end");
		if (*s->p == '"')
			break;
		TRY(scan_char(s));
	}
	s->p++;
	return NULL;
}

static void add_scanned(struct json_scan *s)
{
	buf_add(s->out, s->added, (size_t)(s->p - s->added));
	s->added = s->p;
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' ||
	       c == 'e' || c == 'E';
}

static struct error *scan_number(struct json_scan *s)
{
	static const char mark[] = {'"', JSON_NUMBER_MARK};

	add_scanned(s);
	buf_add(s->out, mark, sizeof mark);
	while (s->p < s->end && is_of_number(*s->p))
		s->p++;
	if (s->p - s->added > 400)
		return error_new(ERROR_MALFORMED, "a number is too long");
	add_scanned(s);
	buf_addc(s->out, '"');
	return NULL;
}

/* What is between strings and numbers. */
static struct error *scan_mark(struct json_scan *s)
{
	char c = *s->p++;

	if ((c == '[' || c == '{') && ++s->depth > MAX_DEPTH)
		return error_new(ERROR_MALFORMED, "values nest deeper than %d",
				 MAX_DEPTH);
	if ((c == ']' || c == '}') && s->depth)
		s->depth--;
	if (!c || !strchr(" \t\r\n[]{}:,truefalsn", c))
		return error_new(ERROR_MALFORMED,
				 "a character does not belong there");
	return NULL;
}

static struct error *scan_all(struct json_scan *s)
{
	while (s->p < s->end) {
		char c = *s->p;

		if (c == '"')
			TRY(scan_string(s));
		else if (c == '-' || (c >= '0' && c <= '9'))
			TRY(scan_number(s));
		else
			TRY(scan_mark(s));
	}
	add_scanned(s);
	return NULL;
}

struct error *json_scan(struct buf *out, const char *text, size_t len)
{
	struct json_scan s = {text, text + len, text, 0, out};

	return scan_all(&s);
}

bool json_is_number(const char *s)
{
	s += *s == '-';
	if (*s == '0')
		s++;
	else if (strspn(s, "0123456789"))
		s += strspn(s, "0123456789");
	else
		return false;
	if (*s == '.') {
		size_t n = strspn(++s, "0123456789");

		if (!n)
			return false;
		s += n;
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '+' || *s == '-';
		if (!strspn(s, "0123456789"))
			return false;
		s += strspn(s, "0123456789");
	}
	return !*s;
}
