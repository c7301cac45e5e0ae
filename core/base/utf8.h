/* What is text: UTF-8 as RFC 3629 has it (no surrogates, nothing overlong). */
#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

#include "core/base/buf.h"

/* Length of the valid sequence that begins at s, of which `left` bytes may be
 * read; 0 if there is none. NUL is a valid sequence of one. */
size_t utf8_len(const char *s, size_t left);
/* The code of the valid sequence of `len` bytes at s. */
uint32_t utf8_code(const char *s, size_t len);
/* Appends it with U+FFFD for each byte that belongs to no sequence and for
 * each NUL: what JSON, C strings and every server take. */
void utf8_add_clean(struct buf *out, const char *s, size_t len);

#endif
