#include "core/base/buf.h"

#include <stdarg.h>

char buf_empty[1];

void buf_init(struct buf *b, size_t limit)
{
	*b = (struct buf)BUF_INIT(limit);
}

void buf_release(struct buf *b)
{
	if (b->data != buf_empty)
		free(b->data);
	buf_init(b, b->limit);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->truncated = false;
	if (b->data != buf_empty)
		b->data[0] = '\0';
}

char *buf_take(struct buf *b)
{
	char *s = b->data == buf_empty ? xstrdup("") : b->data;

	b->data = buf_empty;
	b->cap = 0;
	b->len = 0;
	return s;
}

static void reserve(struct buf *b, size_t len)
{
	size_t cap = b->cap ? b->cap : 64;

	if (b->len + len + 1 <= b->cap)
		return;
	while (cap < b->len + len + 1)
		cap *= 2;
	b->data = xrealloc(b->data == buf_empty ? NULL : b->data, cap, 1);
	b->cap = cap;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (len > b->limit - b->len) {
		len = b->limit - b->len;
		b->truncated = true;
	}
	if (!len)
		return;
	reserve(b, len);
	memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_add_text(struct buf *b, const void *data, size_t len)
{
	size_t from = b->len;
	char *nul;

	buf_add(b, data, len);
	while ((nul = memchr(b->data + from, '\0', b->len - from)))
		*nul = '?';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	cleanup_free char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = xstrdup("");
	va_end(ap);
	buf_adds(b, s);
}

void buf_trim_end(struct buf *b)
{
	while (b->len && strchr(" \t\r\n", b->data[b->len - 1]))
		b->data[--b->len] = '\0';
}

void buf_add_quoted(struct buf *b, const char *s)
{
	buf_addc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *s);
	buf_addc(b, '\'');
}
