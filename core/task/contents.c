/* Arrays whose elements index others, or say where a loop begins and ends. */
#include <ctype.h>

#include "core/task/walk.h"

char *walk_contents_name(const struct prototype *p, const struct parameter *a)
{
	cleanup_free char *name = xasprintf("%s_max", a->name);

	if (strlen(a->name) > 26 || !isalpha((unsigned char)*a->name))
		return NULL;
	for (size_t i = 0; i < prototype_all(p); i++)
		if (str_eq(p->parameter[i].name, name))
			return NULL;
	return steal(&name);
}

struct poly walk_contents(struct walk *w, int tensor)
{
	struct poly zero = poly_constant(0);

	return tensor < 0 || !w->contents[tensor].ok
		       ? poly_unknown
		       : poly_loop(&w->atoms, &zero, &w->contents[tensor]);
}

/* Is the loop variable an element of this tensor? */
static bool is_element_of(const struct walk *w, size_t atom, size_t tensor)
{
	const struct poly_atom *a = &w->atoms.atom[atom];
	int64_t c;

	return !a->text && w->contents[tensor].ok &&
	       !poly_is_constant(&w->contents[tensor], &c) &&
	       poly_equal(&a->high, &w->contents[tensor]);
}

bool walk_is_element(const struct walk *w, const struct value *v, size_t tensor)
{
	return v->tensor < 0 && v->p.ok && v->p.n == 1 &&
	       v->p.term[0].degree == 1 && v->p.term[0].factor == 1 &&
	       is_element_of(w, v->p.term[0].atom[0], tensor);
}

/* Is what stands at `name` declared there: is a type before it? */
static bool is_declared(const struct walk *w, size_t name)
{
	static const char *const others[] = {"return", "case",	   "else", "do",
					     "throw",  "co_yield", "goto"};

	for (size_t i = 0; name && i < ARRAY_SIZE(others); i++)
		if (token_is(w->token[name - 1], others[i]))
			return false;
	return name && token_is_word(w->token[name - 1]);
}

/* "array<int, 256> NAME": where its number is. */
static bool is_array_of(const struct walk *w, size_t name, size_t *from,
			size_t *to)
{
	size_t open, close = name - 1, n = 0;

	if (!name || !walk_is(w, close, ">"))
		return false;
	open = *to = token_other_angle(w->token, w->end, close);
	if (!open || !token_is(w->token[open - 1], "array"))
		return false;
	while (*to < close && token_next_argument(w->token, from, to, close))
		n++;
	return n > 1;
}

/* "NAME[256]": has an array of the kernel's more elements than that? */
static bool has_more(struct walk *w, size_t name, int64_t index)
{
	bool found = false;

	for (size_t i = 0; name != SIZE_MAX && i + 2 < w->n_tokens && !found;
	     i++) {
		size_t from = i + 2, to = w->partner[i + 1];
		int64_t n;

		if (!walk_same(w->token[i], w->token[name]))
			continue;
		found = (walk_is(w, i + 1, "[")
				 ? walk_number_in(&n, w, from, to,
						  is_declared(w, i))
				 : is_array_of(w, i, &from, &to) &&
					   walk_number_in(&n, w, from, to,
							  true)) &&
			n > index;
	}
	return found;
}

void walk_note_index(struct walk *w, const struct value *base, size_t name,
		     const struct value *index)
{
	struct poly most = poly_greatest(&w->atoms, &index->p);
	int64_t c, *greatest;

	if (base->tensor >= 0 && index->of) {
		w->indexed_by[base->tensor] |= index->of;
		greatest = &w->greatest[base->tensor];
		*greatest = poly_is_constant(&most, &c) ? MAX(*greatest, c)
							: INT64_MAX;
	}
	/* A shape is made so that it fits. */
	if (base->tensor < 0
		    ? !poly_is_constant(&most, &c) || !has_more(w, name, c)
		    : !index->p.ok)
		w->narrow |= index->of;
}

void walk_note_bound(struct walk *w, const struct poly *bound)
{
	for (size_t i = 0; bound->ok && i < bound->n; i++)
		for (size_t k = 0; k < bound->term[i].degree; k++)
			for (size_t t = 0; t < TASK_MAX_ARGS; t++)
				if (is_element_of(w, bound->term[i].atom[k], t))
					w->bounds[t] = true;
}

void walk_note_copy(struct walk *w, int tensor, uint32_t of)
{
	if (tensor >= 0)
		w->copied_from[tensor] |= of;
}

void walk_follow_copies(struct walk *w)
{
	uint32_t *asked[] = {&w->narrow,  &w->bits,   &w->bounded,
			     &w->ordered, &w->handed, NULL};

	for (size_t round = 0; round < TASK_MAX_ARGS; round++)
		for (size_t i = 0; i < TASK_MAX_ARGS; i++) {
			uint32_t from = w->copied_from[i];

			for (size_t k = 0; asked[k]; k++)
				*asked[k] |= *asked[k] >> i & 1 ? from : 0;
			if (w->escapes[i])
				w->handed |= from;
		}
}

void walk_set_counts(struct prototype *p, const struct walk *w)
{
	for (size_t i = 0; i < prototype_all(p); i++) {
		struct parameter *a = &p->parameter[i];
		/* What a state or an object holds has values of its own. */
		bool is_held = a->owner &&
			       (state_is_possible(p, a->owner - 1) ||
				(p->is_method && a->owner == 1));

		a->is_size |= (w->counts >> i & 1) && !is_held &&
			      !a->is_pointer && a->known &&
			      !dtype_is_float(a->dtype);
	}
}

/* From 0 to what fits. */
static void set_range(struct parameter *a, const struct walk *w, size_t i)
{
	cleanup_buf struct buf most = BUF_INIT(BUF_LIMIT_TEXT);

	poly_print(&most, &w->atoms, &w->contents[i]);
	if (strchr(most.data, '?'))
		return;
	a->low = xstrdup("0");
	a->high = buf_take(&most);
	a->indexes = true;
	a->ascends = a->extent && w->bounds[i];
}

void walk_set_contents(struct prototype *p, const struct walk *w)
{
	uint32_t bounded = w->bounded;

	for (size_t i = 0; i < prototype_all(p); i++)
		bounded |= w->indexed_by[i] | (uint32_t)w->bounds[i] << i;
	for (size_t i = 0; i < prototype_all(p); i++) {
		struct parameter *a = &p->parameter[i];
		cleanup_free char *name = walk_contents_name(p, a);
		int64_t c;

		a->elements_bits = (w->bits & ~bounded) >> i & 1;
		a->elements_ordered = w->ordered >> i & 1;
		a->elements_searched = w->searched >> i & 1;
		a->elements_limited = (bounded | w->handed) >> i & 1;
		a->elements_summed = w->bits >> i & 1;
		if (w->settled[i] && w->contents[i].ok && !a->high) {
			set_range(a, w, i);
			continue;
		}
		if (!name || !w->contents[i].ok ||
		    poly_is_constant(&w->contents[i], &c))
			continue;
		for (size_t k = 0; k < prototype_all(p) && !a->contents; k++)
			if (token_occurs(p->parameter[k].shape, name))
				a->contents = xstrdup(name);
		a->ascends = a->contents && a->extent && w->bounds[i];
	}
}
