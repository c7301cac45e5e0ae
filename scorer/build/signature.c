#include "scorer/build/signature.h"

#include <ctype.h>

#include "core/base/buf.h"
#include "core/base/strvec.h"

#define MOST_NESTED 8 /* lists of template arguments, each in one */

struct signature {
	char *name; /* with qualifiers and template arguments, one spelling */
	struct strvec parameter; /* each in one spelling */
	bool has_parameters;
};

static void signature_release(struct signature *s)
{
	free(s->name);
	strvec_release(&s->parameter);
}

DEFINE_RELEASE(signature, struct signature, signature_release)
#define cleanup_signature CLEANUP(signature)

/* ---- one parameter -------------------------------------------------------- */

/* The type of a parameter while it is read. */
struct type {
	struct buf name;     /* not a word for an integer */
	struct buf pointers; /* "*", "&", and "const" of all but the last */
	bool is_const, is_unsigned, is_signed, is_short, is_char, is_int;
	unsigned longs;
};

static void type_release(struct type *t)
{
	buf_release(&t->name);
	buf_release(&t->pointers);
}

DEFINE_RELEASE(type, struct type, type_release)
#define cleanup_type CLEANUP(type)

/* What <stdint.h> and <stddef.h> call them, on 64-bit Linux. */
static const char *without_typedef(const char *name)
{
	static const char *const known[][2] = {
		{"int8_t", "signed char"}, {"uint8_t", "unsigned char"},
		{"int16_t", "short"},	   {"uint16_t", "unsigned short"},
		{"int32_t", "int"},	   {"uint32_t", "unsigned int"},
		{"int64_t", "long"},	   {"uint64_t", "unsigned long"},
		{"ptrdiff_t", "long"},	   {"size_t", "unsigned long"},
		{"intptr_t", "long"},	   {"uintptr_t", "unsigned long"},
		{"ssize_t", "long"},
	};

	if (starts_with(name, "std::"))
		name += strlen("std::");
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (str_eq(name, known[i][0]))
			return known[i][1];
	return NULL;
}

static bool has_base(const struct type *t)
{
	return t->name.len || t->is_unsigned || t->is_signed || t->is_short ||
	       t->is_char || t->is_int || t->longs;
}

/* False if it is not a word of an integer's type. */
static bool take_integer_word(struct type *t, const char *word)
{
	bool *const flags[] = {&t->is_unsigned, &t->is_signed, &t->is_short,
			       &t->is_char, &t->is_int};
	static const char *const names[] = {"unsigned", "signed", "short",
					    "char", "int"};

	if (str_eq(word, "long")) {
		t->longs++;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(word, names[i])) {
			*flags[i] = true;
			return true;
		}
	return false;
}

static void take_word(struct type *t, const char *word)
{
	static const char *const without_meaning[] = {
		"volatile", "restrict", "__restrict", "__restrict__",
		"struct",   "class",	"enum",	      "typename"};

	for (size_t i = 0; i < ARRAY_SIZE(without_meaning); i++)
		if (str_eq(word, without_meaning[i]))
			return;
	if (str_eq(word, "const")) {
		if (t->pointers.len)
			buf_adds(&t->pointers, "const");
		else
			t->is_const = true;
		return;
	}
	if (t->pointers.len)
		return; /* the name of the parameter */
	if (!t->name.len && take_integer_word(t, word))
		return;
	if (!has_base(t))
		buf_adds(&t->name, starts_with(word, "::") ? word + 2 : word);
}

/* A word with its qualifiers and template arguments, without blanks. */
static const char *read_word(struct buf *out, const char *s)
{
	for (unsigned depth = 0; *s; s++) {
		if (*s == '<')
			depth++;
		else if (*s == '>' && depth)
			depth--;
		else if (!depth && !is_word_char(*s) && *s != ':')
			break;
		if (!isspace((unsigned char)*s))
			buf_addc(out, *s);
	}
	return s;
}

static void add_type(struct buf *out, const struct type *t, bool whole)
{
	const char *known = t->name.len ? without_typedef(t->name.data) : NULL;
	const char *sign = t->is_unsigned ? "unsigned " : "";
	size_t len = t->pointers.len;

	/* The last const of a parameter is the function's own affair. */
	if (!whole && len >= 5 && str_eq(t->pointers.data + len - 5, "const"))
		len -= 5;
	if (t->is_const && (len || whole))
		buf_adds(out, "const ");
	if (t->name.len)
		buf_adds(out, known ? known : t->name.data);
	else if (t->is_char)
		buf_addf(out, "%schar", t->is_signed ? "signed " : sign);
	else
		buf_addf(out, "%s%s", sign,
			 t->longs > 1  ? "long long"
			 : t->longs    ? "long"
			 : t->is_short ? "short"
				       : "int");
	buf_add(out, t->pointers.data, len);
}

static void add_name(struct buf *out, const char *s, const char *end,
		     unsigned depth);

/* One spelling of each type, for text [s, end), within so many lists of template
 * arguments. */
static char *spell(const char *s, const char *end, unsigned depth)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *text = xstrndup(s, (size_t)(end - s));
	cleanup_type struct type t = {.name = BUF_INIT(BUF_LIMIT_TEXT),
				      .pointers = BUF_INIT(BUF_LIMIT_TEXT)};

	if (strchr(text, '(')) { /* the type of a function */
		for (s = text; *s; s++)
			if (!isspace((unsigned char)*s))
				buf_addc(&out, *s);
		return buf_take(&out);
	}
	for (s = text; *s;) {
		cleanup_buf struct buf word = BUF_INIT(BUF_LIMIT_TEXT);
		const char *begin = s;

		if (is_word_char(*s) || *s == ':') {
			s = read_word(&word, s);
			if (strchr(word.data, '<')) {
				buf_clear(&word);
				add_name(&word, begin, s, depth);
			}
			take_word(&t, word.data);
		} else if (*s == '[') {
			buf_adds(&t.pointers, "*");
			s += strcspn(s, "]");
		} else {
			if (*s == '*' || *s == '&')
				buf_addc(&t.pointers, *s);
			s++;
		}
	}
	add_type(&out, &t, depth > 0);
	return buf_take(&out);
}

/* ---- template arguments --------------------------------------------------- */

static bool is_type(const char *s, const char *end)
{
	if (isdigit((unsigned char)*s))
		return false;
	for (; s < end; s++)
		if (!is_word_char(*s) && !strchr(" \t\n:*&<>,", *s))
			return false;
	return true;
}

/* 256 of "256", "256u" and "256ul". */
static void add_value(struct buf *out, const char *s, const char *end)
{
	for (; s < end; s++) {
		size_t n = strspn(s, "uUlL");

		if (n && out->len &&
		    isdigit((unsigned char)out->data[out->len - 1]) &&
		    !is_word_char(s[n]))
			s += n - 1;
		else if (!isspace((unsigned char)*s))
			buf_addc(out, *s);
	}
}

static void add_argument(struct buf *out, const char *s, const char *end,
			 unsigned depth)
{
	cleanup_free char *type = NULL;

	while (s < end && isspace((unsigned char)*s))
		s++;
	if (s < end && is_type(s, end)) {
		type = spell(s, end, depth);
		buf_adds(out, type);
		return;
	}
	add_value(out, s, end);
}

/* How deep an expression is within brackets after this character. */
static unsigned nested(unsigned depth, char c)
{
	return strchr("<([", c)		   ? depth + 1
	       : strchr(">)]", c) && depth ? depth - 1
					   : depth;
}

/* The ">" of the "<" at `s`; NULL: it has none. */
static const char *closing(const char *s, const char *end)
{
	for (unsigned depth = 0; s < end; s++)
		if (!(depth = nested(depth, *s)))
			return s;
	return NULL;
}

static void add_arguments(struct buf *out, const char *s, const char *end,
			  unsigned depth)
{
	unsigned within = 0;

	for (const char *begin = s; s <= end; s++) {
		if (s < end)
			within = nested(within, *s);
		if (s < end && (*s != ',' || within))
			continue;
		add_argument(out, begin, s, depth);
		if (s < end)
			buf_addc(out, ',');
		begin = s + 1;
	}
}

/* "ns::f<unsigned char,256>" of "ns::f< uint8_t, 256 >". */
static void add_name(struct buf *out, const char *s, const char *end,
		     unsigned depth)
{
	cleanup_free char *text = xstrndup(s, (size_t)(end - s));
	bool has_sign = strstr(text, "operator") != NULL;

	for (; s < end; s++) {
		const char *close = *s == '<' && !has_sign &&
						    depth < MOST_NESTED
					    ? closing(s, end)
					    : NULL;

		if (!isspace((unsigned char)*s))
			buf_addc(out, *s);
		if (!close)
			continue;
		add_arguments(out, s + 1, close, depth + 1);
		s = close - 1;
	}
}

/* ---- a function ----------------------------------------------------------- */

/* Cuts the list between the parentheses at its commas. */
static void split(struct strvec *out, const char *s, const char *end)
{
	unsigned depth = 0;

	for (const char *begin = s; s <= end; s++) {
		if (s < end && strchr("<([", *s))
			depth++;
		else if (s < end && strchr(">)]", *s) && depth)
			depth--;
		if (s < end && (*s != ',' || depth))
			continue;
		while (begin < s && isspace((unsigned char)*begin))
			begin++;
		if (begin < s) {
			cleanup_free char *one = spell(begin, s, 0);

			if (!str_eq(one, "void"))
				strvec_push(out, one);
		}
		begin = s + 1;
	}
}

/* The "(" that belongs to the last ")" of the text, or NULL. */
static const char *open_parenthesis(const char *text)
{
	const char *s = strrchr(text, ')');
	unsigned depth = 0;

	for (; s && s >= text; s--) {
		if (*s == ')')
			depth++;
		else if (*s == '(' && !--depth)
			return s;
	}
	return NULL;
}

/* The name at the end of [text, end): what is before it is a type. */
static char *read_name(const char *text, const char *end)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	unsigned depth = 0;
	const char *begin;

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	for (begin = end; begin > text; begin--) {
		char c = begin[-1];

		if (c == '>')
			depth++;
		else if (c == '<' && depth)
			depth--;
		else if (!depth && !is_word_char(c) && c != ':')
			break;
	}
	add_name(&out, begin, end, 0);
	return xstrdup(starts_with(out.data, "::") ? out.data + 2 : out.data);
}

static void signature_read(struct signature *out, const char *text)
{
	const char *open = open_parenthesis(text);

	*out = (struct signature){.has_parameters = open != NULL};
	out->name = read_name(text, open ? open : text + strlen(text));
	if (open)
		split(&out->parameter, open + 1, strrchr(text, ')'));
}

/* Template arguments count where they are asked for. */
static bool name_fits(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	if (str_eq(name, wanted))
		return true;
	return !strchr(wanted, '<') && starts_with(name, wanted) &&
	       name[len] == '<' && !strstr(name + len, ">::");
}

bool signature_is_name(const char *a, const char *b)
{
	cleanup_free char *first = read_name(a, a + strlen(a));
	cleanup_free char *second = read_name(b, b + strlen(b));

	return str_eq(first, second);
}

bool signature_fits(const char *function, const char *wanted)
{
	cleanup_signature struct signature f, w;

	signature_read(&f, function);
	signature_read(&w, wanted);
	if (!name_fits(f.name, w.name))
		return false;
	if (!w.has_parameters)
		return true;
	if (f.parameter.n != w.parameter.n)
		return false;
	for (size_t i = 0; i < f.parameter.n; i++)
		if (!str_eq(f.parameter.v[i], w.parameter.v[i]))
			return false;
	return true;
}

char *signature_base(const char *wanted)
{
	cleanup_signature struct signature w;
	char *name, *colon;

	signature_read(&w, wanted);
	name = w.name;
	name[strcspn(name, "<")] = '\0';
	colon = strrchr(name, ':');
	return xstrdup(colon ? colon + 1 : name);
}
