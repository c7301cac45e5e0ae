#include "core/base/json_text.h"
#include "core/base/utf8.h"

#include <errno.h>

#define SKIM_KEY_MAX 32

/* Without its quotes, of a long one its beginning; absent: "". */
static void copy_key(char out[SKIM_KEY_MAX], struct json_text key)
{
	size_t len = key.p ? MIN(key.len - 2, (size_t)SKIM_KEY_MAX - 1) : 0;

	if (len)
		memcpy(out, key.p + 1, len);
	out[len] = '\0';
}

/* ---- checking ----------------------------------------------------------- */

struct json_reader {
	const char *start, *p, *end;
	size_t depth;
	const char *escapes; /* what may follow a backslash */
	bool for_values;     /* see json_text_check_values */
	/* What the values that are read must be within; or NULL. */
	const struct json_skimmer *bounds;
};

#define ESCAPES "\"\\/bfnrt"

static struct error *bad(const struct json_reader *r, const char *what)
{
	return error_new(ERROR_MALFORMED, "not JSON at byte %zu: %s",
			 (size_t)(r->p - r->start), what);
}

static void skip_blanks(struct json_reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' ||
				 *r->p == '\n' || *r->p == '\r'))
		r->p++;
}

static bool take(struct json_reader *r, char c)
{
	skip_blanks(r);
	if (r->p >= r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

static bool is_digit(const struct json_reader *r)
{
	return r->p < r->end && *r->p >= '0' && *r->p <= '9';
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

static struct error *check_escape(struct json_reader *r)
{
	if (++r->p >= r->end || !*r->p || !strchr(r->escapes, *r->p))
		return bad(r, "an escape that is none");
	if (*r->p++ != 'u')
		return NULL;
	if (r->for_values && r->end - r->p >= 4 && memcmp(r->p, "0000", 4) == 0)
		return bad(r, "a NUL in a string");
	for (int i = 0; i < 4; i++, r->p++)
		if (r->p >= r->end || !is_hex(*r->p))
			return bad(r, "a \\u without four digits");
	return NULL;
}

/* A character that stands for itself; most of a string. */
static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static struct error *check_string(struct json_reader *r)
{
	if (r->p >= r->end || *r->p != '"')
		return bad(r, "a string should begin here");
	for (r->p++;;) {
		size_t n;

		while (r->p < r->end && is_plain(*r->p))
			r->p++;
		if (r->p >= r->end)
			return bad(r, "a string does not end");
		if (*r->p == '"')
			break;
		n = utf8_len(r->p, (size_t)(r->end - r->p));
		if (!n || (unsigned char)*r->p < ' ')
			return bad(r, "a byte that is not text");
		if (*r->p == '\\')
			TRY(check_escape(r));
		else
			r->p += n;
	}
	r->p++;
	return NULL;
}

static struct error *check_digits(struct json_reader *r)
{
	if (!is_digit(r))
		return bad(r, "a digit should be here");
	while (is_digit(r))
		r->p++;
	return NULL;
}

static struct error *check_digits_of_number(struct json_reader *r)
{
	if (*r->p == '-')
		r->p++;
	if (r->p < r->end && *r->p == '0')
		r->p++;
	else
		TRY(check_digits(r));
	if (r->p < r->end && *r->p == '.') {
		r->p++;
		TRY(check_digits(r));
	}
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
		r->p++;
		if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
			r->p++;
		TRY(check_digits(r));
	}
	return NULL;
}

/* `key`: of the member that it is in. */
static struct error *check_number(struct json_reader *r, struct json_text key)
{
	char name[SKIM_KEY_MAX], number[JSON_TEXT_NUMBER_MAX + 1];
	const char *start = r->p;
	size_t len;

	TRY(check_digits_of_number(r));
	len = (size_t)(r->p - start);
	if (r->for_values && len > JSON_TEXT_NUMBER_MAX)
		return bad(r, "a number is too long");
	if (!r->bounds)
		return NULL;
	memcpy(number, start, len);
	number[len] = '\0';
	copy_key(name, key);
	if (!r->bounds->within_bounds(name, number))
		return bad(r, "a number out of its bounds");
	return NULL;
}

static struct error *check_word(struct json_reader *r)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(r->end - r->p) >= n &&
		    memcmp(r->p, words[i], n) == 0) {
			r->p += n;
			return NULL;
		}
	}
	return bad(r, "a value should begin here");
}

static struct error *check_scalar(struct json_reader *r, struct json_text key)
{
	if (r->p >= r->end)
		return bad(r, "a value should begin here");
	if (*r->p == '"')
		return check_string(r);
	if (*r->p == '-' || is_digit(r))
		return check_number(r, key);
	return check_word(r);
}

/* And the colon after it. */
static struct error *check_key(struct json_reader *r, struct json_text *key)
{
	skip_blanks(r);
	key->p = r->p;
	TRY(check_string(r));
	key->len = (size_t)(r->p - key->p);
	return take(r, ':') ? NULL : bad(r, "a colon should be here");
}

/* Arrays and objects that are open. */
struct levels {
	size_t n;
	struct {
		char closer;
		size_t items;
		struct json_text key; /* of its member; of an array its own */
	} at[JSON_TEXT_DEPTH];
};

static struct error *open_level(struct json_reader *r, struct levels *l,
				struct json_text key)
{
	if (r->depth == JSON_TEXT_DEPTH)
		return bad(r, "values nest too deep");
	r->depth++;
	l->at[l->n].closer = *r->p++ == '{' ? '}' : ']';
	l->at[l->n].items = 0;
	l->at[l->n++].key = key;
	return NULL;
}

static bool close_level(struct json_reader *r, struct levels *l)
{
	if (!l->n || !take(r, l->at[l->n - 1].closer))
		return false;
	r->depth--;
	l->n--;
	return true;
}

/* What stands before an element: a comma unless it is the first, its key. */
static struct error *check_item(struct json_reader *r, struct levels *l)
{
	size_t at = l->n - 1;

	if (l->at[at].items && !take(r, ','))
		return bad(r, "a comma should be here");
	l->at[at].items++;
	if (r->bounds && l->at[at].items > r->bounds->max_items)
		return bad(r, "more elements than there may be");
	return l->at[at].closer == '}' ? check_key(r, &l->at[at].key) : NULL;
}

/* Without recursion. Leaves p after the value. */
static struct error *check_value(struct json_reader *r, struct json_text key)
{
	struct levels l;

	l.n = 0;
	do {
		struct json_text of = l.n ? l.at[l.n - 1].key : key;

		skip_blanks(r);
		if (r->p < r->end && (*r->p == '{' || *r->p == '['))
			/* held: a level is a local and owns nothing */
			TRY(open_level(r, &l, of));
		else
			TRY(check_scalar(r, of));
		while (close_level(r, &l))
			;
		if (l.n)
			TRY(check_item(r, &l));
	} while (l.n);
	return NULL;
}

static struct error *check_end(struct json_reader *r)
{
	skip_blanks(r);
	return r->p == r->end ? NULL : bad(r, "something follows the value");
}

static struct error *check(struct json_text *out, struct json_reader *r)
{
	const char *first, *last;

	skip_blanks(r);
	first = r->p;
	TRY(check_value(r, (struct json_text){0}));
	last = r->p;
	TRY(check_end(r));
	*out = (struct json_text){first, (size_t)(last - first)};
	return NULL;
}

struct error *json_text_check(struct json_text *out, const char *text,
			      size_t len)
{
	struct json_reader r = {
		.start = text,
		.p = text,
		.end = text + len,
		.escapes = ESCAPES "u",
	};

	return check(out, &r);
}

struct error *json_text_check_values(struct json_text *out, const char *text,
				     size_t len)
{
	struct json_reader r = {
		.start = text,
		.p = text,
		.end = text + len,
		.escapes = ESCAPES "u",
		.for_values = true,
	};

	return check(out, &r);
}

/* ---- reading ------------------------------------------------------------- */

bool json_text_is(struct json_text v, char first)
{
	return v.len && *v.p == first;
}

/* After the string that begins at p. */
static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p + 1;
}

static bool ends_scalar(char c)
{
	return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\t' ||
	       c == '\r' || c == '\n';
}

/* The end of the value at p: what was checked has one. */
static const char *value_end(const char *p, const char *end)
{
	size_t depth = 0;

	if (p < end && *p != '"' && *p != '{' && *p != '[') {
		while (p < end && !ends_scalar(*p))
			p++;
		return p;
	}
	while (p < end) {
		if (*p == '{' || *p == '[')
			depth++;
		else if (*p == '}' || *p == ']')
			depth--;
		p = *p == '"' ? string_end(p, end) : p + 1;
		if (!depth)
			break;
	}
	return p;
}

static size_t skip(struct json_text v, size_t at, const char *set)
{
	while (at < v.len && v.p[at] && strchr(set, v.p[at]))
		at++;
	return at;
}

bool json_text_next(struct json_text container, size_t *at,
		    struct json_text *key, struct json_text *value)
{
	const char *end = container.p + container.len;
	struct json_text name = {0};
	size_t i;

	if (!json_text_is(container, '{') && !json_text_is(container, '['))
		return false;
	i = skip(container, *at ? *at : 1, " \t\r\n,");
	if (i >= container.len || container.p[i] == '}' ||
	    container.p[i] == ']')
		return false;
	if (*container.p == '{') {
		name.p = container.p + i;
		name.len = (size_t)(value_end(name.p, end) - name.p);
		i = skip(container, i + name.len, " \t\r\n:");
	}
	value->p = container.p + i;
	value->len = (size_t)(value_end(value->p, end) - value->p);
	*at = i + value->len;
	if (key)
		*key = name;
	return true;
}

struct json_text json_text_get(struct json_text object, const char *key)
{
	struct json_text name, value, found = {0};
	size_t at = 0, len = strlen(key);

	if (!json_text_is(object, '{'))
		return found;
	while (json_text_next(object, &at, &name, &value))
		if (name.len == len + 2 && memcmp(name.p + 1, key, len) == 0)
			found = value;
	return found;
}

bool json_text_next_number(struct json_text v, size_t *at,
			   struct json_text *number)
{
	const char *p = v.p + *at, *end = v.p + v.len;

	while (p < end && *p != '-' && (*p < '0' || *p > '9'))
		p = *p == '"' ? string_end(p, end) : p + 1;
	if (p >= end)
		return false;
	number->p = p;
	number->len = (size_t)(value_end(p, end) - p);
	*at = (size_t)(p - v.p) + number->len;
	return true;
}

struct json_text json_text_inner(struct json_text string)
{
	if (!json_text_is(string, '"'))
		return (struct json_text){0};
	return (struct json_text){string.p + 1, string.len - 2};
}

static uint32_t four_hex(const char *p)
{
	char digits[5] = {p[0], p[1], p[2], p[3], 0};

	return (uint32_t)strtoul(digits, NULL, 16);
}

static void add_code(struct buf *out, uint32_t code)
{
	if (code < 0x80) {
		buf_addc(out, (char)code);
	} else if (code < 0x800) {
		buf_addc(out, (char)(0xc0 | code >> 6));
		buf_addc(out, (char)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		buf_addc(out, (char)(0xe0 | code >> 12));
		buf_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
		buf_addc(out, (char)(0x80 | (code & 0x3f)));
	} else {
		buf_addc(out, (char)(0xf0 | code >> 18));
		buf_addc(out, (char)(0x80 | (code >> 12 & 0x3f)));
		buf_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
		buf_addc(out, (char)(0x80 | (code & 0x3f)));
	}
}

/* p is after "\u"; returns how many bytes were used. */
static size_t decode_unicode(struct buf *out, const char *p, size_t left)
{
	uint32_t code = four_hex(p), low;

	if (code >= 0xd800 && code < 0xdc00 && left >= 10 && p[4] == '\\' &&
	    p[5] == 'u') {
		low = four_hex(p + 6);
		if (low >= 0xdc00 && low < 0xe000) {
			add_code(out, 0x10000 + ((code - 0xd800) << 10) +
					      (low - 0xdc00));
			return 10;
		}
	}
	if (!code || (code >= 0xd800 && code < 0xe000))
		code = 0xfffd;
	add_code(out, code);
	return 4;
}

/* Appends a string's text, decoded. \u0000 and lone surrogates become U+FFFD:
 * out is then a C string of valid UTF-8. False (out as it was) if it is not a
 * string. */
static bool json_text_decode(struct buf *out, struct json_text string)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	struct json_text s = json_text_inner(string);

	if (!s.p)
		return false;
	for (size_t i = 0; i < s.len;) {
		const char *stop = memchr(s.p + i, '\\', s.len - i);
		size_t n = stop ? (size_t)(stop - s.p) - i : s.len - i;

		buf_add(out, s.p + i, n);
		i += n;
		if (!stop)
			break;
		if (s.p[i + 1] == 'u')
			i += 2 +
			     decode_unicode(out, s.p + i + 2, s.len - i - 2);
		else {
			buf_addc(out, to[strchr(from, s.p[i + 1]) - from]);
			i += 2;
		}
	}
	return true;
}

char *json_text_string(struct json_text string)
{
	cleanup_buf struct buf out = BUF_INIT(SIZE_MAX / 2);

	return json_text_decode(&out, string) ? buf_take(&out) : NULL;
}

bool json_text_equals(struct json_text string, const char *s)
{
	cleanup_free char *text = json_text_string(string);

	return text && str_eq(text, s);
}

bool json_text_int(struct json_text number, int64_t *out)
{
	char text[24], *end;
	long long v;

	if (!number.len || number.len >= sizeof text ||
	    !strchr("-0123456789", *number.p))
		return false;
	memcpy(text, number.p, number.len);
	text[number.len] = '\0';
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

/* ---- leaving members out ------------------------------------------------- */

struct skim {
	struct json_reader r;
	struct buf *out;
	const struct json_skimmer *how;
};

static struct error *skim_object(struct skim *s, const char *of);

/* A member of the object under `of`; *kept: how many are in *out already. */
static struct error *skim_member(struct skim *s, const char *of, size_t *kept)
{
	struct json_reader *r = &s->r;
	char key[SKIM_KEY_MAX];
	struct json_text name;
	enum json_skim_as as;

	TRY(check_key(r, &name));
	copy_key(key, name);
	as = s->how->as(of, key);
	if (as != JSON_SKIM_KEEP) {
		r->bounds = as == JSON_SKIM_CHECK ? s->how : NULL;
		TRY(check_value(r, name));
		r->bounds = NULL;
		return NULL;
	}
	if ((*kept)++)
		buf_addc(s->out, ',');
	skip_blanks(r);
	if (r->p < r->end && *r->p == '{') {
		buf_add(s->out, name.p, (size_t)(r->p - name.p));
		return skim_object(s, key);
	}
	TRY(check_value(r, name));
	buf_add(s->out, name.p, (size_t)(r->p - name.p));
	return NULL;
}

static struct error *skim_object(struct skim *s, const char *of)
{
	size_t kept = 0, n = 0;

	if (s->r.depth++ == JSON_TEXT_DEPTH || !take(&s->r, '{'))
		return bad(&s->r, "an object should begin here");
	buf_addc(s->out, '{');
	while (!take(&s->r, '}')) {
		if (n++ && !take(&s->r, ','))
			return bad(&s->r, "a comma should be here");
		TRY(skim_member(s, of, &kept));
	}
	buf_addc(s->out, '}');
	s->r.depth--;
	return NULL;
}

bool json_text_skim(struct buf *out, const char *text, size_t len,
		    const struct json_skimmer *how)
{
	struct skim s = {
		.r = {.start = text,
		      .p = text,
		      .end = text + len,
		      /* Two escapes of four digits may be half a character
		       * each: cJSON decides. */
		      .escapes = ESCAPES,
		      .for_values = true},
		.out = out,
		.how = how,
	};
	cleanup_error struct error *err = skim_object(&s, "");

	if (!err)
		err = check_end(&s.r);
	return !err && !out->truncated;
}

/* ---- writing ------------------------------------------------------------- */

/* What is not plain: as it is, escaped, or U+FFFD where it is not text. Returns
 * its length. */
static size_t quote_other(struct buf *out, const char *s, size_t left)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *escape = *s ? strchr(from, *s) : NULL;
	size_t n = utf8_len(s, left);

	if (escape) {
		buf_addc(out, '\\');
		buf_addc(out, to[escape - from]);
	} else if (*s && (unsigned char)*s < ' ') {
		buf_addf(out, "\\u%04x", (unsigned)*s);
	} else {
		utf8_add_clean(out, s, MAX(n, (size_t)1));
	}
	return MAX(n, (size_t)1);
}

/* A conversation is quoted again for every request: by runs, not letters. */
void json_text_quote(struct buf *out, const char *s, size_t len)
{
	buf_addc(out, '"');
	for (size_t at = 0; at < len;) {
		size_t run = at;

		while (run < len && is_plain(s[run]))
			run++;
		buf_add(out, s + at, run - at);
		at = run;
		if (at < len)
			at += quote_other(out, s + at, len - at);
	}
	buf_addc(out, '"');
}

void json_text_member(struct buf *out, const char *key, const char *s)
{
	if (!s)
		return;
	buf_addf(out, ",\"%s\":", key);
	json_text_quote(out, s, strlen(s));
}
