#include "core/base/json.h"

#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>

/*
 * A struct json is a cJSON item under another name: nothing is wrapped,
 * and no other file depends on it. Numbers are kept as cJSON raw items, so
 * that their text survives: cJSON itself would round integers above 2^53.
 */
static cJSON *item(const struct json *v)
{
	return (cJSON *)(uintptr_t)v;
}

static struct json *value(cJSON *v)
{
	if (!v)
		abort(); /* out of memory */
	return (struct json *)v;
}

struct json *json_object(void)
{
	return value(cJSON_CreateObject());
}

struct json *json_array(void)
{
	return value(cJSON_CreateArray());
}

static char *valid_utf8(const char *text)
{
	cleanup_buf struct buf out = BUF_INIT(SIZE_MAX / 2);

	utf8_add_clean(&out, text, strlen(text));
	return buf_take(&out);
}

void json_set(struct json *object, const char *key, struct json *v)
{
	cJSON_DeleteItemFromObjectCaseSensitive(item(object), key);
	cJSON_AddItemToObject(item(object), key, item(v));
}

void json_push(struct json *array, struct json *v)
{
	cJSON_AddItemToArray(item(array), item(v));
}

static struct json *make_string(const char *s)
{
	cleanup_free char *valid = valid_utf8(s);

	return value(cJSON_CreateString(valid));
}

/* The fewest digits that bring the double back exactly: 17 always do. JSON has
 * no infinity, which is written as a number beyond the range. */
static struct json *make_double(double v)
{
	char text[40];

	if (isnan(v))
		return value(cJSON_CreateNull());
	snprintf(text, sizeof text, "%s", v < 0 ? "-1e999" : "1e999");
	for (int digits = 15; isfinite(v) && digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	return value(cJSON_CreateRaw(text));
}

void json_set_null(struct json *object, const char *key)
{
	json_set(object, key, value(cJSON_CreateNull()));
}

bool json_is_array(const struct json *v)
{
	return cJSON_IsArray((const cJSON *)v);
}

bool json_is_null(const struct json *v)
{
	return cJSON_IsNull((const cJSON *)v);
}

void json_remove(struct json *object, const char *key)
{
	cJSON_DeleteItemFromObjectCaseSensitive(item(object), key);
}

void json_set_string(struct json *object, const char *key, const char *s)
{
	if (s)
		json_set(object, key, make_string(s));
}

void json_set_int(struct json *object, const char *key, int64_t v)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, v);
	json_set(object, key, value(cJSON_CreateRaw(text)));
}

void json_set_double(struct json *object, const char *key, double v)
{
	json_set(object, key, make_double(v));
}

void json_set_bool(struct json *object, const char *key, bool v)
{
	json_set(object, key, value(cJSON_CreateBool(v)));
}

void json_push_string(struct json *array, const char *s)
{
	json_push(array, make_string(s));
}

struct json *json_strings(const struct strvec *list)
{
	struct json *array = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_push_string(array, list->v[i]);
	return array;
}

void json_push_double(struct json *array, double v)
{
	json_push(array, make_double(v));
}

const struct json *json_get(const struct json *object, const char *key)
{
	const cJSON *c;

	if (!object || !cJSON_IsObject(item(object)))
		return NULL;
	/* As cJSON_GetObjectItemCaseSensitive does, in half the time: an entry
	 * of a journal is asked for fifty. */
	for (c = item(object)->child; c; c = c->next)
		if (c->string && *c->string == *key && str_eq(c->string, key))
			break;
	return (const struct json *)c;
}

const char *json_string(const struct json *v)
{
	return v ? cJSON_GetStringValue(item(v)) : NULL;
}

bool json_number(const struct json *v, double *out)
{
	char *end;
	double d;

	if (!v || !cJSON_IsRaw(item(v)))
		return false;
	d = strtod(item(v)->valuestring, &end);
	if (*end)
		return false;
	*out = d;
	return true;
}

bool json_get_string(const struct json *object, const char *key,
		     const char **out)
{
	const char *s = json_string(json_get(object, key));

	if (s)
		*out = s;
	return s != NULL;
}

void json_copy_string(char *out, size_t size, const struct json *object,
		      const char *key)
{
	const char *s;

	if (json_get_string(object, key, &s))
		text_copy(out, size, s);
}

char *json_dup_string(const struct json *object, const char *key)
{
	const char *s;

	return json_get_string(object, key, &s) ? xstrdup(s) : NULL;
}

bool json_get_int(const struct json *object, const char *key, int64_t *out)
{
	const struct json *v = json_get(object, key);
	long long n;
	char *end;

	if (!v || !cJSON_IsRaw(item(v)))
		return false;
	errno = 0;
	n = strtoll(item(v)->valuestring, &end, 10);
	if (errno || *end)
		return false;
	*out = n;
	return true;
}

bool json_get_double(const struct json *object, const char *key, double *out)
{
	return json_number(json_get(object, key), out);
}

bool json_get_bool(const struct json *object, const char *key, bool *out)
{
	const struct json *v = json_get(object, key);

	if (!v || !cJSON_IsBool(item(v)))
		return false;
	*out = cJSON_IsTrue(item(v));
	return true;
}

size_t json_len(const struct json *v)
{
	return v && (cJSON_IsArray(item(v)) || cJSON_IsObject(item(v)))
		       ? (size_t)cJSON_GetArraySize(item(v))
		       : 0;
}

const struct json *json_at(const struct json *v, size_t i)
{
	if (!v || i > INT_MAX)
		return NULL;
	return (const struct json *)cJSON_GetArrayItem(item(v), (int)i);
}

const struct json *json_first(const struct json *v)
{
	return v ? (const struct json *)item(v)->child : NULL;
}

const struct json *json_next(const struct json *element)
{
	return (const struct json *)item(element)->next;
}

const char *json_key(const struct json *member)
{
	return item(member)->string;
}

/* ---- text -------------------------------------------------------------- */

/* cJSON has read the numbers as doubles: puts their text back, which comes in
 * the order of the values. */
static void restore_numbers(cJSON *v, struct json_text text, size_t *at)
{
	struct json_text number;

	if (cJSON_IsNumber(v) && json_text_next_number(text, at, &number)) {
		v->valuestring = xstrndup(number.p, number.len);
		v->type = cJSON_Raw;
	}
	for (cJSON *c = v->child; c; c = c->next)
		restore_numbers(c, text, at);
}

struct error *json_parse_checked(struct json **out, struct json_text checked)
{
	size_t at = 0;
	cJSON *v = cJSON_ParseWithLength(checked.p, checked.len);

	if (!v)
		return error_new(ERROR_MALFORMED,
				 "not JSON: half a character in a string");
	restore_numbers(v, checked, &at);
	*out = (struct json *)v;
	return NULL;
}

struct error *json_parse(struct json **out, const char *text, size_t len)
{
	struct json_text checked = {0};

	TRY(json_text_check_values(&checked, text, len));
	return json_parse_checked(out, checked);
}

static void add_escaped(struct buf *out, uint32_t code)
{
	if (code < 0x10000)
		buf_addf(out, "\\u%04x", code);
	else
		buf_addf(out, "\\u%04x\\u%04x",
			 0xd800 + ((code - 0x10000) >> 10),
			 0xdc00 + ((code - 0x10000) & 0x3ff));
}

static bool is_beyond_ascii(uint32_t character)
{
	return character >= 0x7f;
}

/* cJSON escapes the controls below U+0020 only. A program that prints a
 * journal's text as it is shall meet nothing that acts. What is escaped here
 * occurs in strings only. */
static char *escape(const char *text, bool (*is_escaped)(uint32_t character))
{
	cleanup_buf struct buf out = BUF_INIT(SIZE_MAX / 2);
	const char *end = text + strlen(text), *done = text;

	for (const char *s = text; s < end;) {
		size_t n;
		uint32_t code;

		if ((unsigned char)*s < 0x7f) {
			s++;
			continue;
		}
		n = utf8_len(s, (size_t)(end - s));
		code = n ? utf8_code(s, n) : 0;

		if (n && is_escaped(code)) {
			buf_add(&out, done, (size_t)(s - done));
			add_escaped(&out, code);
			done = s + n;
		}
		s += MAX(n, (size_t)1);
	}
	buf_add(&out, done, (size_t)(end - done));
	return buf_take(&out);
}

static char *print(const struct json *v, bool pretty,
		   bool (*is_escaped)(uint32_t character))
{
	cleanup_free char *text = pretty ? cJSON_Print(item(v))
					 : cJSON_PrintUnformatted(item(v));

	if (!text)
		abort(); /* out of memory */
	return escape(text, is_escaped);
}

char *json_print(const struct json *v)
{
	return print(v, false, text_is_unseen);
}

char *json_print_ascii(const struct json *v)
{
	return print(v, false, is_beyond_ascii);
}

char *json_print_pretty(const struct json *v)
{
	return print(v, true, text_is_unseen);
}

struct json *json_dup(const struct json *v)
{
	return value(cJSON_Duplicate(item(v), true));
}

void json_free(struct json *v)
{
	cJSON_Delete(item(v));
}
