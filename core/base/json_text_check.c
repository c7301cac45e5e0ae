/* Is it JSON? Nobody looks again: what passes here is cut by byte. */
#include "core/base/json_text.h"
#include "core/base/utf8.h"

struct json_checker {
	const char *start, *p, *end;
};

static struct error *bad(const struct json_checker *c, const char *what)
{
	return error_new(ERROR_MALFORMED, "no JSON at byte %zu: %s",
			 (size_t)(c->p - c->start), what);
}

static void skip_blanks(struct json_checker *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' ||
				 *c->p == '\n' || *c->p == '\r'))
		c->p++;
}

static bool is_digit(const struct json_checker *c)
{
	return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

static struct error *check_escape(struct json_checker *c)
{
	if (++c->p >= c->end || !*c->p || !strchr("\"\\/bfnrtu", *c->p))
		return bad(c, "an escape that is none");
	if (*c->p++ != 'u')
		return NULL;
	for (int i = 0; i < 4; i++, c->p++)
		if (c->p >= c->end || !is_hex(*c->p))
			return bad(c, "a \\u without four digits");
	return NULL;
}

static struct error *check_string(struct json_checker *c)
{
	if (c->p >= c->end || *c->p != '"')
		return bad(c, "a string should begin here");
	for (c->p++; c->p < c->end && *c->p != '"';) {
		size_t n = utf8_len(c->p, (size_t)(c->end - c->p));

		if (!n || (unsigned char)*c->p < ' ')
			return bad(c, "a byte that is no text");
		if (*c->p == '\\')
			TRY(check_escape(c));
		else
			c->p += n;
	}
	if (c->p >= c->end)
		return bad(c, "a string does not end");
	c->p++;
	return NULL;
}

static struct error *check_digits(struct json_checker *c)
{
	if (!is_digit(c))
		return bad(c, "a digit should be here");
	while (is_digit(c))
		c->p++;
	return NULL;
}

static struct error *check_number(struct json_checker *c)
{
	if (*c->p == '-')
		c->p++;
	if (c->p < c->end && *c->p == '0')
		c->p++;
	else
		TRY(check_digits(c));
	if (c->p < c->end && *c->p == '.') {
		c->p++;
		TRY(check_digits(c));
	}
	if (c->p < c->end && (*c->p == 'e' || *c->p == 'E')) {
		c->p++;
		if (c->p < c->end && (*c->p == '+' || *c->p == '-'))
			c->p++;
		TRY(check_digits(c));
	}
	return NULL;
}

static struct error *check_word(struct json_checker *c)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(c->end - c->p) >= n &&
		    memcmp(c->p, words[i], n) == 0) {
			c->p += n;
			return NULL;
		}
	}
	return bad(c, "a value should begin here");
}

static struct error *check_scalar(struct json_checker *c)
{
	if (c->p >= c->end)
		return bad(c, "a value should begin here");
	if (*c->p == '"')
		return check_string(c);
	if (*c->p == '-' || is_digit(c))
		return check_number(c);
	return check_word(c);
}

static struct error *check_key(struct json_checker *c)
{
	skip_blanks(c);
	TRY(check_string(c));
	skip_blanks(c);
	if (c->p >= c->end || *c->p != ':')
		return bad(c, "a colon should be here");
	c->p++;
	return NULL;
}

/* Without recursion: `closer` is the stack. Leaves p after the value. */
static struct error *check_value(struct json_checker *c)
{
	char closer[JSON_TEXT_DEPTH];
	size_t depth = 0;

	for (;;) {
		bool opened = false;

		skip_blanks(c);
		if (c->p < c->end && (*c->p == '{' || *c->p == '[')) {
			if (depth == JSON_TEXT_DEPTH)
				return bad(c, "values nest too deep");
			closer[depth++] = *c->p++ == '{' ? '}' : ']';
			skip_blanks(c);
			opened = c->p >= c->end || *c->p != closer[depth - 1];
		} else {
			TRY(check_scalar(c));
		}
		while (depth && !opened) {
			skip_blanks(c);
			if (c->p < c->end && *c->p == closer[depth - 1]) {
				c->p++;
				depth--;
				continue;
			}
			if (c->p >= c->end || *c->p++ != ',')
				return bad(c, "a comma should be here");
			opened = true;
		}
		if (!depth)
			return NULL;
		if (closer[depth - 1] == '}')
			TRY(check_key(c));
	}
}

struct error *json_text_check(struct json_text *out, const char *text,
			      size_t len)
{
	struct json_checker c = {.start = text, .p = text, .end = text + len};
	const char *first, *last;

	skip_blanks(&c);
	first = c.p;
	TRY(check_value(&c));
	last = c.p;
	skip_blanks(&c);
	if (c.p != c.end)
		return bad(&c, "something follows the value");
	*out = (struct json_text){first, (size_t)(last - first)};
	return NULL;
}
