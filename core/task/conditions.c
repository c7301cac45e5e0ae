/* Comparisons: where a loop ends, and what an `if` lets through. */
#include "core/task/walk.h"

/* The comparison in [from, to), outside of all brackets; false: none. */
static bool find_relation(const struct walk *w, size_t from, size_t to,
			  size_t *at, const char **op)
{
	static const char *const ops[] = {"<=", ">=", "!=", "==", "<", ">"};

	for (size_t i = from; i < to; i++) {
		if (source_closing(w->token[i]) && w->partner[i])
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
 * sides is the name and the rest. `holds` is the relation that is true; of "!="
 * and "==" the other side is `below`. */
static void solve(struct walk_limits *out, struct walk *w, size_t from,
		  size_t to, size_t name, const char *holds)
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
	op = holds;
	w->binding[name] = before;
	out->of |= left.of | right.of;
	out->rest = left.rest ? left.rest : right.rest;
	if (left.tensor != right.tensor)
		return;
	d = poly_sub(&left.p, &right.p);
	if (!poly_split(&factor, &rest, &d, of_name.term[0].atom[0]) ||
	    !poly_is_constant(&factor, &c) || (c != 1 && c != -1))
		return;
	/* c * name + rest < 0, > 0, ... */
	if (*op == '!' || *op == '=' || (*op == '<') == (c == 1)) {
		out->has_below = true;
		out->below = c == 1 ? poly_sub(&zero, &rest) : rest;
		if (op[1] == '=' && (*op == '<' || *op == '>'))
			out->below = poly_add(&out->below, &one);
	} else {
		out->has_above = true;
		out->above = c == 1 ? poly_sub(&zero, &rest) : rest;
		if (op[1] == '=')
			out->above = poly_sub(&out->above, &one);
	}
}

/* Is the name in [from, to), outside of subscripts? */
static bool is_compared(const struct walk *w, size_t from, size_t to,
			size_t name)
{
	for (size_t i = from; i < to; i++) {
		if (walk_is(w, i, "[") && w->partner[i])
			i = w->partner[i];
		else if (walk_same(w->token[i], w->binding[name].name))
			return true;
	}
	return false;
}

/* What an array holds is read where the loop runs, not here. */
static bool has_subscript(const struct walk *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (walk_is(w, i, "["))
			return true;
	return false;
}

/* The part [from, to) of a condition, which may be one of several bounds: the
 * first that is known counts, and one that is not leaves it in doubt. */
static void add_limit(struct walk_limits *l, struct walk *w, size_t from,
		      size_t to, size_t name)
{
	bool found = l->has_below || l->has_above, known;
	struct walk_limits more = {0};
	const char *op;
	size_t at;

	if (!walk_mentions(w, from, to, w->binding[name].name) ||
	    !find_relation(w, from, to, &at, &op) || *op == '=')
		return;
	if (!found || !has_subscript(w, from, to))
		solve(found ? &more : l, w, from, to, name, op);
	known = found ? more.has_below || more.has_above
		      : l->has_below || l->has_above;
	if (!known && is_compared(w, from, to, name))
		l->doubt = true;
}

struct walk_limits walk_limits_of(struct walk *w, size_t from, size_t to,
				  size_t name)
{
	struct walk_limits l = {0};
	size_t begin = from;

	for (size_t i = from; i <= to; i++) {
		bool found = l.has_below || l.has_above;

		if (i < to && source_closing(w->token[i]) && w->partner[i] &&
		    w->partner[i] < to)
			i = w->partner[i];
		if (i < to && !walk_is(w, i, "&&"))
			continue;
		add_limit(&l, w, begin, i, name);
		if (!found)
			l.end = i;
		begin = i + 2;
	}
	l.doubt = l.doubt && (l.has_below || l.has_above);
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

/* The relation that holds where this one does not; NULL: none that bounds. */
static const char *negated_op(const char *op)
{
	static const char *const pairs[][2] = {{"<", ">="},  {"<=", ">"},
					       {">", "<="},  {">=", "<"},
					       {"==", "!="}, {"!=", "=="}};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (str_eq(pairs[i][0], op))
			return pairs[i][1];
	return NULL;
}

/* From now on the name is within [low, high]. */
static bool bind_within(struct walk_guard *g, struct walk *w, size_t name,
			const struct poly *low, const struct poly *high)
{
	struct binding *b = &w->binding[name];
	struct poly loop = poly_loop(&w->atoms, low, high);

	if (!loop.ok)
		return false;
	w->atoms.atom[loop.term[0].atom[0]].wide = b->v.p;
	g->name[g->n] = name;
	g->atom[g->n++] = loop.term[0].atom[0];
	b->v.p = loop;
	return true;
}

/* All but one value: that tells something where it is the first or the last. */
static bool narrow_by_one(struct walk_guard *g, struct walk *w, size_t name,
			  const struct poly *value)
{
	struct poly one = poly_constant(1);
	struct poly low = poly_least(&w->atoms, &w->binding[name].v.p);
	struct poly high = poly_greatest(&w->atoms, &w->binding[name].v.p);

	if (low.ok && poly_equal(&low, value))
		low = poly_add(&low, &one);
	else if (high.ok && poly_equal(&high, value))
		high = poly_sub(&high, &one);
	else
		return false;
	return bind_within(g, w, name, &low, &high);
}

/* Within the bounds of one comparison, or of its opposite; false: it says
 * nothing of bounds. */
static bool narrow(struct walk_guard *g, struct walk *w, size_t from, size_t to,
		   size_t name, bool negated)
{
	struct poly one = poly_constant(1), low, high;
	struct walk_limits l = {0};
	const struct poly *now;
	const char *op, *holds;
	size_t at;

	if (g->n == WALK_GUARDS || !find_relation(w, from, to, &at, &op))
		return false;
	holds = negated ? negated_op(op) : op;
	if (str_eq(holds, "=="))
		return false;
	solve(&l, w, from, to, name, holds);
	if (str_eq(holds, "!="))
		return l.has_below && narrow_by_one(g, w, name, &l.below);
	now = &w->binding[name].v.p;
	low = l.has_above ? poly_add(&l.above, &one)
			  : poly_least(&w->atoms, now);
	high = poly_greatest(&w->atoms, now);
	if (l.has_below) {
		struct poly last = poly_sub(&l.below, &one);

		/* That of the loop may be lower anyway. */
		if (!high.ok || !poly_at_least(&last, &high))
			high = last;
	}
	return (l.has_above || l.has_below) &&
	       bind_within(g, w, name, &low, &high);
}

/* Where the brackets begin that are all of [from, to), "!(a < b)", "(a < b)";
 * SIZE_MAX: none. */
static size_t outer_brackets(const struct walk *w, size_t from, size_t to)
{
	size_t open = from < to && walk_is(w, from, "!") ? from + 1 : from;

	return open < to && walk_is(w, open, "(") && w->partner[open] == to - 1
		       ? open
		       : SIZE_MAX;
}

/* What the condition [from, to), or its opposite, says of what loops go
 * through: does it say anything, and is all of it understood? */
struct guard_reading {
	bool any, all;
};

static void narrow_all(struct guard_reading *r, struct walk_guard *g,
		       struct walk *w, size_t from, size_t to, bool negated);

static void narrow_part(struct guard_reading *r, struct walk_guard *g,
			struct walk *w, size_t from, size_t to, bool negated)
{
	size_t open = outer_brackets(w, from, to), name;

	if (open != SIZE_MAX && walk_enter(w)) {
		narrow_all(r, g, w, open + 1, to - 1, negated != (open > from));
		walk_leave(w);
	} else if (innermost(&name, w, from, to)) {
		r->any = true;
		r->all = narrow(g, w, from, to, name, negated) && r->all;
	}
}

static void narrow_all(struct guard_reading *r, struct walk_guard *g,
		       struct walk *w, size_t from, size_t to, bool negated)
{
	const char *joins = negated ? "||" : "&&";
	const char *splits = negated ? "&&" : "||";
	size_t begin = from;

	for (size_t i = from; i <= to; i++) {
		if (i < to && source_closing(w->token[i]) && w->partner[i] &&
		    w->partner[i] < to)
			i = w->partner[i];
		if (i < to && walk_is(w, i, splits))
			r->all = false;
		if (i < to && !walk_is(w, i, joins))
			continue;
		narrow_part(r, g, w, begin, i, negated);
		begin = i + 2;
	}
}

static void guard(struct walk_guard *g, struct walk *w, bool negated)
{
	struct guard_reading r = {.all = true};

	narrow_all(&r, g, w, g->from, g->to, negated);
	w->doubt = w->doubt || (r.any && !r.all);
}

void walk_guard_begin(struct walk_guard *g, struct walk *w, size_t from,
		      size_t to)
{
	*g = (struct walk_guard){.from = from, .to = to, .doubt = w->doubt};
	guard(g, w, false);
}

static void widen(struct walk_guard *g, struct walk *w)
{
	while (g->n) {
		size_t i = --g->n;
		struct binding *b = g->name[i] < w->n ? &w->binding[g->name[i]]
						      : NULL;
		const struct poly *p = b ? &b->v.p : NULL;

		/* What a statement set stays. */
		if (p && p->ok && p->n == 1 && p->term[0].degree == 1 &&
		    p->term[0].factor == 1 && p->term[0].atom[0] == g->atom[i])
			b->v.p = w->atoms.atom[g->atom[i]].wide;
	}
}

struct poly walk_guard_wide(const struct walk_guard *g, struct walk *w,
			    const struct poly *p)
{
	struct poly out = *p, factor, rest;

	for (size_t i = g->n; i-- > 0;) {
		if (!out.ok || !poly_split(&factor, &rest, &out, g->atom[i]) ||
		    !factor.n)
			continue;
		factor = poly_mul(&factor, &w->atoms.atom[g->atom[i]].wide);
		out = poly_add(&factor, &rest);
	}
	return out;
}

void walk_guard_else(struct walk_guard *g, struct walk *w)
{
	widen(g, w);
	w->doubt = g->doubt;
	guard(g, w, true);
}

void walk_guard_end(struct walk_guard *g, struct walk *w)
{
	widen(g, w);
	w->doubt = g->doubt;
}

void walk_guard_rest(const struct walk_guard *g, struct walk *w)
{
	w->passed->from = g->from;
	w->passed->to = g->to;
	guard(w->passed, w, true);
}
