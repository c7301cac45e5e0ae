#include "core/task/reader.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>

#include "core/base/buf.h"
#include "core/base/clock.h"

#define MAX_WORD 512

struct error *reader_refuse(const struct task_reader *r, const struct yaml *y,
			    const char *where, const char *allowed)
{
	cleanup_free char *found = document_describe(y);

	return error_new(ERROR_TASK, "%s:%zu: %s: found %s; %s", r->path,
			 y->line, where, found, allowed);
}

struct error *reader_missing(const struct task_reader *r, const struct yaml *y,
			     const char *where, const char *key)
{
	return error_new(ERROR_TASK, "%s:%zu: %s: the key '%s' is missing",
			 r->path, y->line, where, key);
}

/* Levenshtein distance, for words short enough to be keys. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[64];

	if (m >= ARRAY_SIZE(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			best = MIN(best, MIN(row[j], row[j - 1]) + 1);
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[m];
}

/* Index of `word` among space-separated choices; -1 if it is not there.
 * *nearest is the most similar one. */
static int find_choice(const char *word, const char *choices, char *nearest,
		       size_t size)
{
	size_t best = SIZE_MAX;
	int index = 0, found = -1;

	for (const char *p = choices; *p; index++) {
		size_t len = strcspn(p, " ");
		size_t d = distance(p, len, word, strlen(word));

		if (d == 0)
			found = index;
		if (d < best) {
			best = d;
			snprintf(nearest, size, "%.*s", (int)len, p);
		}
		p += len + (p[len] == ' ');
	}
	return found;
}

static struct error *only_known(const struct task_reader *r,
				const struct yaml *y, const char *where,
				const char *known)
{
	char nearest[64] = "";

	if (y->kind != YAML_MAPPING)
		return reader_refuse(r, y, where,
				     "it must be a mapping of "
				     "keys to values");
	for (size_t i = 0; i < y->n; i++)
		if (find_choice(y->key[i], known, nearest, sizeof nearest) < 0)
			return error_new(ERROR_TASK,
					 "%s:%zu: %s: unknown key '%.60s'; the "
					 "nearest known one is '%s'",
					 r->path, y->item[i].line, where,
					 y->key[i], nearest);
	return NULL;
}

static struct error *need_scalar(const struct task_reader *r,
				 const struct yaml *y, const char *where)
{
	if (y->kind != YAML_SCALAR || !*y->text)
		return reader_refuse(r, y, where, "it must be a single value");
	if (strlen(y->text) > MAX_WORD)
		return reader_refuse(r, y, where, "it is too long");
	return NULL;
}

struct error *reader_word(char **out, const struct task_reader *r,
			  const struct yaml *y, const char *where)
{
	if (!y)
		return NULL;
	TRY(need_scalar(r, y, where));
	free(*out);
	*out = xstrdup(y->text);
	return NULL;
}

struct error *reader_identifier(char **out, const struct task_reader *r,
				const struct yaml *y, const char *where)
{
	if (!y)
		return NULL;
	TRY(need_scalar(r, y, where));
	if (isdigit((unsigned char)y->text[0]) || strlen(y->text) > 100)
		return reader_refuse(r, y, where, "it must be a C identifier");
	for (const char *c = y->text; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return reader_refuse(r, y, where,
					     "it must be a C identifier");
	return reader_word(out, r, y, where);
}

struct error *reader_function(char **out, const struct task_reader *r,
			      const struct yaml *y, const char *where)
{
	if (!y || r->task->language != LANGUAGE_CXX)
		return reader_identifier(out, r, y, where);
	TRY(need_scalar(r, y, where));
	if (!*y->text || isdigit((unsigned char)y->text[0]) ||
	    strlen(y->text) > 400)
		return reader_refuse(r, y, where, "it must be a function");
	for (const char *c = y->text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(" _:<>(),*&[]", *c))
			return reader_refuse(
				r, y, where,
				"it must be the name of a function, or its "
				"declaration without attributes");
	return reader_word(out, r, y, where);
}

struct error *reader_setup(char **out, const struct task_reader *r,
			   const struct yaml *y, const char *where)
{
	if (y && r->task->language == LANGUAGE_CUDA)
		return reader_refuse(r, y, where, "it is for c and c++ only");
	return reader_function(out, r, y, where);
}

struct error *reader_int(int64_t *out, const struct task_reader *r,
			 const struct yaml *y, const char *where,
			 const struct key *k)
{
	int64_t low = (int64_t)k->low, high = (int64_t)k->high;
	char allowed[96];
	long long v;
	char *end;

	if (!y)
		return NULL;
	snprintf(allowed, sizeof allowed,
		 "it must be a whole number from %jd to %jd", (intmax_t)low,
		 (intmax_t)high);
	TRY(need_scalar(r, y, where));
	errno = 0;
	v = strtoll(y->text, &end, 10);
	if (errno || *end || v < low || v > high)
		return reader_refuse(r, y, where, allowed);
	*out = v;
	return NULL;
}

struct error *reader_double(double *out, const struct task_reader *r,
			    const struct yaml *y, const char *where)
{
	double v;
	char *end;

	if (!y)
		return NULL;
	TRY(need_scalar(r, y, where));
	v = strtod(y->text, &end);
	if (*end || !isfinite(v))
		return reader_refuse(r, y, where, "it must be a number");
	*out = v;
	return NULL;
}

struct error *reader_bool(bool *out, const struct task_reader *r,
			  const struct yaml *y, const char *where)
{
	int choice = *out;

	TRY(reader_choice(&choice, r, y, where, "false true"));
	*out = choice == 1;
	return NULL;
}

static struct error *check_symbols(const struct task_reader *r,
				   const struct yaml *y, const char *where,
				   const struct expr *e)
{
	const struct strvec *known = &r->task->symbols;
	cleanup_strvec struct strvec names = STRVEC_INIT;

	expr_symbols(&names, e);
	for (size_t i = 0; i < names.n; i++) {
		bool found = false;

		for (size_t s = 0; s < known->n; s++)
			found |= str_eq(known->v[s], names.v[i]);
		if (!found)
			return error_new(ERROR_TASK,
					 "%s:%zu: %s: '%s' uses %s, which no "
					 "case gives a value",
					 r->path, y->line, where, expr_text(e),
					 names.v[i]);
	}
	return NULL;
}

struct error *reader_expr(struct expr **out, const struct task_reader *r,
			  const struct yaml *y, const char *where)
{
	cleanup_expr struct expr *e = NULL;

	if (!y)
		return NULL;
	TRY(need_scalar(r, y, where));
	TRY(error_wrap(expr_parse(&e, y->text), "%s:%zu: %s", r->path, y->line,
		       where));
	TRY(check_symbols(r, y, where, e));
	*out = steal(&e);
	return NULL;
}

struct error *reader_words(struct strvec *out, const struct task_reader *r,
			   const struct yaml *y, const char *where)
{
	if (!y)
		return NULL;
	if (y->kind == YAML_SCALAR) {
		TRY(need_scalar(r, y, where));
		strvec_push(out, y->text);
		return NULL;
	}
	if (y->kind != YAML_SEQUENCE)
		return reader_refuse(r, y, where, "it must be a list");
	for (size_t i = 0; i < y->n; i++) {
		TRY(need_scalar(r, &y->item[i], where));
		strvec_push(out, y->item[i].text);
	}
	return NULL;
}

struct error *reader_choice(int *out, const struct task_reader *r,
			    const struct yaml *y, const char *where,
			    const char *choices)
{
	char nearest[64] = "";
	cleanup_free char *allowed = NULL;
	int index;

	if (!y)
		return NULL;
	TRY(need_scalar(r, y, where));
	index = find_choice(y->text, choices, nearest, sizeof nearest);
	if (index < 0) {
		allowed = xasprintf("allowed are: %s", choices);
		return reader_refuse(r, y, where, allowed);
	}
	*out = index;
	return NULL;
}

struct error *reader_bytes(uint64_t *out, const struct task_reader *r,
			   const struct yaml *y, const char *where)
{
	static const char *const units[] = {"", "KiB", "MiB", "GiB"};
	double v;
	char *end;

	if (!y)
		return NULL;
	TRY(need_scalar(r, y, where));
	v = strtod(y->text, &end);
	end += strspn(end, " ");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		double bytes = ldexp(v, 10 * (int)i);

		if (!str_eq(end, units[i]) || !(bytes >= 1 && bytes <= 0x1p45))
			continue;
		*out = (uint64_t)bytes;
		return NULL;
	}
	return reader_refuse(r, y, where,
			     "it must be a size such as 512MiB "
			     "or 1GiB");
}

struct error *reader_seconds(double *out, const struct task_reader *r,
			     const struct yaml *y, const char *where)
{
	if (!y)
		return NULL;
	TRY(need_scalar(r, y, where));
	if (!clock_parse_span(out, y->text))
		return reader_refuse(r, y, where,
				     "it must be a time such as "
				     "10s, 30m or 1h30m");
	return NULL;
}

/* ---- by a table ------------------------------------------------------------ */

/* Names with a space after each. */
static void add_names(struct buf *out, const struct key *table, unsigned in)
{
	for (; table->name; table++)
		if (!table->in || (table->in & in))
			buf_addf(out, "%s%s", out->len ? " " : "", table->name);
}

struct error *reader_keys_among(const struct task_reader *r,
				const struct yaml *y, const char *where,
				const struct key *const *tables)
{
	cleanup_buf struct buf names = BUF_INIT(BUF_LIMIT_TEXT);

	for (; *tables; tables++)
		add_names(&names, *tables, ~0U);
	return only_known(r, y, where, names.data);
}

static struct error *check_text(const struct task_reader *r,
				const struct yaml *y, const char *where,
				enum key_type type)
{
	cleanup_free char *word = NULL;

	return type == KEY_IDENTIFIER ? reader_identifier(&word, r, y, where)
				      : reader_word(&word, r, y, where);
}

static struct error *check_words(const struct task_reader *r,
				 const struct yaml *y, const char *where)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;

	return reader_words(&words, r, y, where);
}

/* A value that is neither a mapping nor a list of its own form. */
static struct error *check_value(const struct task_reader *r,
				 const struct yaml *y, const char *where,
				 const struct key *k)
{
	uint64_t bytes;
	int64_t whole;
	double number;
	bool truth = false;
	int choice = 0;

	switch (k->type) {
	case KEY_INT:
		return reader_int(&whole, r, y, where, k);
	case KEY_NUMBER:
		return reader_double(&number, r, y, where);
	case KEY_BOOL:
		return reader_bool(&truth, r, y, where);
	case KEY_CHOICE:
		return reader_choice(&choice, r, y, where, k->choices);
	case KEY_SPAN:
		return reader_seconds(&number, r, y, where);
	case KEY_BYTES:
		return reader_bytes(&bytes, r, y, where);
	case KEY_WORDS:
	case KEY_PATH: /* `source` may be a list */
		return check_words(r, y, where);
	case KEY_WORD:
	case KEY_IDENTIFIER:
	case KEY_FUNCTION:
	case KEY_EXPRESSION:
		return check_text(r, y, where, k->type);
	case KEY_CHOICES:
	case KEY_EXPRESSIONS:
	case KEY_MAPPING:
	case KEY_OTHER:
		break;
	}
	return NULL;
}

struct error *reader_keys(const struct task_reader *r, const struct yaml *y,
			  const char *where, const struct key *table,
			  unsigned in)
{
	cleanup_buf struct buf names = BUF_INIT(BUF_LIMIT_TEXT);
	bool root = str_eq(where, "the task");

	add_names(&names, table, in);
	TRY(only_known(r, y, where, names.data));
	for (size_t i = 0; i < y->n; i++) {
		const struct key *k = task_key(table, in, y->key[i]);
		cleanup_free char *own =
			root ? xstrdup(k->name)
			     : xasprintf("%s.%s", where, k->name);

		if (y->item[i].kind != YAML_MAPPING || !k->keys)
			TRY(check_value(r, &y->item[i], own, k));
	}
	return NULL;
}

struct error *reader_needed(const struct task_reader *r, const struct yaml *y,
			    const char *where, const struct key *table,
			    unsigned in)
{
	for (; table->name; table++)
		if (table->needed && (!table->in || (table->in & in)) &&
		    !document_get(y, table->name))
			return reader_missing(r, y, where, table->name);
	return NULL;
}
