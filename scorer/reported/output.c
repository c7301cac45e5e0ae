#include "scorer/reported/output.h"

#include <math.h>

#include "core/base/json.h"
#include "core/base/text.h"

void reported_release(struct reported *r)
{
	free(r->why);
	free(r->value);
	strvec_release(&r->name);
	*r = (struct reported){.name = STRVEC_INIT};
}

/* Every member once, and none that is not known. */
static char *check_members(const struct json *object, const char *what,
			   const char *const *known, size_t n_known)
{
	for (size_t i = 0; i < json_len(object); i++) {
		const char *key = json_key(json_at(object, i));
		size_t k = 0;

		if (!key)
			break;
		while (k < n_known && !str_eq(known[k], key))
			k++;
		if (k == n_known)
			return xasprintf("%s has a member '%.40s', which means "
					 "nothing",
					 what, key);
		for (size_t j = 0; j < i; j++)
			if (str_eq(json_key(json_at(object, j)), key))
				return xasprintf("%s has '%s' twice", what,
						 key);
	}
	return NULL;
}

static bool is_object(const struct json *v)
{
	return v && !json_is_array(v) && !json_is_null(v) && json_len(v) > 0;
}

/* A positive number that a measurement can hold. */
static char *read_value(double *out, const struct json *v, const char *what)
{
	if (!v)
		return xasprintf("%s is missing", what);
	if (!json_number(v, out))
		return xasprintf("%s is not a number", what);
	if (!(*out > 0 && *out <= REPORTED_VALUE_MAX))
		return xasprintf("%s is %g: it must be above 0 and at most %g",
				 what, *out, REPORTED_VALUE_MAX);
	return NULL;
}

static char *read_text(const char **out, const struct json *v, const char *what,
		       size_t most)
{
	*out = v ? json_string(v) : NULL;
	if (!v)
		return xasprintf("%s is missing", what);
	if (!*out || !**out)
		return xasprintf("%s is not a text", what);
	if (strlen(*out) > most)
		return xasprintf("%s is longer than %zu bytes", what, most);
	return NULL;
}

static char *read_case(struct reported *out, const struct json *one)
{
	static const char *const members[] = {"name", "value"};
	const char *name;
	char *why;

	if (!is_object(one))
		return xstrdup("an element of 'cases' is not an object with "
			       "'name' and 'value'");
	why = check_members(one, "a case", members, ARRAY_SIZE(members));
	if (!why)
		why = read_text(&name, json_get(one, "name"),
				"the 'name' of a case", REPORTED_NAME_MAX);
	if (why)
		return why;
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return xstrdup("the 'name' of a case has a control "
				       "character");
	if (strvec_has(&out->name, name))
		return xasprintf("two cases have the name '%s'", name);
	why = read_value(&out->value[out->name.n], json_get(one, "value"),
			 "the 'value' of a case");
	if (!why)
		strvec_push(&out->name, name);
	return why;
}

static char *read_cases(struct reported *out, const struct json *list)
{
	char *why = NULL;
	size_t n = json_len(list);

	if (!list)
		return NULL;
	if (!json_is_array(list))
		return xstrdup("'cases' is not a list");
	if (n > REPORTED_CASES_MAX)
		return xasprintf("'cases' has over %d elements",
				 REPORTED_CASES_MAX);
	out->value = xcalloc(n, sizeof *out->value);
	for (size_t i = 0; i < n && !why; i++)
		why = read_case(out, json_at(list, i));
	return why;
}

static char *read_pass(struct reported *out, const struct json *j)
{
	char *why;

	if (json_get(j, "why"))
		return xstrdup("a pass has no 'why'");
	why = read_value(&out->score, json_get(j, "score"), "'score'");
	return why ? why : read_cases(out, json_get(j, "cases"));
}

/* A figure of a kernel that fails would be of nothing. */
static char *read_failure(struct reported *out, const struct json *j)
{
	const char *text;
	char *why;

	if (json_get(j, "score") || json_get(j, "cases"))
		return xstrdup("only a pass has 'score' and 'cases'");
	why = read_text(&text, json_get(j, "why"), "'why'", REPORTED_WHY_MAX);
	if (!why)
		out->why = xstrdup(text);
	return why;
}

static char *read_object(struct reported *out, const struct json *j)
{
	static const char *const members[] = {"verdict", "why", "score",
					      "cases"};
	const char *verdict;
	char *why;

	if (!is_object(j))
		return xstrdup("it is not an object with a 'verdict'");
	why = check_members(j, "it", members, ARRAY_SIZE(members));
	if (!why)
		why = read_text(&verdict, json_get(j, "verdict"), "'verdict'",
				REPORTED_NAME_MAX);
	if (why)
		return why;
	/* The last two are not of a kernel that was run. */
	if (!verdict_parse(&out->verdict, verdict) ||
	    out->verdict >= VERDICT_NOT_RUN)
		return xasprintf("there is no verdict '%s' to report", verdict);
	return out->verdict == VERDICT_PASS ? read_pass(out, j)
					    : read_failure(out, j);
}

char *reported_parse(struct reported *out, const char *text, size_t len)
{
	cleanup_json struct json *j = NULL;
	struct error *err;
	char *why;

	*out = (struct reported){.name = STRVEC_INIT};
	if (!len)
		return xstrdup("nothing was printed");
	if (len > REPORTED_OUTPUT_MAX)
		return xasprintf("it is longer than %zu KiB",
				 REPORTED_OUTPUT_MAX >> 10);
	err = json_parse(&j, text, len);
	if (err) {
		why = xstrdup(error_message(err));
		error_free(err);
		return why;
	}
	why = read_object(out, j);
	if (why)
		reported_release(out);
	return why;
}
