#include "core/score/field.h"

#include <inttypes.h>
#include <math.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/score/note_lines.h"

#define COUNT_MAX (INT64_C(1) << 40)

int64_t field_count(int64_t n)
{
	return MIN(MAX(n, 0), COUNT_MAX);
}

static void *member(void *record, const struct field *f)
{
	return (char *)record + f->at;
}

static const void *member_of(const void *record, const struct field *f)
{
	return (const char *)record + f->at;
}

static double number_of(const void *record, const struct field *f)
{
	return *(const double *)member_of(record, f);
}

static size_t *n_numbers(void *record, const struct field *f)
{
	return (size_t *)(void *)((char *)record + f->n_at);
}

static size_t n_numbers_of(const void *record, const struct field *f)
{
	return *(const size_t *)(const void *)((const char *)record + f->n_at);
}

static void replace_text(void *record, const struct field *f, char *text)
{
	char **at = member(record, f);

	free(*at);
	*at = text;
}

/* ---- JSON ---------------------------------------------------------------- */

static void add_numbers(struct json *object, const struct field *f,
			const void *record)
{
	const double *v = *(double *const *)member_of(record, f);
	struct json *list = json_array();

	for (size_t i = 0; i < n_numbers_of(record, f); i++)
		json_push_double(list, v[i]);
	json_set(object, f->json, list);
}

static void set_number(struct json *object, const struct field *f, double v)
{
	if (!f->optional || v > 0)
		json_set_double(object, f->json, v);
}

static void set_integer(struct json *object, const struct field *f, int64_t v)
{
	if (!f->optional || v)
		json_set_int(object, f->json, v);
}

static void set_digits(struct json *object, const struct field *f, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, v);
	if (!f->optional || v)
		json_set_string(object, f->json, text);
}

static void to_json(struct json *object, const struct field *f,
		    const void *record)
{
	const void *at = member_of(record, f);

	switch (f->kind) {
	case FIELD_NUMBER:
		set_number(object, f, number_of(record, f));
		break;
	case FIELD_NUMBERS:
		add_numbers(object, f, record);
		break;
	case FIELD_COUNT:
		json_set_int(object, f->json, (int64_t) * (const size_t *)at);
		break;
	case FIELD_INTEGER:
	case FIELD_TIME:
		set_integer(object, f, *(const int64_t *)at);
		break;
	case FIELD_DIGITS:
		set_digits(object, f, *(const uint64_t *)at);
		break;
	case FIELD_FLAG:
		if (!f->optional || *(const bool *)at)
			json_set_bool(object, f->json, *(const bool *)at);
		break;
	case FIELD_TEXT:
		json_set_string(object, f->json, *(char *const *)at);
		break;
	case FIELD_CHARS:
	case FIELD_HEX:
		if (!f->optional || *(const char *)at)
			json_set_string(object, f->json, at);
		break;
	case FIELD_LINES:
		json_set(object, f->json, json_strings(at));
		break;
	case FIELD_WORD:
		json_set_string(object, f->json, f->word(record));
		break;
	case FIELD_DERIVED:
		break;
	}
}

void fields_to_json(struct json *object, const struct fields *t,
		    const void *record)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].json)
			to_json(object, &t->v[i], record);
}

static void read_text(void *record, const struct field *f,
		      const struct json *object)
{
	const char *text;

	if (json_get_string(object, f->json, &text))
		replace_text(record, f,
			     xstrndup(text, text_cut(text, f->max ? f->max
								  : SIZE_MAX)));
}

static void read_numbers(void *record, const struct field *f,
			 const struct json *list)
{
	size_t n = MIN(json_len(list), f->max);
	double **at = member(record, f);

	free(*at);
	*at = xcalloc(n, sizeof **at);
	*n_numbers(record, f) = n;
	for (size_t i = 0; i < n; i++)
		if (!json_number(json_at(list, i), &(*at)[i]))
			(*at)[i] = NAN;
}

static void read_lines(struct strvec *lines, const struct field *f,
		       const struct json *list)
{
	size_t n = MIN(json_len(list), f->max);

	for (size_t i = lines->n; i < n; i++) {
		const char *text = json_string(json_at(list, i));

		if (text)
			strvec_push(lines, text);
	}
}

static bool read_word(void *record, const struct field *f,
		      const struct json *object)
{
	const char *word = "";

	json_get_string(object, f->json, &word);
	return f->set_word(record, word);
}

static void read_integer(int64_t *out, const struct field *f,
			 const struct json *object)
{
	int64_t n;

	if (json_get_int(object, f->json, &n))
		*out = f->kind == FIELD_TIME ? clock_bounded(n)
					     : field_count(n);
}

static void read_count(size_t *out, const struct field *f,
		       const struct json *object)
{
	int64_t n;

	if (json_get_int(object, f->json, &n))
		*out = (size_t)field_count(n);
}

static bool within(const struct field *f, double v)
{
	return isnan(v) ? f->may_be_nan : v >= 0 && v <= f->most;
}

static void read_number_of(double *out, const struct field *f,
			   const struct json *object)
{
	double v = 0;

	if (json_get_double(object, f->json, &v))
		*out = !f->or_nothing || within(f, v) ? v : 0;
}

static void read_digits(uint64_t *out, const struct field *f,
			const struct json *object)
{
	const char *text;

	if (json_get_string(object, f->json, &text))
		*out = strtoull(text, NULL, 10);
}

static void read_hex(char *out, const struct field *f,
		     const struct json *object)
{
	const char *text;

	if (json_get_string(object, f->json, &text) &&
	    str_is_hex(text, f->size - 1))
		memcpy(out, text, f->size);
}

static bool from_json(void *record, const struct field *f,
		      const struct json *object)
{
	void *at = member(record, f);

	switch (f->kind) {
	case FIELD_NUMBER:
		read_number_of(at, f, object);
		break;
	case FIELD_NUMBERS:
		read_numbers(record, f, json_get(object, f->json));
		break;
	case FIELD_COUNT:
		read_count(at, f, object);
		break;
	case FIELD_INTEGER:
	case FIELD_TIME:
		read_integer(at, f, object);
		break;
	case FIELD_DIGITS:
		read_digits(at, f, object);
		break;
	case FIELD_FLAG:
		json_get_bool(object, f->json, at);
		break;
	case FIELD_TEXT:
		read_text(record, f, object);
		break;
	case FIELD_CHARS:
		json_copy_string(at, f->size, object, f->json);
		break;
	case FIELD_HEX:
		read_hex(at, f, object);
		break;
	case FIELD_LINES:
		read_lines(at, f, json_get(object, f->json));
		break;
	case FIELD_WORD:
		return read_word(record, f, object);
	case FIELD_DERIVED:
		break;
	}
	return true;
}

bool fields_from_json(void *record, const struct fields *t,
		      const struct json *object)
{
	bool known = true;

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].json && !from_json(record, &t->v[i], object))
			known = false;
	return known;
}

/* ---- words --------------------------------------------------------------- */

static void add_number(struct buf *line, const struct field *f, double v)
{
	char text[512]; /* DBL_MAX has 309 digits before the point */

	if (f->optional && !(v > 0))
		return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, f->format, v);
#pragma GCC diagnostic pop
	note_word_add(line, f->note, text);
}

static void to_words(struct buf *line, const struct field *f,
		     const void *record)
{
	const void *at = member_of(record, f);
	const struct strvec *lines = at;
	const char *text;

	switch (f->kind) {
	case FIELD_NUMBER:
		add_number(line, f, number_of(record, f));
		break;
	case FIELD_COUNT:
		buf_addf(line, " %s=%zu", f->note, *(const size_t *)at);
		break;
	case FIELD_INTEGER:
		buf_addf(line, " %s=%" PRId64, f->note, *(const int64_t *)at);
		break;
	case FIELD_FLAG:
		note_word_add(line, f->note, *(const bool *)at ? "yes" : "no");
		break;
	case FIELD_TEXT:
		text = *(char *const *)at;
		if (text)
			note_word_add(line, f->note, text);
		break;
	case FIELD_CHARS:
		note_word_add(line, f->note, at);
		break;
	case FIELD_LINES:
		for (size_t i = 0; i < lines->n; i++)
			note_word_add(line, f->note, lines->v[i]);
		break;
	case FIELD_WORD:
		note_word_add(line, f->note, f->word(record));
		break;
	case FIELD_NUMBERS:
	case FIELD_TIME:
	case FIELD_DIGITS:
	case FIELD_HEX:
	case FIELD_DERIVED:
		break;
	}
}

static unsigned last_place(const struct fields *t)
{
	unsigned last = 0;

	for (size_t i = 0; i < t->n; i++)
		last = MAX(last, t->v[i].place);
	return last;
}

static void add_words(struct buf *line, const struct field *f,
		      const void *record, const void *whole)
{
	if (!f->note || (f->noted && !f->noted(record)))
		return;
	if (f->add)
		f->add(line, record, whole);
	else
		to_words(line, f, record);
}

void fields_to_words(struct buf *line, const struct fields *t,
		     const void *record, const void *whole)
{
	for (unsigned place = 0; place <= last_place(t); place++)
		for (size_t i = 0; i < t->n; i++)
			if (t->v[i].place == place)
				add_words(line, &t->v[i], record, whole);
}

static double read_number(const char *text)
{
	char *end;
	double v = strtod(text, &end);

	return *end || end == text ? NAN : v;
}

static bool from_word(void *record, const struct field *f, const char *value)
{
	void *at = member(record, f);
	int64_t n = field_count(strtoll(value, NULL, 10));
	struct strvec *lines = at;

	switch (f->kind) {
	case FIELD_NUMBER:
		*(double *)at = read_number(value);
		break;
	case FIELD_COUNT:
		*(size_t *)at = (size_t)n;
		break;
	case FIELD_INTEGER:
		*(int64_t *)at = n;
		break;
	case FIELD_FLAG:
		*(bool *)at = str_eq(value, "yes");
		break;
	case FIELD_TEXT:
		replace_text(record, f, xstrdup(value));
		break;
	case FIELD_CHARS:
		text_copy(at, f->size, value);
		break;
	case FIELD_LINES:
		if (lines->n < f->max)
			strvec_push(lines, value);
		break;
	case FIELD_WORD:
		return f->set_word(record, value);
	case FIELD_NUMBERS:
	case FIELD_TIME:
	case FIELD_DIGITS:
	case FIELD_HEX:
	case FIELD_DERIVED:
		break;
	}
	return true;
}

bool fields_from_word(void *record, const struct fields *t, const char *key,
		      const char *value)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->v[i];

		if (!f->note || !str_eq(f->note, key))
			continue;
		if (!f->take)
			return from_word(record, f, value);
		f->take(record, value);
		return true;
	}
	return true;
}

/* ---- bounds -------------------------------------------------------------- */

static char *say_outside(const struct field *f, double v)
{
	return xasprintf("%s=%g, not 0 to %g%s%s", f->json, v, f->most,
			 f->unit ? " " : "", f->unit ? f->unit : "");
}

static char *nonsense(const struct field *f, const void *record)
{
	const double *v = member_of(record, f);
	size_t n = f->kind == FIELD_NUMBER;

	if (f->kind == FIELD_NUMBERS) {
		v = *(double *const *)member_of(record, f);
		n = n_numbers_of(record, f);
	}
	for (size_t i = 0; i < n; i++)
		if (!within(f, v[i]))
			return say_outside(f, v[i]);
	return NULL;
}

char *fields_nonsense(const struct fields *t, const void *record)
{
	char *why = NULL;

	for (size_t i = 0; i < t->n && !why; i++)
		if (t->v[i].json)
			why = nonsense(&t->v[i], record);
	return why;
}

bool fields_allow(const struct fields *t, const char *json, double value)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct field *f = &t->v[i];

		if ((f->kind == FIELD_NUMBER || f->kind == FIELD_NUMBERS) &&
		    f->json && str_eq(f->json, json))
			return within(f, value);
	}
	return true;
}

void fields_clear_numbers(void *record, const struct fields *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].kind == FIELD_NUMBER)
			*(double *)member(record, &t->v[i]) = 0;
}

/* ---- for people ---------------------------------------------------------- */

static double value_of(const void *record, const struct field *f)
{
	const void *at = member_of(record, f);

	if (f->kind == FIELD_NUMBER)
		return *(const double *)at;
	if (f->kind == FIELD_COUNT)
		return (double)*(const size_t *)at;
	return f->kind == FIELD_INTEGER ? (double)*(const int64_t *)at : 0;
}

bool field_is_noted(const struct field *f, const void *record)
{
	return (!f->noted || f->noted(record)) &&
	       (!f->optional || value_of(record, f) > 0);
}

void field_show(struct buf *out, const struct field *f, const void *record,
		const void *whole)
{
	double v = value_of(record, f);

	if (!field_is_noted(f, record))
		buf_addc(out, '-');
	else if (f->show)
		f->show(out, v, record, whole);
	else
		buf_addf(out, f->kind == FIELD_NUMBER ? "%.2g" : "%.0f", v);
}
