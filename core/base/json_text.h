/*
 * JSON as the text it came as: the one reader of JSON beside cJSON (json.h,
 * where values are wanted). cJSON keeps neither a value's bytes nor a large
 * number's digits, takes text that is not JSON, and allocates for each value:
 *
 * - What a model said must go back byte for byte (a changed thinking block is
 *   refused, the provider's prompt cache compares bytes): values are cut out
 *   of the text and pasted in again.
 * - What json.h parses is checked here first, strictly, and its numbers are
 *   read here.
 * - A journal of 100,000 attempts is read without the members that a run does
 *   not need, which are most of it: json_text_skim() leaves them out before
 *   cJSON allocates for them.
 *
 * The text is hostile: json_text_check() takes one value of RFC 8259 in valid
 * UTF-8, nested at most JSON_TEXT_DEPTH deep, with nothing after it. The
 * functions that take a struct json_text ask for one that passed it, and do
 * not look again.
 */
#ifndef CORE_BASE_JSON_TEXT_H
#define CORE_BASE_JSON_TEXT_H

#include "core/base/buf.h"

#define JSON_TEXT_DEPTH	     64
#define JSON_TEXT_NUMBER_MAX 60

/* A value inside a text it borrows, without blanks around it. p == NULL: no
 * such value; every getter takes that and answers "absent". */
struct json_text {
	const char *p;
	size_t len;
};

/* ERROR_MALFORMED says at which byte. */
struct error *json_text_check(struct json_text *out, const char *text,
			      size_t len) MUST_CHECK;
/* The same for what cJSON will hold: "\u0000" is malformed too, and a number
 * of over JSON_TEXT_NUMBER_MAX characters. */
struct error *json_text_check_values(struct json_text *out, const char *text,
				     size_t len) MUST_CHECK;

/* ---- reading ------------------------------------------------------------- */

bool json_text_is(struct json_text v, char first); /* '{', '[', '"' */
/* The member of that name, the last if there are several; a name spelled with
 * escapes is another name. */
struct json_text json_text_get(struct json_text object, const char *key);
/* Walks an array or object: start with *at = 0; false after the last. `key`
 * may be NULL; it is left absent in arrays. */
bool json_text_next(struct json_text container, size_t *at,
		    struct json_text *key, struct json_text *value);
/* Walks the numbers of a value, however deep, in the order of the text: start
 * with *at = 0; false after the last. */
bool json_text_next_number(struct json_text v, size_t *at,
			   struct json_text *number);

/* Between the quotes, escapes as they are; absent if it is not a string. */
struct json_text json_text_inner(struct json_text string);
/* The decoded string as C string; NULL if it is none. free() disposes. */
char *json_text_string(struct json_text string) MUST_CHECK;
bool json_text_equals(struct json_text string, const char *s);
/* Whole numbers only, within int64. */
bool json_text_int(struct json_text number, int64_t *out);

/* ---- leaving members out ------------------------------------------------- */

/* JSON_SKIM_CHECK: left out, where its numbers are within bounds. */
enum json_skim_as { JSON_SKIM_KEEP, JSON_SKIM_DROP, JSON_SKIM_CHECK };
struct json_skimmer {
	/* Of the member `key` of the object that stands under the key `of`
	 * itself ("" for the outermost). Of a long key its first 31 bytes. */
	enum json_skim_as (*as)(const char *of, const char *key);
	/* Of a member that is left out and checked: is this number fine, which
	 * stands under the nearest key `key`? */
	bool (*within_bounds)(const char *key, const char *number);
	size_t max_items; /* of an array or object in such a member */
};
/* Adds the text of an object (unchecked before) without the members that are
 * not wanted; objects in arrays are added whole. False where json_parse would
 * not read the whole text (and where an escape gives a character by its
 * number), or what is left out is not within its bounds: *out is of no use
 * then. */
bool json_text_skim(struct buf *out, const char *text, size_t len,
		    const struct json_skimmer *how) MUST_CHECK;

/* ---- writing ------------------------------------------------------------- */

/* Appends `s` as a JSON string with its quotes; bytes that are not UTF-8 and
 * NUL become U+FFFD. */
void json_text_quote(struct buf *out, const char *s, size_t len);
/* Appends ,"key":"s" (s decoded); nothing if s is NULL. */
void json_text_member(struct buf *out, const char *key, const char *s);

#endif
