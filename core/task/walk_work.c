/* How much a launch does, and which sizes it can be given. */
#include "core/task/walk.h"

void walk_find_sizes(struct prototype *p, const char *text)
{
	struct token t;

	while (text && (t = token_next(&text)).len)
		for (size_t i = 0; i < prototype_all(p); i++)
			if (token_is(t, p->parameter[i].name))
				p->parameter[i].is_size = true;
}

/* Does it depend on what an array holds? */
static bool is_of_contents(const struct prototype *p, const char *text)
{
	for (size_t i = 0; i < prototype_all(p); i++) {
		cleanup_free char *name =
			walk_contents_name(p, &p->parameter[i]);

		if (name && p->parameter[i].is_pointer &&
		    token_occurs(text, name))
			return true;
	}
	return false;
}

/* How many sizes it is a product of: what is one of a few values is none. */
static size_t degree(const struct prototype *p, struct walk *w, struct poly e)
{
	struct poly one = poly_constant(1);

	for (size_t i = 0; i < prototype_all(p) && e.ok; i++) {
		struct poly symbol = poly_unknown, plain = poly_unknown;

		if (p->parameter[i].n_values)
			symbol = poly_symbol(&w->atoms, p->parameter[i].name);
		if (symbol.ok)
			plain = poly_replace(&e, symbol.term[0].atom[0], &one);
		if (plain.ok)
			e = plain;
	}
	return poly_degree(&e);
}

void walk_set_work(struct prototype *p, struct walk *w,
		   const struct poly *extent)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	struct poly bytes = poly_constant(0), two = poly_constant(2);
	struct poly work = poly_leading(&w->work);
	bool all = true, is_float = false;

	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];
		struct poly each = poly_constant((int64_t)w->bytes[i]);

		if (!a->is_pointer || a->has_members)
			continue;
		all = all && extent[i].ok;
		is_float = is_float || (a->known && dtype_is_float(a->dtype));
		each = poly_mul(&each, &extent[i]);
		bytes = poly_add(&bytes, &each);
		if (a->direction == DIRECTION_INOUT)
			bytes = poly_add(&bytes, &each);
		p->tensor_degree =
			MAX(p->tensor_degree, degree(p, w, extent[i]));
	}
	if (all && bytes.ok && bytes.n) {
		poly_print(&text, &w->atoms, &bytes);
		p->bytes = buf_take(&text);
	}
	work = poly_mul(&work, &two);
	p->work_degree = w->work.ok ? degree(p, w, w->work) : 0;
	if (!work.ok)
		return;
	poly_print(&text, &w->atoms, &work);
	walk_find_sizes(p, text.data);
	p->work_counts = prototype_counts_in(p, text.data);
	if (is_float && p->work_degree > p->tensor_degree &&
	    !strchr(text.data, '?') && !is_of_contents(p, text.data))
		p->flops = buf_take(&text);
}

static bool is_unsigned(enum dtype t)
{
	return starts_with(dtype_name(t), "u");
}

/* "n - 2", of "n": at least one element is there. */
static int64_t least_by_high(const struct parameter *a, const char *name)
{
	size_t len = strlen(name);
	const char *rest =
		a->indexes && starts_with(a->high, name) ? a->high + len : "";
	char *end;
	int64_t least = starts_with(rest, " - ") ? strtoll(rest + 3, &end, 10)
						 : 0;

	return least > 0 && !*end ? least : 1;
}

/* A constant index that is reached whatever the sizes are. */
static int64_t least_by_index(const struct walk *w, const struct prototype *p,
			      const char *name)
{
	int64_t least = 1;

	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		least = MAX(least, least_by_high(a, name));
		if (token_occurs(a->shape, name))
			least = MAX(least, w->access[i].constant + 1);
	}
	return least;
}

void walk_set_ranges(struct prototype *p, const struct walk *w,
		     const struct function_body *d)
{
	for (size_t i = 0; i < prototype_all(p); i++) {
		struct parameter *a = &p->parameter[i];
		size_t from = d->body, to = w->partner[d->body];

		if (a->is_pointer || !a->known || dtype_is_float(a->dtype) ||
		    !*a->name)
			continue;
		a->multiple = walk_multiple(w, from, to, a->name);
		a->least = MAX(least_by_index(w, p, a->name),
			       walk_least(w, from, to, a->name,
					  !is_unsigned(a->dtype)));
	}
}
