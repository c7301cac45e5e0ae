/*
 * JSON kept as the text it came as. What a model said must go back byte for
 * byte (a changed thinking block is refused, a number above 2^53 must keep
 * its digits, the provider's prompt cache compares bytes), so the providers
 * cut values out of the text and paste them in again rather than parse and
 * print them.
 *
 * The text is hostile: json_text_check() takes one value of RFC 8259 in valid
 * UTF-8, nested at most JSON_TEXT_DEPTH deep, with nothing after it. Every
 * other function here asks for text that passed it and does not look again.
 */
#ifndef CORE_BASE_JSON_TEXT_H
#define CORE_BASE_JSON_TEXT_H

#include "core/base/buf.h"

#define JSON_TEXT_DEPTH 64

/* A value inside a text it borrows, without blanks around it. p == NULL: no
 * such value; every getter takes that and answers "absent". */
struct json_text {
	const char *p;
	size_t len;
};

/* ERROR_MALFORMED says at which byte. */
struct error *json_text_check(struct json_text *out, const char *text,
			      size_t len) MUST_CHECK;

bool json_text_is(struct json_text v, char first); /* '{', '[', '"' */
/* The member of that name, the last if there are several; a name spelled with
 * escapes is another name. */
struct json_text json_text_get(struct json_text object, const char *key);
/* Walks an array or object: start with *at = 0; false after the last. `key`
 * may be NULL; it is left absent in arrays. */
bool json_text_next(struct json_text container, size_t *at,
		    struct json_text *key, struct json_text *value);

/* Between the quotes, escapes as they are; absent if it is no string. */
struct json_text json_text_inner(struct json_text string);
/* The decoded string as C string; NULL if it is none. free() disposes. */
char *json_text_string(struct json_text string) MUST_CHECK;
bool json_text_equals(struct json_text string, const char *s);
/* Whole numbers only, within int64. */
bool json_text_int(struct json_text number, int64_t *out);

/* Appends `s` as a JSON string with its quotes; bytes that are no UTF-8 and
 * NUL become U+FFFD. */
void json_text_quote(struct buf *out, const char *s, size_t len);
/* Appends ,"key":"s" (s decoded); nothing if s is NULL. */
void json_text_member(struct buf *out, const char *key, const char *s);

#endif
