/* Arrays whose elements index others, or say where a loop begins and ends. */
#include "core/task/walk.h"

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

void walk_note_bound(struct walk *w, const struct poly *bound)
{
	for (size_t i = 0; bound->ok && i < bound->n; i++)
		for (size_t k = 0; k < bound->term[i].degree; k++)
			for (size_t t = 0; t < TASK_MAX_ARGS; t++)
				if (is_element_of(w, bound->term[i].atom[k], t))
					w->bounds[t] = true;
}
