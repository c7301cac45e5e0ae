#include "cmd/ui/opt.h"

#include <errno.h>

#include "core/base/clock.h"

/* The state of the parser. */
struct opt_scan {
	void *into;
	const struct opt *table;
	char **argv; /* arguments not yet read */
};

static struct error *bad_value(const struct opt *o, const char *text,
			       const char *wanted)
{
	return error_new(ERROR_USAGE, "--%s takes %s, not '%s'", o->name,
			 wanted, text);
}

static struct error *parse_count(int64_t *out, const struct opt *o,
				 const char *text)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || end == text || *end || v < 1)
		return bad_value(o, text, "a whole number of at least 1");
	*out = v;
	return NULL;
}

static struct error *parse_number(uint64_t *out, const struct opt *o,
				  const char *text)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || end == text || *end || text[0] == '-')
		return bad_value(o, text, "a whole number");
	*out = v;
	return NULL;
}

static struct error *parse_span(double *out, const struct opt *o,
				const char *text)
{
	if (!clock_parse_span(out, text))
		return bad_value(o, text,
				 "a span of time such as 90s, 30m or 1h30m");
	return NULL;
}

static struct error *store(const struct opt_scan *s, const struct opt *o,
			   const char *text)
{
	void *member = (char *)s->into + o->offset;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)member = true;
		return NULL;
	case OPT_STRING:
		if (!*text)
			return bad_value(o, text, o->value);
		*(const char **)member = text;
		return NULL;
	case OPT_COUNT:
		return parse_count(member, o, text);
	case OPT_NUMBER:
		return parse_number(member, o, text);
	case OPT_SPAN:
		return parse_span(member, o, text);
	}
	return NULL;
}

/* The value of an option: the text attached to it, else the next argument. */
static struct error *take_value(struct opt_scan *s, const struct opt *o,
				const char *glued)
{
	if (o->kind == OPT_FLAG && glued)
		return error_new(ERROR_USAGE, "--%s takes no value", o->name);
	if (o->kind == OPT_FLAG || glued)
		return store(s, o, glued);
	if (!*s->argv)
		return error_new(ERROR_USAGE, "--%s needs %s after it", o->name,
				 o->value);
	return store(s, o, *s->argv++);
}

static struct error *unknown(const struct opt_scan *s, const char *word)
{
	const char *names[64] = {0};
	const char *nearest;
	size_t n = 0;

	for (const struct opt *o = s->table; o->name; o++)
		if (n + 1 < ARRAY_SIZE(names))
			names[n++] = o->name;
	nearest = opt_nearest(word, names);
	if (nearest)
		return error_new(ERROR_USAGE,
				 "unknown option --%s: did you mean --%s?",
				 word, nearest);
	return error_new(ERROR_USAGE, "unknown option --%s", word);
}

static struct error *parse_long(struct opt_scan *s, const char *word)
{
	size_t len = strcspn(word, "=");
	cleanup_free char *name = xstrndup(word, len);

	for (const struct opt *o = s->table; o->name; o++)
		if (str_eq(o->name, name))
			return take_value(s, o,
					  word[len] ? word + len + 1 : NULL);
	return unknown(s, name);
}

static struct error *parse_short(struct opt_scan *s, const char *word)
{
	for (const struct opt *o = s->table; o->name; o++)
		if (o->letter && o->letter == word[0])
			return take_value(s, o, word[1] ? word + 1 : NULL);
	return error_new(ERROR_USAGE, "unknown option -%c", word[0]);
}

struct error *opt_parse(void *into, struct strvec *operands,
			const struct opt *table, char **argv)
{
	struct opt_scan s = {.into = into, .table = table, .argv = argv};
	bool only_operands = false;

	while (*s.argv) {
		const char *word = *s.argv++;

		if (only_operands || word[0] != '-' || !word[1])
			strvec_push(operands, word);
		else if (str_eq(word, "--"))
			only_operands = true;
		else if (word[1] == '-')
			TRY(parse_long(&s, word + 2));
		else
			TRY(parse_short(&s, word + 1));
	}
	return NULL;
}

/* Does the option take the next argument as its value? */
static bool takes_next(const struct opt *table, const char *word)
{
	for (const struct opt *o = table; o->name; o++)
		if (o->kind != OPT_FLAG &&
		    ((starts_with(word, "--") && str_eq(word + 2, o->name)) ||
		     (o->letter && word[0] == '-' && word[1] == o->letter &&
		      !word[2])))
			return true;
	return false;
}

bool opt_asks_for_help(const struct opt *table, char **argv)
{
	for (; *argv && !str_eq(*argv, "--"); argv++) {
		if (str_eq(*argv, "--help") || str_eq(*argv, "-h"))
			return true;
		if (takes_next(table, *argv) && argv[1])
			argv++;
	}
	return false;
}

void opt_help(struct buf *out, const struct opt *table)
{
	for (const struct opt *o = table; o->name; o++) {
		size_t start = out->len;
		size_t width;

		if (o->letter)
			buf_addf(out, "  -%c, --%s", o->letter, o->name);
		else
			buf_addf(out, "      --%s", o->name);
		if (o->value)
			buf_addf(out, " %s", o->value);
		width = out->len - start;
		if (width > 24) {
			buf_addc(out, '\n');
			width = 0;
		}
		buf_addf(out, "%*s%s\n", (int)(26 - width), "", o->help);
	}
}

/* Levenshtein distance; SIZE_MAX if b has `ARRAY_SIZE(row)` letters or more. */
static size_t distance(const char *a, const char *b)
{
	size_t row[48];
	size_t n = strlen(b);

	if (n >= ARRAY_SIZE(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 1; j <= n; j++) {
			size_t substituted = diagonal + (a[i] != b[j - 1]);

			diagonal = row[j];
			row[j] = MIN(substituted, MIN(row[j], row[j - 1]) + 1);
		}
	}
	return row[n];
}

const char *opt_nearest(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t least = 1 + strlen(word) / 3 + (strlen(word) > 2);

	for (; *names; names++) {
		size_t d = starts_with(*names, word) ? 0
						     : distance(word, *names);

		if (d < least) {
			least = d;
			best = *names;
		}
	}
	return best;
}
