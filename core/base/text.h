/*
 * Text of others, before it is shown, put into a commit or handed to a model:
 * what acts upon a terminal, hides, or reverses the direction of reading
 * becomes something that can be seen. The one place that decides what that is.
 *
 *   a control character (U+0000 to U+001F, U+007F)     ^ and a letter: ESC is ^[
 *   U+0080 to U+009F, the controls of ISO 6429         ?
 *   marks, overrides and isolates of direction         ?
 *   what has no width (joiners, U+FEFF, tags), U+00AD  ?
 *   line ends of Unicode (U+2028, U+2029)              ?
 *   each byte that belongs to no character of UTF-8    ?
 *
 * What is stored as JSON keeps its characters, and has them escaped: json.h.
 */
#ifndef CORE_BASE_TEXT_H
#define CORE_BASE_TEXT_H

#include "core/base/buf.h"

/* Adds it as one line: tabs, line ends and the like become spaces. No character
 * is cut in two: *out is `truncated` if not all of it fitted. */
void text_add_line(struct buf *out, const char *s, size_t len);
/* Line ends and tabs stay; "\r\n" is a line end. */
void text_add_lines(struct buf *out, const char *s, size_t len);
/* Bytes of s of which at most `max` are taken, not within a character. */
size_t text_cut(const char *s, size_t max);
/* Copies the whole characters that fit into `size` bytes, with a NUL. */
void text_copy(char *out, size_t size, const char *s);
/* Does this character act, hide, or reverse the direction? */
bool text_is_unseen(uint32_t character);

#endif
