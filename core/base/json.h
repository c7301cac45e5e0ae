/*
 * The only includer of cJSON. Values are built and read here with bounds:
 * depth at most 64, text at most the given limit, integers kept exact as
 * int64 (cJSON rounds above 2^53, so they are written as raw numbers and read
 * from their text), strings with NUL or invalid UTF-8 refused or sanitised.
 */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include "core/base/buf.h"

struct json; /* one value and, if it is a container, what it holds */

struct json *json_object(void) MUST_CHECK;
struct json *json_array(void) MUST_CHECK;
/* Setters replace an existing key. s == NULL sets nothing. Invalid UTF-8
 * becomes U+FFFD, NUL cannot occur in a C string. */
void json_set_string(struct json *object, const char *key, const char *s);
void json_set_int(struct json *object, const char *key, int64_t v);
void json_set_double(struct json *object, const char *key, double v);
void json_set_bool(struct json *object, const char *key, bool v);
void json_set_null(struct json *object, const char *key);
/* One that is not there is fine. */
void json_remove(struct json *object, const char *key);
/* Takes ownership of value. */
void json_set(struct json *object, const char *key, struct json *value);
void json_push(struct json *array, struct json *value);
void json_push_string(struct json *array, const char *s);
void json_push_double(struct json *array, double v);

/* Getters: false (and *out untouched) if absent or of another type. Strings
 * are borrowed. */
bool json_get_string(const struct json *object, const char *key,
		     const char **out);
bool json_get_int(const struct json *object, const char *key, int64_t *out);
bool json_get_double(const struct json *object, const char *key, double *out);
bool json_get_bool(const struct json *object, const char *key, bool *out);
/* Copies what fits, with its NUL; `out` is left alone if it is absent. */
void json_copy_string(char *out, size_t size, const struct json *object,
		      const char *key);
/* NULL if it is absent; free() disposes. */
char *json_dup_string(const struct json *object, const char *key) MUST_CHECK;
/* Borrowed; NULL if absent. */
const struct json *json_get(const struct json *object, const char *key);
/* Elements of an array or members of an object; 0 for other values. */
size_t json_len(const struct json *v);
const struct json *json_at(const struct json *v, size_t i);
/* The key of a member (NULL in arrays); the string or number itself. */
const char *json_key(const struct json *member);
const char *json_string(const struct json *v); /* NULL if no string */
bool json_number(const struct json *v, double *out);

/* One value and nothing after it. */
struct error *json_parse(struct json **out, const char *text,
			 size_t len) MUST_CHECK;
/* JSON_SKIM_CHECK: left out, where its numbers are within bounds. */
enum json_skim_as { JSON_SKIM_KEEP, JSON_SKIM_DROP, JSON_SKIM_CHECK };
struct json_skimmer {
	/* Of the member `key` of the object that stands under the key `of`
	 * itself ("" for the outermost). Of a long key its first 31 bytes. */
	enum json_skim_as (*as)(const char *of, const char *key);
	/* Of a member that is left out and checked: is this number fine, which
	 * stands under the nearest key `key`? NULL where none is checked. */
	bool (*within_bounds)(const char *key, const char *number);
	size_t max_items; /* of an array or object in such a member */
};
/* Adds the text of an object without the members that are not wanted; objects
 * in arrays are added whole. False where json_parse would not read the whole
 * text (and sometimes where it would), or what is left out is not within its
 * bounds: *out is of no use then. */
bool json_skim(struct buf *out, const char *text, size_t len,
	       const struct json_skimmer *how) MUST_CHECK;
/* One line, no blanks; keys in the order they were set. free() disposes. */
char *json_print(const struct json *v) MUST_CHECK;
/* Indented, for people. */
char *json_print_pretty(const struct json *v) MUST_CHECK;
struct json *json_dup(const struct json *v) MUST_CHECK;
void json_free(struct json *v);

DEFINE_CLEANUP(json, struct json, json_free)
#define cleanup_json CLEANUP(json)

#endif
