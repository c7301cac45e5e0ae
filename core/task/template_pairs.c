/* What scalars are of which nothing but the name is known. */
#include "core/task/template_cases.h"
#include "core/task/template_parts.h"

/* The names of two ends, the lower one first. */
static const char *const ends[][2] = {
	{"lo", "hi"},	    {"low", "high"},   {"min", "max"},
	{"lower", "upper"}, {"begin", "end"},  {"start", "end"},
	{"start", "stop"},  {"first", "last"}, {"from", "to"},
	{"bottom", "top"},
};

static bool has_other(const struct prototype *p, const struct parameter *a,
		      const char *name)
{
	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *b = &p->parameter[i];
		const char *text = a->owner ? b->member : b->name;

		if (b != a && b->owner == a->owner && !b->is_pointer &&
		    b->dtype == a->dtype && !template_is_symbol(p, b) && text &&
		    strcasecmp(text, name) == 0)
			return true;
	}
	return false;
}

/* Is there a scalar with the name of `a`, `other` in place of `own`? */
static bool is_end(const struct prototype *p, const struct parameter *a,
		   const char *own, const char *other)
{
	const char *name = a->owner ? a->member : a->name, *at = name;

	while (at && (at = strcasestr(at, own))) {
		cleanup_free char *replaced =
			xasprintf("%.*s%s%s", (int)(at - name), name, other,
				  at + strlen(own));

		if (has_other(p, a, replaced))
			return true;
		at++;
	}
	return false;
}

/* Some of what inputs hold is beyond either of them. */
static const char *value_of_end(enum dtype dtype, bool is_upper)
{
	switch (dtype) {
	case DTYPE_U8:
		return is_upper ? "192" : "64";
	case DTYPE_I8:
		return is_upper ? "64" : "-64";
	case DTYPE_U16:
		return is_upper ? "49152" : "16384";
	case DTYPE_I16:
		return is_upper ? "16384" : "-16384";
	default:
		if (dtype_is_float(dtype))
			return is_upper ? "0.5" : "-0.5";
		return is_upper ? "4" : "1";
	}
}

const char *template_any_value(const char **why, const struct prototype *p,
			       const struct parameter *a)
{
	bool is_float = !a->known || dtype_is_float(a->dtype);

	*why = "";
	if (a->initial)
		return a->initial;
	for (size_t i = 0; a->known && i < ARRAY_SIZE(ends); i++)
		for (size_t k = 0; k < 2; k++)
			if (is_end(p, a, ends[i][k], ends[i][!k])) {
				*why = k ? ": the upper one of two by its name"
					 : ": the lower one of two by its name";
				return value_of_end(a->dtype, k);
			}
	return is_float ? "1.0" : "1";
}
