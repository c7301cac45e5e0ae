#include "agent/tuner/tunables.h"

#include <errno.h>

#include "agent/tuner/declarations.h"
#include "core/base/buf.h"

bool tunable_integer(int64_t *out, const struct tunable *t, size_t value)
{
	const char *text = t->value[value];
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return !errno && end != text && !*end;
}

struct values {
	char *name[TUNABLES_MAX];
	int64_t value[TUNABLES_MAX];
};

/* The values at a point as symbols; a tunable that is no integer is none. */
static struct symbols symbols_at(struct values *v, const struct tunables *t,
				 const size_t *point)
{
	struct symbols s = {v->name, v->value, 0};

	for (size_t i = 0; i < t->n; i++) {
		v->name[s.n] = t->tunable[i].name;
		if (tunable_integer(&v->value[s.n], &t->tunable[i], point[i]))
			s.n++;
	}
	return s;
}

bool tunables_allowed(const struct tunables *t, const size_t *point)
{
	struct values values;
	struct symbols s = symbols_at(&values, t, point);

	for (size_t i = 0; i < t->n_require; i++) {
		int64_t v = 0;
		cleanup_error struct error *err =
			expr_eval(&v, t->require[i], &s);

		if (err || !v)
			return false;
	}
	return true;
}

/* Constraints must make sense where the sources stand now. */
static struct error *check_requirements(const struct tunables *t)
{
	size_t point[TUNABLES_MAX];
	struct values values;
	struct symbols s;

	for (size_t i = 0; i < t->n; i++)
		point[i] = t->tunable[i].current;
	s = symbols_at(&values, t, point);
	for (size_t i = 0; i < t->n_require; i++) {
		int64_t v;

		TRY(error_wrap(expr_eval(&v, t->require[i], &s),
			       "avogit-require"));
	}
	return NULL;
}

struct error *tunables_read(struct tunables *out, const struct fileset *sources,
			    const struct task *task)
{
	cleanup_tunables struct tunables t = {0};

	for (size_t i = 0; i < sources->n; i++)
		TRY(declarations_read(&t, &sources->file[i], task));
	TRY(check_requirements(&t));
	*out = t;
	t = (struct tunables){0};
	return NULL;
}

static size_t tunables_space(const struct tunables *t)
{
	size_t space = 1;

	for (size_t i = 0; i < t->n; i++)
		if (__builtin_mul_overflow(space, t->tunable[i].n_values,
					   &space))
			return SIZE_MAX;
	return space;
}

/* To the next point of the space, as an odometer turns; false after the last. */
static bool advance(size_t *point, const struct tunables *t)
{
	for (size_t i = t->n; i-- > 0;) {
		if (++point[i] < t->tunable[i].n_values)
			return true;
		point[i] = 0;
	}
	return false;
}

size_t tunables_count(const struct tunables *t)
{
	size_t point[TUNABLES_MAX] = {0}, n = 0;

	if (!t->n_require)
		return tunables_space(t);
	if (tunables_space(t) > TUNABLES_MAX_COUNTED)
		return SIZE_MAX;
	do
		n += tunables_allowed(t, point);
	while (advance(point, t));
	return n;
}

char *tunables_summary(const struct tunables *t)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	size_t n = tunables_count(t);

	for (size_t i = 0; i < t->n; i++)
		buf_addf(&b, "%s%s (%zu)", i ? ", " : "", t->tunable[i].name,
			 t->tunable[i].n_values);
	if (n == SIZE_MAX)
		buf_addf(&b, ": more than %d points", TUNABLES_MAX_COUNTED);
	else
		buf_addf(&b, ": %zu point%s", n, n == 1 ? "" : "s");
	return buf_take(&b);
}

char *tunables_requirements(const struct tunables *t)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < t->n_require; i++)
		buf_addf(&b, "%s%s", i ? " and " : "",
			 expr_text(t->require[i]));
	return buf_take(&b);
}

struct error *tunables_apply(struct fileset *sources, const struct tunables *t,
			     const size_t *point)
{
	for (size_t i = 0; i < t->n; i++)
		if (point[i] != t->tunable[i].current)
			TRY(declaration_rewrite(sources, &t->tunable[i],
						point[i]));
	return NULL;
}

void tunables_release(struct tunables *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = 0; j < t->tunable[i].n_values; j++)
			free(t->tunable[i].value[j]);
		free(t->tunable[i].value);
		free(t->tunable[i].name);
		free(t->tunable[i].path);
	}
	for (size_t i = 0; i < t->n_require; i++)
		expr_free(t->require[i]);
	free(t->tunable);
	free(t->require);
	strvec_release(&t->odd);
	*t = (struct tunables){0};
}
