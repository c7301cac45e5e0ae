/*
 * Values of JSON; the only includer of cJSON. They are built and read with
 * bounds: depth at most 64, integers exact as int64 (cJSON rounds above 2^53,
 * so a number keeps its text), strings with NUL or invalid UTF-8 refused when
 * read and mended when set. What wants the text as it came: json_text.h.
 */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include "core/base/buf.h"
#include "core/base/json_text.h"
#include "core/base/strvec.h"

struct json; /* one value and, if it is a container, what it holds */

struct json *json_object(void) MUST_CHECK;
struct json *json_array(void) MUST_CHECK;
/* An array of these strings. */
struct json *json_strings(const struct strvec *list) MUST_CHECK;
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
/* Copies the whole characters that fit, with a NUL; `out` is left alone if it is
 * absent. */
void json_copy_string(char *out, size_t size, const struct json *object,
		      const char *key);
/* NULL if it is absent; free() disposes. */
char *json_dup_string(const struct json *object, const char *key) MUST_CHECK;
/* Borrowed; NULL if absent. */
const struct json *json_get(const struct json *object, const char *key);
/* Elements of an array or members of an object; 0 for other values. */
size_t json_len(const struct json *v);
const struct json *json_at(const struct json *v, size_t i);
/* The same one after another, which costs no more for long ones; NULL at the
 * end. */
const struct json *json_first(const struct json *v);
const struct json *json_next(const struct json *element);
/* The key of a member (NULL in arrays); the string or number itself. */
const char *json_key(const struct json *member);
const char *json_string(const struct json *v); /* NULL if no string */
bool json_number(const struct json *v, double *out);
bool json_is_null(const struct json *v);
bool json_is_array(const struct json *v);

/* One value and nothing after it: what json_text_check_values() takes, without
 * halves of a character (lone surrogates). */
struct error *json_parse(struct json **out, const char *text,
			 size_t len) MUST_CHECK;
/* The same of a text that passed json_text_check_values(), or that
 * json_text_skim() made: it is not looked at again. */
struct error *json_parse_checked(struct json **out,
				 struct json_text checked) MUST_CHECK;
/* One line, no blanks; keys in the order they were set. free() disposes. */
char *json_print(const struct json *v) MUST_CHECK;
/* The same in ASCII, without control characters. */
char *json_print_ascii(const struct json *v) MUST_CHECK;
/* Indented, for people. */
char *json_print_pretty(const struct json *v) MUST_CHECK;
struct json *json_dup(const struct json *v) MUST_CHECK;
void json_free(struct json *v);

DEFINE_CLEANUP(json, struct json, json_free)
#define cleanup_json CLEANUP(json)

#endif
