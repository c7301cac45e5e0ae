#include "agent/tuner/t1.h"

#include <ctype.h>

#include "agent/tuner/declaration.h"
#include "agent/tuner/python.h"
#include "agent/tuner/tunables.h"
#include "core/base/json.h"

/* ---- reading ------------------------------------------------------------- */

static bool is_name(const char *name)
{
	size_t n = 0;

	while (is_word_char(name[n]))
		n++;
	return n && !name[n] && n < 128 && !isdigit((unsigned char)*name);
}

/* What a word of a declaration cannot be; NULL: it can be one. */
static const char *odd_word(const char *word)
{
	static const struct define defined = {0};

	if (!*word)
		return "a value is empty";
	for (const char *p = word; *p; p++)
		if (!isgraph((unsigned char)*p))
			return "a value has blanks or control characters";
	return declaration_odd_value(&defined, word);
}

static bool has_word(const struct strvec *list, const char *word)
{
	return strvec_has(list, word);
}

/* The text of "Default", whatever its type. NULL: none. free() disposes. */
static char *read_default(const struct json *j)
{
	char *text = json_dup_string(j, "Default");
	int64_t n = 0;
	bool yes = false;

	if (!text && json_get_int(j, "Default", &n))
		return xasprintf("%lld", (long long)n);
	if (!text && json_get_bool(j, "Default", &yes))
		return xasprintf("%d", yes);
	return text;
}

/* A fraction, which may be written in several ways. */
static bool is_default(const struct json *j, const char *value)
{
	char *end;
	double n, is = strtod(value, &end);

	return json_get_double(j, "Default", &n) && !*end && n == is;
}

static struct error *read_parameter(struct t1_parameter *p,
				    const struct json *j)
{
	const char *name, *values;

	if (!json_get_string(j, "Name", &name) || !is_name(name))
		return error_new(ERROR_MALFORMED,
				 "a parameter has no 'Name' that a source can "
				 "have (letters, digits and _)");
	p->name = xstrdup(name);
	if (!json_get_string(j, "Values", &values))
		return error_new(ERROR_MALFORMED, "%s has no 'Values'", name);
	TRY(error_wrap(python_list(&p->values, values, TUNABLES_MAX_VALUES),
		       "%s", name));
	if (!p->values.n)
		return error_new(ERROR_MALFORMED, "%s has no value", name);
	for (size_t i = 0; i < p->values.n; i++) {
		if (odd_word(p->values.v[i]))
			return error_new(ERROR_MALFORMED, "%s: %s", name,
					 odd_word(p->values.v[i]));
		for (size_t k = 0; k < i; k++)
			if (str_eq(p->values.v[i], p->values.v[k]))
				return error_new(ERROR_MALFORMED,
						 "%s has a value twice", name);
	}
	p->usual = read_default(j);
	for (size_t i = 0; !p->usual && i < p->values.n; i++)
		if (is_default(j, p->values.v[i]))
			p->usual = xstrdup(p->values.v[i]);
	if (!p->usual || !has_word(&p->values, p->usual)) {
		free(p->usual);
		p->usual = xstrdup(p->values.v[0]);
	}
	return NULL;
}

/* Does one before the parameter at this index have its name? */
static bool has_earlier(const struct t1 *space, size_t i)
{
	const char *name = space->parameter[i].name;

	for (size_t k = 0; name && k < i; k++) {
		const char *other = space->parameter[k].name;

		if (other && str_eq(other, name))
			return true;
	}
	return false;
}

static struct error *read_parameters(struct t1 *out, const struct json *list)
{
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		struct t1_parameter *p;
		size_t i = out->n;

		if (i >= TUNABLES_MAX)
			return error_new(ERROR_MALFORMED,
					 "it has more than %d parameters",
					 TUNABLES_MAX);
		GROW(out->parameter, out->n, out->cap);
		p = &out->parameter[out->n++];
		*p = (struct t1_parameter){.values = STRVEC_INIT};
		TRY(read_parameter(p, j));
		if (has_earlier(out, i))
			return error_new(ERROR_MALFORMED,
					 "%s is described twice", p->name);
	}
	return NULL;
}

static struct error *read_conditions(struct t1 *out, const struct json *list)
{
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
		const char *condition;

		if (!json_get_string(j, "Expression", &condition))
			return error_new(ERROR_MALFORMED,
					 "a condition has no 'Expression'");
		TRY(error_wrap(python_condition(&text, condition),
			       "a condition"));
		strvec_push(&out->conditions, text.data);
	}
	return NULL;
}

struct error *t1_parse(struct t1 *out, const char *text, size_t len)
{
	cleanup_t1 struct t1 t = {.conditions = STRVEC_INIT};
	cleanup_json struct json *file = NULL;
	const struct json *space, *parameters;

	TRY(json_parse(&file, text, len));
	space = json_get(file, "ConfigurationSpace");
	parameters = json_get(space, "TuningParameters");
	if (!json_is_array(parameters) || !json_len(parameters))
		return error_new(ERROR_MALFORMED,
				 "it has no ConfigurationSpace with "
				 "TuningParameters, as T1 has");
	TRY(read_parameters(&t, parameters));
	TRY(read_conditions(&t, json_get(space, "Conditions")));
	*out = t;
	t = (struct t1){0};
	return NULL;
}

void t1_release(struct t1 *space)
{
	for (size_t i = 0; i < space->n; i++) {
		free(space->parameter[i].name);
		strvec_release(&space->parameter[i].values);
		free(space->parameter[i].usual);
	}
	free(space->parameter);
	strvec_release(&space->conditions);
	*space = (struct t1){0};
}

/* ---- declaring ------------------------------------------------------------- */

static void add_mark(struct buf *out, const struct t1_parameter *p)
{
	buf_adds(out, " // " DEFINE_MARK);
	for (size_t i = 0; i < p->values.n; i++)
		buf_addf(out, " %s", p->values.v[i]);
}

/* Index of the parameter that the line defines; space->n: none. */
static size_t defined_by(struct define *d, const struct t1 *space,
			 const char *line)
{
	size_t i = space->n;

	if (declaration_define(d, line) && !d->is_assigned)
		for (i = 0; i < space->n; i++)
			if (strlen(space->parameter[i].name) == d->name_len &&
			    !memcmp(space->parameter[i].name, d->name,
				    d->name_len))
				break;
	return i;
}

/* Adds the line, with a mark if it defines a parameter that none did before. */
static struct error *declare_line(struct buf *out, bool *has,
				  const struct t1 *space, const char *line)
{
	const char *comment, *mark = declaration_mark(line, &comment);
	cleanup_free char *value = NULL;
	struct define d;
	size_t i = defined_by(&d, space, line);

	buf_adds(out, line);
	if (i < space->n && !has[i]) {
		value = xstrndup(d.value, d.value_len);
		has[i] = true;
		if (!mark && !has_word(&space->parameter[i].values, value))
			return error_new(ERROR_MALFORMED,
					 "%s is %s in the source, which is "
					 "none of its values",
					 space->parameter[i].name, value);
		if (!mark)
			add_mark(out, &space->parameter[i]);
	}
	return NULL;
}

static struct error *declare_lines(struct buf *out, bool *has,
				   const struct t1 *space, const char *source,
				   size_t len)
{
	for (size_t i = 0; i < len;) {
		const char *end = memchr(source + i, '\n', len - i);
		size_t n = end ? (size_t)(end - source) - i : len - i;
		bool returns = n && source[i + n - 1] == '\r';
		cleanup_free char *line = xstrndup(source + i, n - returns);

		if (strlen(line) != n - returns)
			return error_new(ERROR_MALFORMED,
					 "the source has a NUL byte");
		TRY(declare_line(out, has, space, line));
		buf_adds(out, returns ? "\r" : "");
		buf_adds(out, end ? "\n" : "");
		i += n + 1;
	}
	return NULL;
}

struct error *t1_declare(struct buf *out, const struct t1 *space,
			 const char *source, size_t len)
{
	cleanup_buf struct buf rest = BUF_INIT(FILESET_MAX_BYTES);
	bool has[TUNABLES_MAX] = {false};

	TRY(declare_lines(&rest, has, space, source, len));
	for (size_t i = 0; i < space->n; i++) {
		if (has[i])
			continue;
		buf_addf(out, "#define %s %s", space->parameter[i].name,
			 space->parameter[i].usual);
		add_mark(out, &space->parameter[i]);
		buf_addc(out, '\n');
	}
	for (size_t i = 0; i < space->conditions.n; i++)
		buf_addf(out, "// " REQUIRE_MARK " %s\n",
			 space->conditions.v[i]);
	buf_add(out, rest.data, rest.len);
	return NULL;
}
