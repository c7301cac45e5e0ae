#include "agent/tuner/python.h"

#include <ctype.h>
#include <errno.h>

#define MAX_DEPTH 32
#define MAX_TEXT  4096

/* A list is computed, where the only name is the variable of its "for"; a
 * condition is written down. Either way each function adds what it read as
 * text. */
struct python {
	const char *text, *p;
	const char *variable; /* NULL: none */
	size_t variable_len;
	int64_t value; /* of it */
	unsigned depth;
};

enum python_kind {
	PYTHON_NUMBER,
	PYTHON_TRUTH, /* a comparison: 0 or 1 */
	/* `a or b` of numbers: Python gives one of them, expr.h 0 or 1, which is
	 * the same where only its truth counts. */
	PYTHON_OPERAND,
};

/* A number that is known, or one that only the text says. */
struct python_number {
	int64_t n;
	bool is_known;
	enum python_kind kind;
};

static struct error *off(const struct python *y, const char *what)
{
	return error_new(ERROR_MALFORMED, "'%.200s': %s at character %td",
			 y->text, what, y->p - y->text + 1);
}

static void skip_blanks(struct python *y)
{
	y->p += strspn(y->p, " \t\r\n");
}

/* A word is taken whole: not "or" of "order". */
static bool take(struct python *y, const char *what)
{
	size_t n = strlen(what);

	skip_blanks(y);
	if (!starts_with(y->p, what) ||
	    (isalpha((unsigned char)*what) && is_word_char(y->p[n])))
		return false;
	y->p += n;
	return true;
}

static struct error *parse_any(struct python_number *out, struct python *y,
			       struct buf *text);
static struct error *parse_unary(struct python_number *out, struct python *y,
				 struct buf *text);

/* ---- numbers --------------------------------------------------------------- */

static bool power(int64_t *out, int64_t base, int64_t exponent)
{
	*out = 1;
	for (int64_t i = 0; i < exponent; i++)
		if (i >= 63 || __builtin_mul_overflow(*out, base, out))
			return false;
	return exponent >= 0;
}

/* False: it overflows, or divides by what is not above 0. */
static bool compute(int64_t *out, char sign, int64_t a, int64_t b)
{
	switch (sign) {
	case '+':
		return !__builtin_add_overflow(a, b, out);
	case '-':
		return !__builtin_sub_overflow(a, b, out);
	case '*':
		return !__builtin_mul_overflow(a, b, out);
	default:
		if (b <= 0 || a < 0)
			return false;
		*out = sign == '/' ? a / b : a % b;
		return true;
	}
}

static struct error *need_number(const struct python *y,
				 const struct python_number *n)
{
	return n->kind == PYTHON_OPERAND
		       ? off(y, "the value of an 'and' or 'or' of numbers is "
				"used, of which only the truth is understood")
		       : NULL;
}

static struct error *combine(struct python_number *a, const struct python *y,
			     char sign, struct python_number b)
{
	int64_t n = 0;

	TRY(need_number(y, a));
	TRY(need_number(y, &b));
	a->kind = PYTHON_NUMBER;
	if (!a->is_known || !b.is_known) {
		a->is_known = false;
		return NULL;
	}
	if (!compute(&n, sign, a->n, b.n))
		return off(y, "it cannot be computed in whole numbers");
	a->n = n;
	return NULL;
}

static struct error *parse_digits(struct python_number *out, struct python *y,
				  struct buf *text)
{
	char *end;

	errno = 0;
	out->n = strtoll(y->p, &end, 10);
	out->is_known = true;
	if (errno || *end == '.' || is_word_char(*end))
		return off(y, "this is not a whole number");
	y->p = end;
	buf_addf(text, "%lld", (long long)out->n);
	return NULL;
}

/* "min(a, b)", "max(a, b)" */
static struct error *parse_call(struct python_number *out, struct python *y,
				struct buf *text, bool is_min)
{
	struct python_number b = {0};

	buf_adds(text, is_min ? "min(" : "max(");
	TRY(parse_any(out, y, text));
	if (!take(y, ","))
		return off(y, "min and max have two numbers here");
	buf_adds(text, ", ");
	TRY(parse_any(&b, y, text));
	if (!take(y, ")"))
		return off(y, "')' is missing");
	buf_addc(text, ')');
	TRY(need_number(y, out));
	TRY(need_number(y, &b));
	out->is_known = out->is_known && b.is_known;
	out->n = (b.n < out->n) == is_min ? b.n : out->n;
	out->kind = PYTHON_NUMBER;
	return NULL;
}

static struct error *parse_name(struct python_number *out, struct python *y,
				struct buf *text)
{
	const char *name = y->p;
	size_t len = 0;

	while (is_word_char(name[len]))
		len++;
	y->p += len;
	if ((len == 3) &&
	    (!strncmp(name, "min", 3) || !strncmp(name, "max", 3)) &&
	    take(y, "("))
		return parse_call(out, y, text, name[1] == 'i');
	*out = (struct python_number){0};
	if (y->variable && len == y->variable_len &&
	    memcmp(name, y->variable, len) == 0) {
		*out = (struct python_number){y->value, true, PYTHON_NUMBER};
		buf_addf(text, "%lld", (long long)y->value);
		return NULL;
	}
	if ((len == 4 && !strncmp(name, "True", 4)) ||
	    (len == 5 && !strncmp(name, "False", 5))) {
		*out = (struct python_number){*name == 'T', true, PYTHON_TRUTH};
		buf_adds(text, *name == 'T' ? "1" : "0");
		return NULL;
	}
	skip_blanks(y);
	if (*y->p == '(' || *y->p == '[' || *y->p == '.')
		return off(y, "only min and max are called");
	buf_add(text, name, len);
	return NULL;
}

static struct error *parse_atom(struct python_number *out, struct python *y,
				struct buf *text)
{
	skip_blanks(y);
	*out = (struct python_number){0};
	if (isdigit((unsigned char)*y->p))
		return parse_digits(out, y, text);
	if (isalpha((unsigned char)*y->p) || *y->p == '_')
		return parse_name(out, y, text);
	if (!take(y, "("))
		return off(y, *y->p ? "a number or a name is missing"
				    : "it ends early");
	buf_addc(text, '(');
	TRY(parse_any(out, y, text));
	buf_addc(text, ')');
	return take(y, ")") ? NULL : off(y, "')' is missing");
}

/* a ** b, of numbers that are known. */
static struct error *parse_power(struct python_number *out, struct python *y,
				 struct buf *text)
{
	cleanup_buf struct buf base = BUF_INIT(MAX_TEXT);
	cleanup_buf struct buf ignored = BUF_INIT(MAX_TEXT);
	struct python_number exponent = {0};
	int64_t n;

	TRY(parse_atom(out, y, &base));
	if (!take(y, "**")) {
		buf_adds(text, base.len ? base.data : "");
		return NULL;
	}
	TRY(parse_unary(&exponent, y, &ignored));
	if (!out->is_known || !exponent.is_known ||
	    !power(&n, out->n, exponent.n))
		return off(y,
			   "'**' is for numbers that are known, with a whole "
			   "result");
	out->n = n;
	buf_addf(text, "%lld", (long long)n);
	return NULL;
}

static struct error *parse_unary(struct python_number *out, struct python *y,
				 struct buf *text)
{
	struct python_number zero = {0, true, PYTHON_NUMBER};

	if (++y->depth > MAX_DEPTH)
		return off(y, "it nests too deep");
	if (take(y, "-")) {
		buf_addc(text, '-');
		TRY(parse_unary(out, y, text));
		TRY(combine(&zero, y, '-', *out));
		*out = zero;
	} else {
		TRY(parse_power(out, y, text));
	}
	y->depth--;
	return NULL;
}

static struct error *parse_product(struct python_number *out, struct python *y,
				   struct buf *text)
{
	TRY(parse_unary(out, y, text));
	for (;;) {
		struct python_number b = {0};
		char sign;

		skip_blanks(y);
		sign = *y->p;
		if (sign == '/' && y->p[1] != '/')
			return off(y, "'/' makes fractions, which avogit has "
				      "not: '//' is for whole numbers");
		if (!sign || !strchr("*/%", sign))
			return NULL;
		y->p += sign == '/' ? 2 : 1;
		buf_addf(text, " %c ", sign);
		TRY(parse_unary(&b, y, text));
		TRY(combine(out, y, sign, b));
	}
}

static struct error *parse_sum(struct python_number *out, struct python *y,
			       struct buf *text)
{
	TRY(parse_product(out, y, text));
	for (;;) {
		struct python_number b = {0};
		char sign;

		skip_blanks(y);
		sign = *y->p;
		if (sign != '+' && sign != '-')
			return NULL;
		y->p++;
		buf_addf(text, " %c ", sign);
		TRY(parse_product(&b, y, text));
		TRY(combine(out, y, sign, b));
	}
}

/* ---- conditions ------------------------------------------------------------ */

/* " in [1, 2]": is equal to one of them. */
static struct error *parse_members(struct python *y, struct buf *text,
				   const char *left)
{
	const char *end = take(y, "[") ? "]" : take(y, "(") ? ")" : NULL;
	bool is_first = true;

	if (!end)
		return off(y, "'in' has a list here");
	buf_addc(text, '(');
	while (!take(y, end)) {
		struct python_number n = {0};

		if (!is_first && !take(y, ","))
			return off(y, "a comma is missing");
		if (!is_first && take(y, end))
			break;
		buf_addf(text, "%s%s == ", is_first ? "" : " || ", left);
		TRY(parse_sum(&n, y, text));
		TRY(need_number(y, &n));
		is_first = false;
	}
	if (is_first)
		return off(y, "the list is empty");
	buf_addc(text, ')');
	return NULL;
}

static const char *take_comparison(struct python *y)
{
	static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">"};

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (take(y, signs[i]))
			return signs[i];
	return NULL;
}

/* "a < b <= c" is a < b and b <= c. */
static struct error *parse_comparison(struct python_number *out,
				      struct python *y, struct buf *text)
{
	cleanup_buf struct buf left = BUF_INIT(MAX_TEXT);
	cleanup_buf struct buf all = BUF_INIT(MAX_TEXT);
	const char *sign;
	size_t n = 0;

	TRY(parse_sum(out, y, &left));
	if (take(y, "in")) {
		TRY(need_number(y, out));
		out->is_known = false;
		out->kind = PYTHON_TRUTH;
		return parse_members(y, text, left.data);
	}
	for (; (sign = take_comparison(y)); n++) {
		cleanup_buf struct buf right = BUF_INIT(MAX_TEXT);
		struct python_number b = {0};

		TRY(parse_sum(&b, y, &right));
		TRY(need_number(y, out));
		TRY(need_number(y, &b));
		buf_addf(&all, "%s%s %s %s", n ? " && " : "", left.data, sign,
			 right.data);
		buf_clear(&left);
		buf_adds(&left, right.data);
	}
	if (!n)
		buf_adds(text, left.data);
	else
		buf_addf(text, "(%s)", all.data);
	out->is_known = out->is_known && !n;
	out->kind = n ? PYTHON_TRUTH : out->kind;
	return NULL;
}

static struct error *parse_not(struct python_number *out, struct python *y,
			       struct buf *text)
{
	bool is_not = take(y, "not");

	if (++y->depth > MAX_DEPTH)
		return off(y, "it nests too deep");
	if (is_not) {
		buf_adds(text, "!(");
		TRY(parse_not(out, y, text));
		buf_addc(text, ')');
		*out = (struct python_number){.kind = PYTHON_TRUTH};
	} else {
		TRY(parse_comparison(out, y, text));
	}
	y->depth--;
	return NULL;
}

/* a of a and b, a or b. */
static void join(struct python_number *a, const struct python_number *b)
{
	a->is_known = false;
	if (a->kind != PYTHON_TRUTH || b->kind != PYTHON_TRUTH)
		a->kind = PYTHON_OPERAND;
}

static struct error *parse_all(struct python_number *out, struct python *y,
			       struct buf *text)
{
	TRY(parse_not(out, y, text));
	while (take(y, "and")) {
		struct python_number b = {0};

		buf_adds(text, " && ");
		TRY(parse_not(&b, y, text));
		join(out, &b);
	}
	return NULL;
}

static struct error *parse_any(struct python_number *out, struct python *y,
			       struct buf *text)
{
	TRY(parse_all(out, y, text));
	while (take(y, "or")) {
		struct python_number b = {0};

		buf_adds(text, " || ");
		TRY(parse_all(&b, y, text));
		join(out, &b);
	}
	return NULL;
}

static struct error *expect_end(struct python *y)
{
	skip_blanks(y);
	return *y->p ? off(y, "more follows than is understood") : NULL;
}

struct error *python_condition(struct buf *out, const char *text)
{
	struct python y = {.text = text, .p = text};
	struct python_number n = {0};

	if (strlen(text) > MAX_TEXT / 2)
		return error_new(ERROR_MALFORMED,
				 "a condition has more than %d characters",
				 MAX_TEXT / 2);
	TRY(parse_any(&n, &y, out));
	if (out->truncated)
		return error_new(ERROR_MALFORMED, "'%.200s': it is too long",
				 text);
	return expect_end(&y);
}

/* ---- lists ----------------------------------------------------------------- */

static struct error *add_word(struct strvec *out, const struct python *y,
			      const char *word, size_t len, size_t most)
{
	if (out->n >= most)
		return error_new(ERROR_MALFORMED,
				 "'%.200s' has more than %zu values", y->text,
				 most);
	strvec_pushf(out, "%.*s", (int)len, word);
	return NULL;
}

static struct error *add_number(struct strvec *out, const struct python *y,
				int64_t n, size_t most)
{
	char word[24];
	int len = snprintf(word, sizeof word, "%lld", (long long)n);

	return add_word(out, y, word, (size_t)len, most);
}

static struct error *compute_number(int64_t *out, struct python *y)
{
	cleanup_buf struct buf ignored = BUF_INIT(MAX_TEXT);
	struct python_number n = {0};

	TRY(parse_sum(&n, y, &ignored));
	if (!n.is_known)
		return off(y, "it has a name that has no value");
	*out = n.n;
	return NULL;
}

/* After "range(". */
static struct error *parse_range(struct strvec *out, struct python *y,
				 size_t most)
{
	int64_t bound[3] = {0, 0, 1};
	size_t n = 0;

	do {
		if (n == ARRAY_SIZE(bound))
			return off(y, "range has at most three numbers");
		TRY(compute_number(&bound[n++], y));
	} while (take(y, ","));
	if (!take(y, ")"))
		return off(y, "')' is missing");
	if (n == 1) {
		bound[1] = bound[0];
		bound[0] = 0;
	}
	if (!bound[2])
		return off(y, "range has a step of 0");
	for (int64_t i = bound[0];
	     bound[2] > 0 ? i < bound[1] : i > bound[1];) {
		TRY(add_number(out, y, i, most));
		if (__builtin_add_overflow(i, bound[2], &i))
			return NULL;
	}
	return NULL;
}

/* Text in quotes, or 0.5: as it is. False: it is neither. */
static bool take_literal(struct python *y, const char **word, size_t *len)
{
	char *end;

	skip_blanks(y);
	*word = y->p;
	if (*y->p == '\'' || *y->p == '"') {
		*len = strcspn(++*word, (char[]){*y->p, '\\', '\n', '\0'});
		if ((*word)[*len] != *y->p)
			return false;
		y->p = *word + *len + 1;
		return true;
	}
	strtod(y->p, &end);
	*len = (size_t)(end - y->p);
	if (!*len || !memchr(y->p, '.', *len) ||
	    strspn(y->p, "0123456789.-+eE") < *len)
		return false;
	y->p = end;
	return true;
}

static struct error *parse_element(struct strvec *out, struct python *y,
				   size_t most)
{
	const char *word;
	size_t len;
	int64_t n = 0;

	if (take_literal(y, &word, &len))
		return add_word(out, y, word, len, most);
	TRY(compute_number(&n, y));
	return add_number(out, y, n, most);
}

/* Where " for " stands in the brackets that p is in; NULL: nowhere. */
static const char *find_for(const char *p)
{
	size_t depth = 0;

	for (; *p; p++) {
		if (strchr("([", *p))
			depth++;
		else if (strchr(")]", *p) && !depth--)
			return NULL;
		else if (*p == ' ' && !depth && starts_with(p, " for "))
			return p;
	}
	return NULL;
}

static struct error *parse_list(struct strvec *out, struct python *y,
				size_t most);

/* EXPRESSION for NAME in LIST, from `each` on; y->p after the "for". */
static struct error *parse_for(struct strvec *out, struct python *y,
			       const char *each, const char *end, size_t most)
{
	cleanup_strvec struct strvec of = STRVEC_INIT;
	const char *after;

	skip_blanks(y);
	y->variable = y->p;
	y->variable_len = 0;
	while (is_word_char(*y->p))
		y->p++;
	y->variable_len = (size_t)(y->p - y->variable);
	if (!y->variable_len || !take(y, "in"))
		return off(y, "'for NAME in' is missing");
	TRY(parse_list(&of, y, most));
	if (!take(y, end))
		return off(y, "only one 'for' is understood, and no 'if'");
	after = y->p;
	for (size_t i = 0; i < of.n; i++) {
		char *rest;

		y->value = strtoll(of.v[i], &rest, 10);
		if (*rest)
			return off(y, "'for' is over whole numbers");
		y->p = each;
		TRY(parse_element(out, y, most));
		if (!take(y, "for"))
			return off(y, "more follows than is understood");
	}
	y->p = after;
	return NULL;
}

static struct error *parse_elements(struct strvec *out, struct python *y,
				    const char *end, size_t most)
{
	const char *each = y->p, *loop = find_for(y->p);

	if (loop && !y->variable) {
		y->p = loop + strlen(" for ");
		return parse_for(out, y, each, end, most);
	}
	while (!take(y, end)) {
		TRY(parse_element(out, y, most));
		if (take(y, ","))
			continue;
		return take(y, end) ? NULL : off(y, "a comma is missing");
	}
	return NULL;
}

static struct error *parse_list(struct strvec *out, struct python *y,
				size_t most)
{
	if (++y->depth > MAX_DEPTH)
		return off(y, "it nests too deep");
	if (take(y, "list")) {
		if (!take(y, "("))
			return off(y, "'(' is missing");
		TRY(parse_list(out, y, most));
		return take(y, ")") ? NULL : off(y, "')' is missing");
	}
	if (take(y, "range"))
		return take(y, "(") ? parse_range(out, y, most)
				    : off(y, "'(' is missing");
	if (take(y, "["))
		return parse_elements(out, y, "]", most);
	if (take(y, "("))
		return parse_elements(out, y, ")", most);
	return off(y, "a list or a range is missing");
}

struct error *python_list(struct strvec *out, const char *text, size_t most)
{
	struct python y = {.text = text, .p = text};

	TRY(parse_list(out, &y, most));
	return expect_end(&y);
}
