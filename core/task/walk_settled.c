/* Arrays of indices whose greatest element is another size: of what they index, or of
 * a parameter that says it by its name. */
#include <string.h>

#include "core/task/walk.h"

/* ---- arrays that have a size of their own ------------------------------------ */

/* Is the greatest element of this tensor a symbol, which shapes may have? */
static bool has_symbol(const struct walk *w, size_t tensor, size_t *atom)
{
	const struct poly *p = &w->contents[tensor];

	if (w->settled[tensor] || !p->ok || p->n != 1 || p->term[0].degree != 1)
		return false;
	*atom = p->term[0].atom[0];
	return true;
}

/* Which tensor's greatest element is in it; SIZE_MAX: none. */
static size_t tensor_in(const struct walk *w, const struct poly *extent)
{
	struct poly factor, rest;
	size_t atom;

	for (size_t i = 0; i < TASK_MAX_ARGS; i++)
		if (has_symbol(w, i, &atom) &&
		    (!poly_split(&factor, &rest, extent, atom) || factor.n))
			return i;
	return SIZE_MAX;
}

static void replace_in(struct reach *r, size_t atom, const struct poly *by)
{
	if (r->extent.ok)
		r->extent = poly_replace(&r->extent, atom, by);
	for (size_t i = 0; i < r->n_dims; i++) {
		r->dim[i] = poly_replace(&r->dim[i], atom, by);
		r->stride[i] = poly_replace(&r->stride[i], atom, by);
		if (!r->dim[i].ok || !r->stride[i].ok)
			r->n_dims = 0;
	}
}

/* From here on the greatest element of the tensor is that; not in the work, which is
 * none where it says how often a loop turns. */
static void settle(struct walk *w, size_t tensor, size_t atom,
		   const struct poly *greatest)
{
	struct poly by = *greatest;

	w->settled[tensor] = true;
	for (size_t i = 0; i < TASK_MAX_ARGS; i++) {
		struct accesses *a = &w->access[i];

		replace_in(&a->far, atom, &by);
		for (size_t k = 0; k < a->n_others; k++)
			replace_in(&a->other[k], atom, &by);
		if (a->written_to.ok)
			a->written_to = poly_replace(&a->written_to, atom, &by);
		if (w->contents[i].ok)
			w->contents[i] =
				poly_replace(&w->contents[i], atom, &by);
	}
}

/* Is it 0 or more however small the sizes are? "n - 2" is, since init asks for 2 of n
 * then (walk_set_ranges). */
static bool is_room(const struct poly *most)
{
	int64_t least = 0;
	size_t sizes = 0;

	for (size_t i = 0; i < most->n; i++) {
		const struct poly_term *t = &most->term[i];

		if (t->factor > INT32_MAX || t->factor < -INT32_MAX)
			return false;
		least += t->factor;
		sizes += t->degree;
		if (t->degree && t->factor != 1)
			sizes++;
	}
	return least >= 0 || sizes == 1;
}

/* The array is `whole` long: what indexes it as far as `extent` is to fit. */
static bool fit(struct walk *w, const struct poly *whole,
		const struct poly *extent)
{
	size_t tensor = tensor_in(w, extent), atom;
	struct poly factor, rest, most;

	if (tensor == SIZE_MAX || !has_symbol(w, tensor, &atom) ||
	    !poly_split(&factor, &rest, extent, atom))
		return false;
	most = poly_sub(whole, &rest);
	if (!poly_divide(&most, &most, &factor) || !is_room(&most) ||
	    !poly_split(&factor, &rest, &most, atom) || factor.n)
		return false;
	settle(w, tensor, atom, &most);
	return true;
}

/* Which of them is how long it is: the longest one that no contents say, else
 * `far`. */
static size_t whole_of(const struct walk *w, const struct accesses *a)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i <= a->n_others; i++) {
		const struct poly *e = i ? &a->other[i - 1].extent
					 : &a->far.extent;
		const struct poly *b = best && best != SIZE_MAX
					       ? &a->other[best - 1].extent
					       : &a->far.extent;

		if (tensor_in(w, e) == SIZE_MAX &&
		    (best == SIZE_MAX || poly_at_least(e, b)))
			best = i;
	}
	return best == SIZE_MAX ? 0 : best;
}

static void settle_tensor(struct walk *w, struct accesses *a)
{
	size_t whole = whole_of(w, a);

	for (size_t i = 0; i <= a->n_others; i++) {
		const struct poly *e = i ? &a->other[i - 1].extent
					 : &a->far.extent;
		const struct poly *all = whole ? &a->other[whole - 1].extent
					       : &a->far.extent;

		if (i != whole && !poly_at_least(all, e) && !fit(w, all, e))
			a->unsure = true;
	}
	accesses_choose(a, whole);
}

/* ---- parameters that are not used --------------------------------------------- */

static bool has_part(const char *name, const char *const *parts)
{
	for (; *parts; parts++)
		if (strcasestr(name, *parts))
			return true;
	return false;
}

/* "nnz", "n_edges": of what lies between the bounds. */
static bool says_all(const char *name)
{
	static const char *const parts[] = {"nnz",  "nz",    "nonz", "non_z",
					    "edge", "entr",  "vals", "idx",
					    "indi", "total", "elem", NULL};

	return has_part(name, parts);
}

/* "cols", "n", "vocab_size" */
static bool says_size(const char *name)
{
	static const char *const parts[] = {"col",   "row",  "size", "len",
					    "count", "num",  "dim",  "vocab",
					    "bins",  "node", "vert", NULL};

	return (name[0] && strchr("nmkNMK", name[0])) || has_part(name, parts);
}

/* `name > c`, `c >= name` */
static bool is_compared(const struct walk *w, size_t at)
{
	size_t before = at && walk_is(w, at - 1, "=") ? at - 1 : at;

	return (before &&
		(walk_is(w, before - 1, "<") || walk_is(w, before - 1, ">"))) ||
	       walk_is(w, at + 1, "<") || walk_is(w, at + 1, ">");
}

/* Its name is nowhere in the function but in "(void)name" and comparisons. */
static bool is_unused(const struct walk *w, const struct parameter *a,
		      const struct function_body *d)
{
	const char *name = a->member ? a->member : a->name;
	size_t from = a->member ? 0 : d->body;
	size_t to = a->member ? w->n_tokens : w->partner[d->body];

	for (size_t i = from; i < to; i++) {
		bool is_void = i > 2 && walk_is(w, i - 1, ")") &&
			       token_is(w->token[i - 2], "void");

		if (!token_is(w->token[i], name) || is_void ||
		    is_compared(w, i))
			continue;
		if (!a->member || (i && (walk_is(w, i - 1, ".") ||
					 (i > 1 && walk_is(w, i - 2, "->")))))
			return false;
	}
	return true;
}

/* Does some shape depend on it? */
static bool is_in_shape(const struct walk *w, size_t atom)
{
	struct poly factor, rest;

	for (size_t i = 0; i < TASK_MAX_ARGS; i++)
		if (w->access[i].any && w->access[i].far.extent.ok &&
		    (!poly_split(&factor, &rest, &w->access[i].far.extent,
				 atom) ||
		     factor.n))
			return true;
	return false;
}

static bool is_size(struct walk *w, const char *name)
{
	struct poly p = poly_symbol(&w->atoms, name);

	return !p.ok || is_in_shape(w, p.term[0].atom[0]);
}

/* The only one that says how far the elements go; SIZE_MAX: none, or several. */
static size_t unused_size(struct walk *w, const struct prototype *p,
			  const struct function_body *d, bool all)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];
		bool is_free = !a->is_pointer && *a->name &&
			       !(w->counts >> i & 1) && !is_size(w, a->name);

		if (!is_free || !a->known || dtype_is_float(a->dtype) ||
		    !*a->name || a->held != HELD_PLAIN ||
		    says_all(a->name) != all || (!all && !says_size(a->name)) ||
		    !is_unused(w, a, d))
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = i;
	}
	return found;
}

/* The only array that indexes, or bounds; SIZE_MAX: none, or several. */
static size_t only_index(const struct walk *w, const struct prototype *p,
			 bool bounds)
{
	size_t found = SIZE_MAX, atom;

	for (size_t i = 0; i < prototype_all(p); i++) {
		if (!has_symbol(w, i, &atom) || w->bounds[i] != bounds ||
		    !is_in_shape(w, atom))
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = i;
	}
	return found;
}

static void settle_unused(struct walk *w, const struct prototype *p,
			  const struct function_body *d, bool bounds)
{
	size_t tensor = only_index(w, p, bounds), atom;
	size_t size = unused_size(w, p, d, bounds);
	struct poly most, last = poly_constant(bounds ? 0 : 1);

	if (tensor == SIZE_MAX || size == SIZE_MAX ||
	    !has_symbol(w, tensor, &atom))
		return;
	most = poly_symbol(&w->atoms, p->parameter[size].name);
	most = poly_sub(&most, &last);
	if (most.ok)
		settle(w, tensor, atom, &most);
}

void walk_settle_contents(struct walk *w, const struct prototype *p,
			  const struct function_body *d)
{
	for (size_t i = 0; i < prototype_all(p); i++)
		if (w->access[i].n_others)
			settle_tensor(w, &w->access[i]);
	settle_unused(w, p, d, true);
	settle_unused(w, p, d, false);
}
