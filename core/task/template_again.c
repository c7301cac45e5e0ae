/* A reference that is made again: for the shapes that its task has now. */
#include "core/task/template.h"
#include "core/task/token.h"

/* The parameter whose value the symbol is; NULL: the kernel does not get it. */
static const char *parameter_of(const struct prototype *p, const struct task *t,
				struct token symbol)
{
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];
		const char *only =
			a->kind == ARGUMENT_SCALAR && a->members[0].value
				? expr_only_symbol(a->members[0].value)
				: NULL;

		for (size_t k = 0; only && token_is(symbol, only) && k < p->n;
		     k++)
			if (str_eq(p->parameter[k].name, a->name))
				return a->name;
	}
	for (size_t k = 0; k < p->n; k++)
		if (p->parameter[k].contents &&
		    token_is(symbol, p->parameter[k].contents))
			return p->parameter[k].contents;
	return NULL;
}

/* `e` in C, over the kernel's parameters, in brackets; false: it has a symbol
 * that the kernel does not get, or a function. */
static bool add_code(struct buf *out, const struct prototype *p,
		     const struct task *t, const struct expr *e)
{
	const char *at = expr_text(e);
	struct token word;

	buf_addc(out, '(');
	while ((word = token_next(&at)).len) {
		const char *name =
			token_is_word(word) ? parameter_of(p, t, word) : NULL;

		if (token_is_word(word) && !name)
			return false;
		if (name)
			buf_adds(out, name);
		else
			buf_add(out, word.at, word.len);
		buf_addc(out, ' ');
	}
	buf_trim_end(out);
	buf_addc(out, ')');
	return true;
}

/* Elements from the first to the last. */
static bool add_extent(struct buf *out, const struct prototype *p,
		       const struct task *t, const struct argument *a)
{
	if (a->has_strides)
		buf_addc(out, '1');
	for (size_t i = 0; i < a->n_dims; i++) {
		buf_adds(out, a->has_strides ? " + (" : i ? " * " : "");
		if (!add_code(out, p, t, a->shape[i]))
			return false;
		if (!a->has_strides)
			continue;
		buf_adds(out, " - 1) * ");
		if (!add_code(out, p, t, a->stride[i]))
			return false;
	}
	return true;
}

void template_take_shapes(struct prototype *p, const struct task *t)
{
	for (size_t i = 0; i < p->n; i++) {
		struct parameter *to = &p->parameter[i];

		for (size_t k = 0; k < t->n_arguments; k++) {
			const struct argument *a = &t->argument[k];
			cleanup_buf struct buf extent =
				BUF_INIT(BUF_LIMIT_TEXT);

			if (!to->is_pointer || a->kind != ARGUMENT_TENSOR ||
			    !str_eq(a->name, to->name))
				continue;
			to->has_direction = true;
			to->direction = a->direction;
			free(to->extent);
			to->extent = add_extent(&extent, p, t, a)
					     ? buf_take(&extent)
					     : NULL;
		}
	}
}
