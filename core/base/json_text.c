#include "core/base/json_text.h"
#include "core/base/utf8.h"

#include <errno.h>

/* ---- reading ----------------------------------------------------------- */

bool json_text_is(struct json_text v, char first)
{
	return v.len && *v.p == first;
}

/* The end of the value at p: what was checked has one. */
static const char *value_end(const char *p, const char *end)
{
	size_t depth = 0;

	while (p < end) {
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
			p++;
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
			continue;
		} else if (*p == '}' || *p == ']') {
			if (!depth)
				return p;
			depth--;
			p++;
		} else if (depth) {
			p++;
			continue;
		} else {
			while (p < end && !strchr(" \t\r\n,]}", *p))
				p++;
			return p;
		}
		if (!depth)
			return p;
	}
	return end;
}

static size_t skip(struct json_text v, size_t at, const char *set)
{
	while (at < v.len && v.p[at] && strchr(set, v.p[at]))
		at++;
	return at;
}

bool json_text_next(struct json_text container, size_t *at,
		    struct json_text *key, struct json_text *value)
{
	const char *end = container.p + container.len;
	struct json_text name = {0};
	size_t i;

	if (!json_text_is(container, '{') && !json_text_is(container, '['))
		return false;
	i = skip(container, *at ? *at : 1, " \t\r\n,");
	if (i >= container.len || container.p[i] == '}' ||
	    container.p[i] == ']')
		return false;
	if (*container.p == '{') {
		name.p = container.p + i;
		name.len = (size_t)(value_end(name.p, end) - name.p);
		i = skip(container, i + name.len, " \t\r\n:");
	}
	value->p = container.p + i;
	value->len = (size_t)(value_end(value->p, end) - value->p);
	*at = i + value->len;
	if (key)
		*key = name;
	return true;
}

struct json_text json_text_get(struct json_text object, const char *key)
{
	struct json_text name, value, found = {0};
	size_t at = 0, len = strlen(key);

	if (!json_text_is(object, '{'))
		return found;
	while (json_text_next(object, &at, &name, &value))
		if (name.len == len + 2 && memcmp(name.p + 1, key, len) == 0)
			found = value;
	return found;
}

struct json_text json_text_inner(struct json_text string)
{
	if (!json_text_is(string, '"'))
		return (struct json_text){0};
	return (struct json_text){string.p + 1, string.len - 2};
}

static uint32_t four_hex(const char *p)
{
	char digits[5] = {p[0], p[1], p[2], p[3], 0};

	return (uint32_t)strtoul(digits, NULL, 16);
}

static void add_code(struct buf *out, uint32_t code)
{
	if (code < 0x80) {
		buf_addc(out, (char)code);
	} else if (code < 0x800) {
		buf_addc(out, (char)(0xc0 | code >> 6));
		buf_addc(out, (char)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		buf_addc(out, (char)(0xe0 | code >> 12));
		buf_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
		buf_addc(out, (char)(0x80 | (code & 0x3f)));
	} else {
		buf_addc(out, (char)(0xf0 | code >> 18));
		buf_addc(out, (char)(0x80 | (code >> 12 & 0x3f)));
		buf_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
		buf_addc(out, (char)(0x80 | (code & 0x3f)));
	}
}

/* p is after "\u"; returns how many bytes were used. */
static size_t decode_unicode(struct buf *out, const char *p, size_t left)
{
	uint32_t code = four_hex(p), low;

	if (code >= 0xd800 && code < 0xdc00 && left >= 10 && p[4] == '\\' &&
	    p[5] == 'u') {
		low = four_hex(p + 6);
		if (low >= 0xdc00 && low < 0xe000) {
			add_code(out, 0x10000 + ((code - 0xd800) << 10) +
					      (low - 0xdc00));
			return 10;
		}
	}
	if (!code || (code >= 0xd800 && code < 0xe000))
		code = 0xfffd;
	add_code(out, code);
	return 4;
}

/* Appends a string's text, decoded. \u0000 and lone surrogates become U+FFFD:
 * out is then a C string of valid UTF-8. False (out as it was) if it is no
 * string. */
static bool json_text_decode(struct buf *out, struct json_text string)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	struct json_text s = json_text_inner(string);

	if (!s.p)
		return false;
	for (size_t i = 0; i < s.len;) {
		const char *stop = memchr(s.p + i, '\\', s.len - i);
		size_t n = stop ? (size_t)(stop - s.p) - i : s.len - i;

		buf_add(out, s.p + i, n);
		i += n;
		if (!stop)
			break;
		if (s.p[i + 1] == 'u')
			i += 2 +
			     decode_unicode(out, s.p + i + 2, s.len - i - 2);
		else {
			buf_addc(out, to[strchr(from, s.p[i + 1]) - from]);
			i += 2;
		}
	}
	return true;
}

char *json_text_string(struct json_text string)
{
	cleanup_buf struct buf out = BUF_INIT(SIZE_MAX / 2);

	return json_text_decode(&out, string) ? buf_take(&out) : NULL;
}

bool json_text_equals(struct json_text string, const char *s)
{
	cleanup_free char *text = json_text_string(string);

	return text && str_eq(text, s);
}

bool json_text_int(struct json_text number, int64_t *out)
{
	char text[24], *end;
	long long v;

	if (!number.len || number.len >= sizeof text ||
	    !strchr("-0123456789", *number.p))
		return false;
	memcpy(text, number.p, number.len);
	text[number.len] = '\0';
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

/* ---- writing ----------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

/* What is not plain: as it is, escaped, or U+FFFD where it is no text. Returns
 * its length. */
static size_t quote_other(struct buf *out, const char *s, size_t left)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *escape = *s ? strchr(from, *s) : NULL;
	size_t n = utf8_len(s, left);

	if (escape) {
		buf_addc(out, '\\');
		buf_addc(out, to[escape - from]);
	} else if (*s && (unsigned char)*s < ' ') {
		buf_addf(out, "\\u%04x", (unsigned)*s);
	} else {
		utf8_add_clean(out, s, MAX(n, (size_t)1));
	}
	return MAX(n, (size_t)1);
}

/* A conversation is quoted anew for every request: by runs, not letters. */
void json_text_quote(struct buf *out, const char *s, size_t len)
{
	buf_addc(out, '"');
	for (size_t at = 0; at < len;) {
		size_t run = at;

		while (run < len && is_plain((unsigned char)s[run]))
			run++;
		buf_add(out, s + at, run - at);
		at = run;
		if (at < len)
			at += quote_other(out, s + at, len - at);
	}
	buf_addc(out, '"');
}

void json_text_member(struct buf *out, const char *key, const char *s)
{
	if (!s)
		return;
	buf_addf(out, ",\"%s\":", key);
	json_text_quote(out, s, strlen(s));
}
