/* Comparisons: where a loop ends, and what an `if` lets through. */
#include "core/task/walk.h"

/* The comparison in [from, to), outside of all brackets; false: none. */
static bool find_relation(const struct walk *w, size_t from, size_t to,
			  size_t *at, const char **op)
{
	static const char *const ops[] = {"<=", ">=", "!=", "<", ">"};

	for (size_t i = from; i < to; i++) {
		if (walk_closing(w->token[i]) && w->partner[i])
			i = w->partner[i];
		if (walk_is(w, i, "<<") || walk_is(w, i, ">>") ||
		    walk_is(w, i, "->")) {
			i++;
			continue;
		}
		for (size_t k = 0; k < ARRAY_SIZE(ops); k++) {
			if (!walk_is(w, i, ops[k]))
				continue;
			*at = i;
			*op = ops[k];
			return true;
		}
	}
	return false;
}

/* With the name as an unknown of its own on both sides, the difference of the
 * sides is the name and the rest. */
static void solve(struct walk_limits *out, struct walk *w, size_t from,
		  size_t to, size_t name)
{
	static const char unknown[] = "?";
	struct poly of_name = poly_symbol(&w->atoms, unknown), factor, rest, d;
	struct poly zero = poly_constant(0), one = poly_constant(1);
	struct binding before = w->binding[name];
	struct value left, right;
	const char *op;
	size_t at;
	int64_t c;

	if (!of_name.ok || !find_relation(w, from, to, &at, &op))
		return;
	w->binding[name].v = value_of(of_name);
	w->binding[name].v.tensor = before.v.tensor;
	w->binding[name].walks = false;
	w->binding[name].fixed = true;
	left = walk_range(w, from, at);
	right = walk_range(w, at + strlen(op), to);
	w->binding[name] = before;
	if (left.tensor != right.tensor)
		return;
	d = poly_sub(&left.p, &right.p);
	if (!poly_split(&factor, &rest, &d, of_name.term[0].atom[0]) ||
	    !poly_is_constant(&factor, &c) || (c != 1 && c != -1))
		return;
	/* c * name + rest < 0, > 0, ... */
	if ((*op == '<' || *op == '!') == (c == 1)) {
		out->has_below = true;
		out->below = c == 1 ? poly_sub(&zero, &rest) : rest;
		if (op[1] == '=' && *op != '!')
			out->below = poly_add(&out->below, &one);
	} else {
		out->has_above = true;
		out->above = c == 1 ? poly_sub(&zero, &rest) : rest;
		if (op[1] == '=' && *op != '!')
			out->above = poly_sub(&out->above, &one);
	}
}

struct walk_limits walk_limits_of(struct walk *w, size_t from, size_t to,
				  size_t name)
{
	struct walk_limits l = {0};
	size_t begin = from;

	for (size_t i = from; i <= to && !l.has_below && !l.has_above; i++) {
		if (i < to && walk_closing(w->token[i]) && w->partner[i] &&
		    w->partner[i] < to)
			i = w->partner[i];
		if (i < to && !walk_is(w, i, "&&"))
			continue;
		if (walk_mentions(w, begin, i, w->binding[name].name))
			solve(&l, w, begin, i, name);
		begin = i + 2;
	}
	return l;
}

/* ---- what an `if` lets through -------------------------------------------------- */

static bool has_loop(const struct walk *w, const struct poly *p)
{
	size_t atom;

	return p->ok && poly_last_loop(&atom, &w->atoms, p);
}

/* The name of the innermost loop in [from, to), outside of subscripts; its
 * binding's number. */
static bool innermost(size_t *out, struct walk *w, size_t from, size_t to)
{
	size_t last = 0;
	bool found = false;

	for (size_t i = from; i < to; i++) {
		const struct binding *b;
		size_t atom;

		if (walk_is(w, i, "[") && w->partner[i])
			i = w->partner[i];
		b = token_is_word(w->token[i]) ? walk_find(w, w->token[i])
					       : NULL;
		if (!b || b->v.tensor >= 0 || !has_loop(w, &b->v.p) ||
		    !poly_last_loop(&atom, &w->atoms, &b->v.p) ||
		    (found && atom < last))
			continue;
		last = atom;
		*out = (size_t)(b - w->binding);
		found = true;
	}
	return found;
}

/* Within the bounds of one comparison; false: it says nothing of bounds. */
static bool narrow(struct walk_guard *g, struct walk *w, size_t from, size_t to,
		   size_t name)
{
	struct poly one = poly_constant(1);
	struct walk_limits l = {0};
	struct binding *b;
	struct poly low, high;
	const char *op;
	size_t at;

	if (g->n == WALK_GUARDS || !find_relation(w, from, to, &at, &op) ||
	    *op == '!')
		return false;
	solve(&l, w, from, to, name);
	b = &w->binding[name];
	low = l.has_above ? poly_add(&l.above, &one)
			  : poly_least(&w->atoms, &b->v.p);
	high = l.has_below ? poly_sub(&l.below, &one)
			   : poly_greatest(&w->atoms, &b->v.p);
	low = poly_loop(&w->atoms, &low, &high);
	if ((!l.has_above && !l.has_below) || !low.ok)
		return false;
	w->atoms.atom[low.term[0].atom[0]].wide = b->v.p;
	g->name[g->n] = name;
	g->before[g->n] = b->v.p;
	b->v.p = low;
	g->within[g->n++] = low;
	return true;
}

void walk_guard_begin(struct walk_guard *g, struct walk *w, size_t from,
		      size_t to)
{
	size_t begin = from, name;
	bool any = false, all = true;

	*g = (struct walk_guard){.doubt = w->doubt};
	for (size_t i = from; i <= to; i++) {
		if (i < to && walk_closing(w->token[i]) && w->partner[i] &&
		    w->partner[i] < to)
			i = w->partner[i];
		if (i < to && walk_is(w, i, "||"))
			all = false;
		if (i < to && !walk_is(w, i, "&&"))
			continue;
		if (innermost(&name, w, begin, i)) {
			any = true;
			all = all && narrow(g, w, begin, i, name);
		}
		begin = i + 2;
	}
	g->is_of_loop = any;
	g->leaves = walk_is(w, w->at, "continue") || walk_is(w, w->at, "break");
	g->leaves |= walk_is(w, w->at, "{") &&
		     (walk_is(w, w->at + 1, "continue") ||
		      walk_is(w, w->at + 1, "break"));
	w->doubt = w->doubt || (any && !all);
}

/* What a statement set stays. */
static void widen(struct walk_guard *g, struct walk *w)
{
	while (g->n) {
		size_t i = --g->n;
		struct binding *b = g->name[i] < w->n ? &w->binding[g->name[i]]
						      : NULL;

		if (b && poly_equal(&b->v.p, &g->within[i]))
			b->v.p = g->before[i];
	}
}

void walk_guard_else(struct walk_guard *g, struct walk *w)
{
	widen(g, w);
	w->doubt = w->doubt || g->is_of_loop;
}

void walk_guard_end(struct walk_guard *g, struct walk *w)
{
	/* Until the end of the block, where the rest is left out. */
	w->doubt = g->doubt || (g->is_of_loop && g->leaves);
}
