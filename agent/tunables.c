#include "agent/tunables.h"

#include <errno.h>

#include "agent/declarations.h"
#include "core/buf.h"

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

size_t tunables_space(const struct tunables *t)
{
	size_t space = 1;

	for (size_t i = 0; i < t->n; i++)
		if (__builtin_mul_overflow(space, t->tunable[i].n_values,
					   &space))
			return SIZE_MAX;
	return space;
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

char *tunables_format(const struct tunables *t, const size_t *point)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < t->n; i++)
		buf_addf(&b, "%s%s=%s%s%s", i ? " " : "", t->tunable[i].name,
			 t->tunable[i].is_flags ? "'" : "",
			 t->tunable[i].value[point[i]],
			 t->tunable[i].is_flags ? "'" : "");
	return buf_take(&b);
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
	*t = (struct tunables){0};
}
