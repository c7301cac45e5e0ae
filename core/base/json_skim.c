/* Text of JSON without some of its members: parsing what is thrown away takes
 * longer than all else. What is thrown away is looked at as strictly as the
 * parser does, or more so: what is skimmed is what can be read whole. */
#include "core/base/json.h"
#include "core/base/json_scan.h"
#include "core/base/utf8.h"

#define MAX_DEPTH  64
#define KEY_MAX	   32
#define SCALAR_MAX 40

struct skim {
	const char *p, *end;
	struct buf *out;
	const struct json_skimmer *how;
	bool checks; /* within a member that is left out and has bounds */
};

static void skip_blanks(struct skim *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' ||
				 *s->p == '\r' || *s->p == '\n'))
		s->p++;
}

static bool take(struct skim *s, char c)
{
	skip_blanks(s);
	if (s->p >= s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

/* ---- strings and keys ---------------------------------------------------- */

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* A character that is not plain. One given by its number is left to the
 * parser. */
static bool skip_char(struct skim *s)
{
	size_t left = (size_t)(s->end - s->p), n = utf8_len(s->p, left);

	if (!n || (unsigned char)*s->p < ' ')
		return false;
	if (*s->p == '\\') {
		if (left < 2 || !s->p[1] || !strchr("\"\\/bfnrt", s->p[1]))
			return false;
		n = 2;
	}
	s->p += n;
	return true;
}

/* From one quote to behind the other. */
static bool skip_string(struct skim *s)
{
	s->p++;
	for (;;) {
		while (s->p < s->end && is_plain(*s->p))
			s->p++;
		if (s->p >= s->end)
			return false;
		if (*s->p == '"')
			break;
		if (!skip_char(s))
			return false;
	}
	s->p++;
	return true;
}

/* A key, and the colon behind it; of a long one its beginning. Written with
 * escapes it could be any other. */
static bool take_key(struct skim *s, char key[KEY_MAX])
{
	const char *start = s->p;
	size_t len;

	if (s->p >= s->end || *s->p != '"' || !skip_string(s))
		return false;
	len = (size_t)(s->p - start) - 2;
	if (memchr(start, '\\', len + 1))
		return false;
	len = MIN(len, (size_t)KEY_MAX - 1);
	memcpy(key, start + 1, len);
	key[len] = '\0';
	if (!take(s, ':'))
		return false;
	skip_blanks(s);
	return true;
}

/* ---- values -------------------------------------------------------------- */

static bool is_of_scalar(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' ||
	       c == '-' || c == '+' || c == 'E';
}

/* A number, true, false or null; `key`: of the member that it is in. */
static bool skip_scalar(struct skim *s, const char *key)
{
	char text[SCALAR_MAX + 1];
	const char *start = s->p;
	size_t len;

	while (s->p < s->end && is_of_scalar(*s->p))
		s->p++;
	len = (size_t)(s->p - start);
	if (!len || len > SCALAR_MAX)
		return false;
	memcpy(text, start, len);
	text[len] = '\0';
	if (!json_is_number(text))
		return str_eq(text, "true") || str_eq(text, "false") ||
		       str_eq(text, "null");
	return !s->checks || s->how->within_bounds(key, text);
}

static bool skip_value(struct skim *s, const char *key, unsigned depth);

static bool skip_member(struct skim *s, unsigned depth)
{
	char key[KEY_MAX];

	return take_key(s, key) && skip_value(s, key, depth);
}

static bool skip_list(struct skim *s, const char *of, unsigned depth)
{
	char close = *s->p++ == '{' ? '}' : ']';
	size_t n = 0;

	if (depth > MAX_DEPTH)
		return false;
	if (take(s, close))
		return true;
	do {
		skip_blanks(s);
		if ((++n > s->how->max_items && s->checks) ||
		    !(close == '}' ? skip_member(s, depth)
				   : skip_value(s, of, depth)))
			return false;
	} while (take(s, ','));
	return take(s, close);
}

/* From its first character to behind its last. */
static bool skip_value(struct skim *s, const char *key, unsigned depth)
{
	if (s->p >= s->end)
		return false;
	if (*s->p == '"')
		return skip_string(s);
	if (*s->p == '{' || *s->p == '[')
		return skip_list(s, key, depth + 1);
	return skip_scalar(s, key);
}

/* ---- what is kept -------------------------------------------------------- */

static bool skim_object(struct skim *s, const char *of, unsigned depth);

static bool leave_out(struct skim *s, bool checks, const char *key,
		      unsigned depth)
{
	bool ok;

	s->checks = checks;
	ok = skip_value(s, key, depth);
	s->checks = false;
	return ok;
}

/* A member of the object under `of`; *kept: how many are in *out already. */
static bool skim_member(struct skim *s, const char *of, size_t *kept,
			unsigned depth)
{
	const char *start = s->p;
	enum json_skim_as as;
	char key[KEY_MAX];

	if (!take_key(s, key))
		return false;
	as = s->how->as(of, key);
	if (as != JSON_SKIM_KEEP)
		return leave_out(s, as == JSON_SKIM_CHECK, key, depth);
	if ((*kept)++)
		buf_addc(s->out, ',');
	if (s->p < s->end && *s->p == '{') {
		buf_add(s->out, start, (size_t)(s->p - start));
		return skim_object(s, key, depth + 1);
	}
	if (!skip_value(s, key, depth))
		return false;
	buf_add(s->out, start, (size_t)(s->p - start));
	return true;
}

static bool skim_object(struct skim *s, const char *of, unsigned depth)
{
	size_t kept = 0;

	if (depth > MAX_DEPTH || !take(s, '{'))
		return false;
	buf_addc(s->out, '{');
	if (!take(s, '}')) {
		do {
			skip_blanks(s);
			if (!skim_member(s, of, &kept, depth))
				return false;
		} while (take(s, ','));
		if (!take(s, '}'))
			return false;
	}
	buf_addc(s->out, '}');
	return true;
}

bool json_skim(struct buf *out, const char *text, size_t len,
	       const struct json_skimmer *how)
{
	struct skim s = {text, text + len, out, how, false};

	if (!skim_object(&s, "", 1))
		return false;
	skip_blanks(&s);
	return s.p == s.end && !out->truncated;
}
