/* Text of JSON without some of its members, by a look at brackets and quotes:
 * parsing what is thrown away takes longer than all else. */
#include "core/json.h"

#define MAX_DEPTH 64
#define KEY_MAX	  32

struct skim {
	const char *p, *end;
	struct buf *out;
	json_keep_fn *keep;
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

/* From one quote to behind the other. */
static bool skip_string(struct skim *s)
{
	for (s->p++; s->p < s->end; s->p++) {
		const char *quote = memchr(s->p, '"', (size_t)(s->end - s->p));
		const char *escape =
			quote ? memchr(s->p, '\\', (size_t)(quote - s->p))
			      : NULL;

		if (!quote)
			return false;
		s->p = escape ? escape + 1 : quote + 1;
		if (!escape)
			return true;
	}
	return false;
}

/* To the comma or bracket behind a value, which is left. */
static bool skip_value(struct skim *s)
{
	const char *start = s->p;
	unsigned depth = 0;

	while (s->p < s->end) {
		char c = *s->p;

		if (c == '"') {
			if (!skip_string(s))
				return false;
			continue;
		}
		if (!depth && (c == ',' || c == '}' || c == ']'))
			return s->p > start;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		s->p++;
	}
	return false;
}

/* What is between the quotes, and of a long one its beginning. */
static void copy_key(char key[KEY_MAX], const char *quoted, size_t len)
{
	len = MIN(len - 2, (size_t)KEY_MAX - 1);
	memcpy(key, quoted + 1, len);
	key[len] = '\0';
}

static bool skim_object(struct skim *s, const char *of, unsigned depth);

/* A member of the object under `of`; *kept: how many are in *out already. */
static bool skim_member(struct skim *s, const char *of, size_t *kept,
			unsigned depth)
{
	const char *start = s->p;
	char key[KEY_MAX];

	if (s->p >= s->end || *s->p != '"' || !skip_string(s))
		return false;
	copy_key(key, start, (size_t)(s->p - start));
	if (!take(s, ':'))
		return false;
	skip_blanks(s);
	if (!s->keep(of, key))
		return skip_value(s);
	if ((*kept)++)
		buf_addc(s->out, ',');
	if (s->p < s->end && *s->p == '{') {
		buf_add(s->out, start, (size_t)(s->p - start));
		return skim_object(s, key, depth + 1);
	}
	if (!skip_value(s))
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
	       json_keep_fn *keep)
{
	struct skim s = {text, text + len, out, keep};

	if (!skim_object(&s, "", 1))
		return false;
	skip_blanks(&s);
	return s.p == s.end && !out->truncated;
}
