/* The cases: the shapes that are timed, and the ranges of hidden ones. */
#include <ctype.h>
#include <errno.h>

#include "core/base/buf.h"
#include "core/task/hidden.h"
#include "core/task/hidden_parts.h"
#include "core/task/reader.h"

#define MAX_SYMBOLS 32

static size_t symbol_index(const struct task *t, const char *name)
{
	for (size_t i = 0; i < t->symbols.n; i++)
		if (str_eq(t->symbols.v[i], name))
			return i;
	return SIZE_MAX;
}

/* "count" and "require" are keys of hidden, and "weight" is a case's weight. */
bool task_can_be_symbol(const char *name)
{
	if (!isalpha((unsigned char)*name) || strlen(name) > 32 ||
	    str_eq(name, "count") || str_eq(name, "require") ||
	    str_eq(name, "weight"))
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return false;
	return true;
}

/* The keys of the first case are the symbols of the task. */
static struct error *read_symbols(const struct task_reader *r,
				  const struct yaml *y)
{
	struct task *t = r->task;

	for (size_t i = 0; i < y->n; i++) {
		if (str_eq(y->key[i], "weight"))
			continue;
		if (!task_can_be_symbol(y->key[i]) ||
		    t->symbols.n >= MAX_SYMBOLS)
			return error_new(
				ERROR_TASK,
				"%s:%zu: cases: found the symbol "
				"'%.60s'; allowed are at most %d names "
				"of letters, digits and _, and not "
				"'count' or 'require'",
				r->path, y->item[i].line, y->key[i],
				MAX_SYMBOLS);
		strvec_push(&t->symbols, y->key[i]);
	}
	return NULL;
}

static char *case_name(const struct task *t, const int64_t *value)
{
	cleanup_buf struct buf b = BUF_INIT(4096);

	for (size_t i = 0; i < t->symbols.n; i++)
		buf_addf(&b, "%s%s=%jd", i ? " " : "", t->symbols.v[i],
			 (intmax_t)value[i]);
	if (!b.len)
		buf_adds(&b, "the case");
	return buf_take(&b);
}

static struct error *read_case(const struct task_reader *r,
			       const struct yaml *y)
{
	struct task *t = r->task;
	struct task_case *c;
	bool seen[MAX_SYMBOLS] = {false};

	GROW(t->cases, t->n_cases, t->cap_cases);
	c = &t->cases[t->n_cases++];
	*c = (struct task_case){.weight = 1};
	c->value = xcalloc(t->symbols.n, sizeof *c->value);
	for (size_t i = 0; i < y->n; i++) {
		size_t s = symbol_index(t, y->key[i]);

		if (str_eq(y->key[i], "weight")) {
			TRY(reader_double(&c->weight, r, &y->item[i],
					  "cases.weight"));
			continue;
		}
		if (s == SIZE_MAX)
			return reader_refuse(r, &y->item[i], y->key[i],
					     "all cases must have the same "
					     "symbols, and the first has not "
					     "this one");
		TRY(reader_int(&c->value[s], r, &y->item[i], y->key[i],
			       task_key(keys_range, 0, "low")));
		seen[s] = true;
	}
	for (size_t s = 0; s < t->symbols.n; s++)
		if (!seen[s])
			return reader_missing(r, y, "cases", t->symbols.v[s]);
	if (!(c->weight > 0))
		return reader_refuse(r, y, "cases.weight",
				     "it must be above zero");
	c->name = case_name(t, c->value);
	return NULL;
}

static struct error *read_cases(const struct task_reader *r,
				const struct yaml *y)
{
	if (y->kind != YAML_SEQUENCE || !y->n || y->n > TASK_MAX_CASES)
		return reader_refuse(r, y, "cases",
				     "it must be a list of 1 to 256 cases such "
				     "as {m: 512, n: 512}");
	for (size_t i = 0; i < y->n; i++) {
		if (y->item[i].kind != YAML_MAPPING)
			return reader_refuse(r, &y->item[i], "cases",
					     "a case is a mapping of symbols "
					     "to sizes");
		if (i == 0)
			TRY(read_symbols(r, &y->item[0]));
		TRY(read_case(r, &y->item[i]));
	}
	return NULL;
}

/* "1..300" */
static bool parse_range(struct hidden_range *h, const char *text)
{
	char *end;

	errno = 0;
	h->low = strtoll(text, &end, 10);
	if (errno || end == text || !starts_with(end, ".."))
		return false;
	text = end + 2;
	h->high = strtoll(text, &end, 10);
	return !errno && end != text && !*end;
}

static struct error *read_range(struct hidden_range *h,
				const struct task_reader *r,
				const struct yaml *y, const char *where)
{
	static const char form[] =
		"it must be LOW..HIGH, [LOW, HIGH], or {low, high, step}, with "
		"0 <= low <= high";

	h->step = 1;
	if (y->kind == YAML_SCALAR) {
		if (!parse_range(h, y->text))
			return reader_refuse(r, y, where, form);
	} else if (y->kind == YAML_SEQUENCE) {
		if (y->n != 2)
			return reader_refuse(r, y, where, form);
		TRY(reader_int(&h->low, r, &y->item[0], where,
			       task_key(keys_range, 0, "low")));
		TRY(reader_int(&h->high, r, &y->item[1], where,
			       task_key(keys_range, 0, "low")));
	} else {
		TRY(reader_keys(r, y, where, keys_range, 0));
		TRY(reader_needed(r, y, where, keys_range, 0));
		TRY(reader_int(&h->low, r, document_get(y, "low"), where,
			       task_key(keys_range, 0, "low")));
		TRY(reader_int(&h->high, r, document_get(y, "high"), where,
			       task_key(keys_range, 0, "high")));
		TRY(reader_int(&h->step, r, document_get(y, "step"), where,
			       task_key(keys_range, 0, "step")));
	}
	if (h->low < 0 || h->low > h->high || h->high > (int64_t)MAX_SIZE)
		return reader_refuse(r, y, where, form);
	/* The range must contain a multiple of the step. */
	if (h->high / h->step * h->step < h->low)
		return reader_refuse(r, y, where,
				     "no multiple of step lies in the range");
	return NULL;
}

static struct error *read_require(const struct task_reader *r,
				  const struct yaml *y)
{
	struct task *t = r->task;

	TRY(reader_expr(&t->hidden_require, r, y, "hidden.require"));
	if (y && !hidden_is_possible(t))
		return reader_refuse(r, y, "hidden.require",
				     "in 20000 draws no sizes from the ranges "
				     "met it: let the ranges be narrower, or "
				     "give them a step");
	return NULL;
}

static struct error *read_hidden(const struct task_reader *r,
				 const struct yaml *y)
{
	struct task *t = r->task;
	int64_t count = 3;

	if (y->kind != YAML_MAPPING)
		return reader_refuse(r, y, "hidden",
				     "it must be a mapping such as {count: 3, "
				     "m: 1..300}");
	TRY(reader_int(&count, r, document_get(y, "count"), "hidden.count",
		       keys_hidden));
	t->hidden_count = (size_t)count;
	t->hidden = xcalloc(t->symbols.n, sizeof *t->hidden);
	for (size_t s = 0; s < t->symbols.n; s++) {
		cleanup_free char *where =
			xasprintf("hidden.%s", t->symbols.v[s]);

		if (!document_get(y, t->symbols.v[s]))
			return reader_missing(r, y, "hidden", t->symbols.v[s]);
		TRY(read_range(&t->hidden[s], r,
			       document_get(y, t->symbols.v[s]), where));
	}
	for (size_t i = 0; i < y->n; i++)
		if (!task_key(keys_hidden, 0, y->key[i]) &&
		    symbol_index(t, y->key[i]) == SIZE_MAX)
			return reader_refuse(r, &y->item[i], y->key[i],
					     "no case has this symbol");
	return read_require(r, document_get(y, "require"));
}

struct error *task_read_cases(struct task_reader *r, const struct yaml *root)
{
	TRY(read_cases(r, document_get(root, "cases")));
	if (document_get(root, "hidden"))
		TRY(read_hidden(r, document_get(root, "hidden")));
	return NULL;
}

/* ---- sizes that no array can have ------------------------------------------- */

#define CORNER_SYMBOLS 10 /* of more, the others are all at one end */

/* Where hidden sizes are read, and one case at ends of all ranges. */
struct corner {
	const struct task_reader *r;
	const struct yaml *hidden;
	struct task_case c;
};

static void corner_release(struct corner *k)
{
	task_case_release(&k->c);
}

DEFINE_RELEASE(corner, struct corner, corner_release)
#define cleanup_corner CLEANUP(corner)

/* The symbol of e that is to blame: one that is 0, else the first. */
static const char *to_blame(const struct corner *k,
			    const struct strvec *symbols)
{
	for (size_t i = 0; i < symbols->n; i++) {
		size_t s = symbol_index(k->r->task, symbols->v[i]);

		if (s != SIZE_MAX && !k->c.value[s])
			return symbols->v[i];
	}
	return symbols->v[0];
}

static struct error *check_size(struct corner *k, const struct argument *a,
				const struct expr *e, int64_t least)
{
	const struct task *t = k->r->task;
	cleanup_strvec struct strvec symbols = STRVEC_INIT;
	cleanup_free char *where = NULL, *text = NULL;
	cleanup_error struct error *err = NULL;
	int64_t size = 0;

	expr_symbols(&symbols, e);
	/* One without symbols is looked at with the timed cases. */
	if (!symbols.n)
		return NULL;
	err = task_eval(&size, e, t, &k->c);
	if (!err && size >= least)
		return NULL;
	free(k->c.name);
	k->c.name = case_name(t, k->c.value);
	text = err ? xasprintf("it draws %s, too, and argument %s cannot be "
			       "made there (%s): let the range be narrower, or "
			       "say with `require` which sizes go together",
			       k->c.name, a->name, error_message(err))
		   : xasprintf("it draws %s, too, where '%s' of argument %s is "
			       "%jd, and must be %jd or more: let the range be "
			       "narrower, or say with `require` which sizes go "
			       "together",
			       k->c.name, expr_text(e), a->name, (intmax_t)size,
			       (intmax_t)least);
	where = xasprintf("hidden.%s", to_blame(k, &symbols));
	return reader_refuse(k->r,
			     document_get(k->hidden, to_blame(k, &symbols)),
			     where, text);
}

static struct error *check_corner(struct corner *k)
{
	const struct task *t = k->r->task;

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		for (size_t d = 0; d < a->n_dims; d++) {
			TRY(check_size(k, a, a->shape[d], 1));
			if (a->has_strides)
				TRY(check_size(k, a, a->stride[d], 1));
		}
		if (a->bytes)
			TRY(check_size(k, a, a->bytes, 0));
	}
	return NULL;
}

struct error *task_check_hidden(struct task_reader *r, const struct yaml *root)
{
	struct task *t = r->task;
	size_t n = MIN(t->symbols.n, (size_t)CORNER_SYMBOLS);
	cleanup_corner struct corner k = {
		.r = r,
		.hidden = document_get(root, "hidden"),
		.c = {.value = xcalloc(t->symbols.n + 1, sizeof *k.c.value)}};

	if (!t->hidden)
		return NULL;
	for (uint32_t ends = 0; ends < 1U << n; ends++) {
		for (size_t s = 0; s < t->symbols.n; s++) {
			size_t bit = MIN(s, n - 1);

			k.c.value[s] = ends >> bit & 1
					       ? hidden_highest(&t->hidden[s])
					       : hidden_lowest(&t->hidden[s]);
		}
		if (hidden_meets(t, &k.c))
			TRY(check_corner(&k));
	}
	return NULL;
}
