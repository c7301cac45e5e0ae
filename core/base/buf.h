/*
 * A growing string with a limit from birth. `data` is never NULL and always
 * ends in NUL (not counted in `len`). Adding past the limit keeps what fits
 * and sets `truncated`: text from compilers, candidates and other people's
 * files cannot grow without bound.
 */
#ifndef CORE_BASE_BUF_H
#define CORE_BASE_BUF_H

#include "core/base/error.h"

struct buf {
	char *data;
	size_t len;
	size_t cap;
	size_t limit;
	bool truncated;
};

#define BUF_LIMIT_TEXT ((size_t)1 << 20)

extern char buf_empty[1];
#define BUF_INIT(max)                             \
	{                                         \
		.data = buf_empty, .limit = (max) \
	}

void buf_init(struct buf *b, size_t limit);
void buf_release(struct buf *b);
void buf_clear(struct buf *b);
/* Moves the string out; the buffer is empty afterwards. free() disposes. */
char *buf_take(struct buf *b) MUST_CHECK;

void buf_add(struct buf *b, const void *data, size_t len);
/* The same for bytes that should be text: a NUL becomes '?', or it would hide
 * what follows it from code that reads a C string. */
void buf_add_text(struct buf *b, const void *data, size_t len);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
/* Adds s as one word that a shell reads as it is, in single quotes. */
void buf_add_quoted(struct buf *b, const char *s);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
/* Removes trailing white space. */
void buf_trim_end(struct buf *b);

DEFINE_RELEASE(buf, struct buf, buf_release)
#define cleanup_buf CLEANUP(buf)

#endif
