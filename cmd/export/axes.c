#include "cmd/export/axes.h"

void axes_release(struct axes *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->axis[i].name);
	free(a->axis);
}

static bool is_taken(const struct axes *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (str_eq(a->axis[i].name, name))
			return true;
	return false;
}

/* Borrowed until the next call. */
static struct axis *add(struct axes *a, const char *wish)
{
	char *name = xstrdup(wish);

	while (is_taken(a, name)) {
		char *longer = xasprintf("%s_", name);

		free(name);
		name = longer;
	}
	GROW(a->axis, a->n, a->cap);
	a->axis[a->n] = (struct axis){.name = name};
	return &a->axis[a->n++];
}

/* Does it differ between cases, or may a hidden case draw another? */
static bool symbol_varies(const struct task *t, size_t symbol)
{
	for (size_t i = 1; i < t->n_cases; i++)
		if (t->cases[i].value[symbol] != t->cases[0].value[symbol])
			return true;
	return t->hidden && t->hidden[symbol].low < t->hidden[symbol].high;
}

static bool expr_varies(const struct axes *a, const struct expr *e)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;

	expr_symbols(&names, e);
	for (size_t i = 0; i < a->n; i++)
		if (a->axis[i].varies && strvec_has(&names, a->axis[i].name))
			return true;
	return false;
}

struct error *axis_value(int64_t *out, const struct axis *a,
			 const struct task *t, const struct task_case *c)
{
	if (a->dim)
		return task_eval(out, a->dim, t, c);
	*out = c->value[a->symbol];
	return NULL;
}

static struct error *add_symbols(struct axes *out,
				 const struct export_source *s)
{
	const struct torch_binding entry = {.kind = BINDING_ENTRY};
	const struct task *t = s->task;
	size_t argument, dim;

	for (size_t i = 0; i < t->symbols.n; i++) {
		struct axis *a = add(out, t->symbols.v[i]);

		a->symbol = i;
		a->varies = symbol_varies(t, i);
		a->value = t->cases[0].value[i];
		if (a->varies &&
		    !binding_finds(&argument, &dim, s, &entry, a->name))
			return error_new(
				ERROR_REFUSED,
				"export: `%s` is not the same in all cases, "
				"and it is a dimension of no input, which is "
				"where FlashInfer-Bench reads it",
				a->name);
	}
	return NULL;
}

static struct error *add_dim(struct axes *out, const struct export_source *s,
			     size_t argument, size_t dim)
{
	const struct argument *arg = &s->task->argument[argument];
	const struct expr *e = arg->shape[dim];
	const char *only = expr_only_symbol(e);
	cleanup_free char *wish = xasprintf("%s_dim%zu", arg->name, dim);
	struct axis *a;

	for (size_t i = 0; only && i < s->task->symbols.n; i++)
		if (str_eq(only, out->axis[i].name)) {
			out->of[argument][dim] = i;
			return NULL;
		}
	a = add(out, wish);
	out->of[argument][dim] = out->n - 1;
	a->dim = e;
	a->varies = expr_varies(out, e);
	if (a->varies && arg->direction != DIRECTION_IN)
		return error_new(
			ERROR_REFUSED,
			"export: the dimension `%s` of `%s` is not the same "
			"in all cases, and no input has it: FlashInfer-Bench "
			"knows names and constants, and no arithmetic",
			expr_text(e), arg->name);
	return axis_value(&a->value, a, s->task, &s->task->cases[0]);
}

struct error *axes_find(struct axes *out, const struct export_source *s)
{
	const struct task *t = s->task;

	TRY(add_symbols(out, s));
	for (size_t i = 0; i < t->n_arguments; i++)
		for (size_t d = 0; t->argument[i].kind == ARGUMENT_TENSOR &&
				   d < t->argument[i].n_dims;
		     d++)
			TRY(add_dim(out, s, i, d));
	return NULL;
}
