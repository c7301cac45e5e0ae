#include "core/base/text.h"

#include "core/base/utf8.h"

/* Sorted by nothing but purpose; the controls below U+0080 are not in it. */
static const struct range {
	uint32_t first, last;
} unseen[] = {
	{0x80, 0x9f},	    /* controls of ISO 6429 */
	{0xad, 0xad},	    /* soft hyphen */
	{0x34f, 0x34f},	    /* combining grapheme joiner */
	{0x61c, 0x61c},	    /* Arabic letter mark */
	{0x115f, 0x1160},   /* Hangul fillers */
	{0x17b4, 0x17b5},   /* Khmer vowels that are not shown */
	{0x180b, 0x180f},   /* Mongolian selectors */
	{0x200b, 0x200f},   /* no width; marks of direction */
	{0x2028, 0x202e},   /* line ends; embeddings and overrides */
	{0x2060, 0x206f},   /* joiner, isolates, deprecated controls */
	{0x3164, 0x3164},   /* Hangul filler */
	{0xfe00, 0xfe0f},   /* selectors of a variant */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xffa0, 0xffa0},   /* Hangul filler */
	{0xfff0, 0xfffb},   /* annotations */
	{0x1d173, 0x1d17a}, /* of musical notation */
	{0xe0000, 0xe0fff}, /* tags, more selectors */
};

bool text_is_unseen(uint32_t character)
{
	if (character < ' ' || character == 0x7f)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(unseen); i++)
		if (character >= unseen[i].first && character <= unseen[i].last)
			return true;
	return false;
}

static bool is_blank(char c)
{
	return c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

static bool add_whole(struct buf *out, const char *s, size_t len)
{
	if (out->limit - out->len < len) {
		out->truncated = true;
		return false;
	}
	buf_add(out, s, len);
	return true;
}

/* A character of `n` bytes, 0 for a byte that belongs to none. */
static bool add_character(struct buf *out, const char *s, size_t n)
{
	const char caret[] = {'^', (char)(*s ^ 0x40)};

	if (n == 1 && ((unsigned char)*s < ' ' || *s == 0x7f))
		return add_whole(out, caret, sizeof caret);
	if (!n || (n > 1 && text_is_unseen(utf8_code(s, n))))
		return add_whole(out, "?", 1);
	return add_whole(out, s, n);
}

static void add_clean(struct buf *out, const char *s, size_t len, bool one_line)
{
	const char *end = s + len;
	bool fits = true;

	while (s < end && fits) {
		size_t n = utf8_len(s, (size_t)(end - s));

		if (n == 1 && one_line && is_blank(*s))
			fits = add_whole(out, " ", 1);
		else if (n == 1 && (*s == '\n' || *s == '\t'))
			fits = add_whole(out, s, 1);
		else if (n != 1 || *s != '\r' || end - s < 2 || s[1] != '\n')
			fits = add_character(out, s, n);
		s += MAX(n, (size_t)1);
	}
}

void text_add_line(struct buf *out, const char *s, size_t len)
{
	add_clean(out, s, len, true);
}

void text_add_lines(struct buf *out, const char *s, size_t len)
{
	add_clean(out, s, len, false);
}

void text_copy(char *out, size_t size, const char *s)
{
	snprintf(out, size, "%.*s", (int)text_cut(s, size - 1), s);
}

size_t text_cut(const char *s, size_t max)
{
	size_t n = strlen(s);

	if (n <= max)
		return n;
	for (n = max; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;)
		n--;
	return n;
}
