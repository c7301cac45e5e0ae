/* Names that change in a loop. */
#include "core/task/walk_changes.h"

static size_t end_of_amount(const struct walk *w, size_t at, size_t to)
{
	while (at < to && !walk_is(w, at, ";") && !walk_is(w, at, ",") &&
	       !walk_is(w, at, ")")) {
		if (source_closing(w->token[at]) && w->partner[at])
			at = w->partner[at];
		at++;
	}
	return MIN(at, to);
}

bool walk_changes(struct name_change *out, const struct walk *w, size_t at,
		  size_t to)
{
	size_t next = at + 1;

	*out = (struct name_change){0};
	if (at &&
	    (walk_is(w, at - 1, ".") || (at > 1 && walk_is(w, at - 2, "->"))))
		return false;
	/* ++x[i], ++o->n */
	if (at > 1 && (walk_is(w, at - 2, "++") || walk_is(w, at - 2, "--")) &&
	    (walk_is(w, next, "[") || walk_is(w, next, "->") ||
	     walk_is(w, next, ".")))
		return false;
	if (walk_is(w, next, "++") || (at > 1 && walk_is(w, at - 2, "++")))
		*out = (struct name_change){.sign = 1, .one = true};
	else if (walk_is(w, next, "--") || (at > 1 && walk_is(w, at - 2, "--")))
		*out = (struct name_change){.sign = -1, .one = true};
	else if (walk_is(w, next, "+=") || walk_is(w, next, "-="))
		*out = (struct name_change){
			.sign = walk_is(w, next, "+=") ? 1 : -1,
			.from = next + 2,
			.to = end_of_amount(w, next + 2, to)};
	else if (walk_is(w, next, "=") && !walk_is(w, next, "==") &&
		 walk_mentions(w, next + 1, end_of_amount(w, next + 1, to),
			       w->token[at]))
		return true;
	else
		return false;
	return true;
}

struct poly walk_amount(struct walk *w, const struct name_change *c)
{
	if (c->one)
		return poly_constant(1);
	/* Names, numbers and products of them: nothing that changes a name. */
	for (size_t i = c->from; i < c->to; i++)
		if (token_is_word(w->token[i]) || token_is_number(w->token[i])
			    ? false
			    : i == c->from || !walk_is(w, i, "*"))
			return poly_unknown;
	return walk_range(w, c->from, c->to).p;
}

/* The `else` of [from, at) that the token at `at` is under; 0: none. */
static size_t else_around(struct walk *w, size_t from, size_t at)
{
	bool passed = false;

	for (size_t i = at; i-- > from;) {
		if (w->steps++ > WALK_STEPS)
			return 0;
		if (w->partner[i] && w->partner[i] < i) {
			passed |= walk_is(w, i, "}");
			i = w->partner[i];
		} else if (walk_is(w, i, ";")) {
			passed = true;
		} else if (walk_is(w, i, "{")) {
			passed = false;
		} else if (!passed && token_is(w->token[i], "else")) {
			return i;
		}
	}
	return 0;
}

static size_t begin_of_statement(const struct walk *w, size_t from, size_t end)
{
	if (walk_is(w, end - 1, "}") && w->partner[end - 1] > from)
		return w->partner[end - 1];
	for (end--; end > from && !walk_is(w, end - 1, ";") &&
		    !walk_is(w, end - 1, "{") && !walk_is(w, end - 1, "}");
	     end--)
		;
	return end;
}

/* How often the name at `at` is changed as there within [from, to). */
static size_t count_changes(struct walk *w, size_t at,
			    const struct name_change *as, size_t from,
			    size_t to)
{
	struct poly amount = walk_amount(w, as);
	size_t n = 0;

	for (size_t i = from; i < to && w->steps++ <= WALK_STEPS; i++) {
		struct name_change c;
		struct poly here;

		if (!walk_same(w->token[i], w->token[at]) ||
		    !walk_changes(&c, w, i, to) || c.sign != as->sign)
			continue;
		here = walk_amount(w, &c);
		n += poly_equal(&here, &amount);
	}
	return n;
}

/* One way of an `if` counts as the other one does: a turn goes one of them. */
static bool is_other_way(struct walk *w, size_t from, size_t at,
			 const struct name_change *c)
{
	size_t other = else_around(w, from, at), begin;

	if (!other)
		return false;
	begin = begin_of_statement(w, from, other);
	return count_changes(w, at, c, other, at) <
	       count_changes(w, at, c, begin, other);
}

/* A loop of so many turns begins; `counted`: the whole that it counts down. */
static void note_change(struct walk *w, size_t at, const struct name_change *c,
			bool first, const struct poly *turns,
			const struct poly *counted)
{
	struct poly step = walk_amount(w, c), zero = poly_constant(0);
	struct binding *b = &w->binding[at];
	struct poly most = poly_greatest(&w->atoms, &b->v.p);

	walk_note_listed(w, &b->v);
	if (b->fixed)
		return;
	if (c->sign <= 0 && b->v.ring)
		return;
	if (c->sign <= 0) {
		b->v.p = c->sign && b->v.tensor < 0
				 ? poly_loop(&w->atoms, &zero, &most)
				 : poly_unknown;
		return;
	}
	if (!b->walks) {
		b->walks = b->by_one = true;
		b->step = b->total = zero;
	} else if (first) {
		/* A loop within the one where it was met first. */
		if (!b->counted)
			b->total = poly_mul(&b->total, turns);
		b->total = poly_tidy(&w->atoms, &b->total);
		return;
	} else if (b->counted) {
		return;
	}
	b->by_one = b->by_one && c->one;
	b->step = poly_add(&b->step, &step);
	b->counted = counted->ok;
	b->total = counted->ok ? *counted : poly_mul(&b->step, turns);
	walk_use_quotients(w, &b->total);
	b->total = poly_tidy(&w->atoms, &b->total);
}

bool walk_is_set(const struct walk *w, size_t at, size_t to)
{
	bool declared = at && token_is_word(w->token[at - 1]) &&
			!token_is(w->token[at - 1], "else") &&
			!token_is(w->token[at - 1], "do");
	bool part = at && (walk_is(w, at - 1, ".") || walk_is(w, at - 1, "*") ||
			   (at > 1 && walk_is(w, at - 2, "->")));

	return token_is_word(w->token[at]) && walk_is(w, at + 1, "=") &&
	       !walk_is(w, at + 1, "==") && !declared && !part &&
	       !walk_mentions(w, at + 2, end_of_amount(w, at + 2, to),
			      w->token[at]);
}

/* A number that a turn sets is not what it was before the loop, unless the turn
 * sets it before it is read; an address may lie elsewhere. */
static void carry(struct binding *b)
{
	if (b->fixed || b->v.ring)
		return;
	if (b->v.tensor >= 0)
		b->v.carried = true;
	else
		b->v.p = poly_unknown;
}

/* "row[...]" of the tensor at `at`, or a name that [from, to) gives nothing but that. */
static bool is_element_at(struct walk *w, size_t at, int tensor, size_t from,
			  size_t to, bool by_name)
{
	const struct binding *b =
		token_is_word(w->token[at]) ? walk_find(w, w->token[at]) : NULL;
	bool any = false;

	if (walk_is(w, at + 1, "["))
		return b && b->v.tensor == tensor &&
		       walk_is(w, w->partner[at + 1] + 1, ";");
	if (!by_name || !walk_is(w, at + 1, ";"))
		return false;
	for (size_t i = from; i < to && w->steps++ <= WALK_STEPS; i++) {
		if (!walk_same(w->token[i], w->token[at]) ||
		    !walk_is(w, i + 1, "=") || walk_is(w, i + 1, "=="))
			continue;
		if (!is_element_at(w, i + 2, tensor, from, to, false))
			return false;
		any = true;
	}
	return any;
}

/* `begin = end`, where each is an element of the same array: where a row begins. */
static bool stays_element(struct walk *w, const struct binding *b, size_t at,
			  size_t from, size_t to)
{
	for (int i = 0; i < TASK_MAX_ARGS; i++)
		if (b->v.of == UINT32_C(1) << i)
			return walk_is_element(w, &b->v, (size_t)i) &&
			       is_element_at(w, at + 2, i, from, to, true);
	return false;
}

void walk_carry(bool *set, struct walk *w, size_t from, size_t to, size_t n,
		size_t keep)
{
	for (size_t i = from; i < to; i++) {
		size_t at;

		if (!walk_is_set(w, i, to) ||
		    !walk_number(&at, w, w->token[i]) || at >= n || at == keep)
			continue;
		if (!stays_element(w, &w->binding[at], i, from, to))
			carry(&w->binding[at]);
		if (set)
			set[at] = true;
	}
}

void walk_note_changes(struct walk *w, size_t from, size_t to, size_t n,
		       const struct poly *turns, const struct poly *counted)
{
	cleanup_free bool *seen = xcalloc(n + 1, sizeof *seen);
	cleanup_free bool *walked = xcalloc(n + 1, sizeof *walked);
	cleanup_free bool *set = xcalloc(n + 1, sizeof *set);

	for (size_t i = w->scope; i < n; i++)
		walked[i] = w->binding[i].walks;
	walk_carry(set, w, from, to, n, SIZE_MAX);
	for (size_t i = from; i < to; i++) {
		struct name_change c;
		struct binding *b;
		size_t at;

		w->steps++;
		if (!token_is_word(w->token[i]) || !walk_changes(&c, w, i, to))
			continue;
		b = walk_find(w, w->token[i]);
		at = b ? (size_t)(b - w->binding) : n;
		if (at >= n || set[at] || (walked[at] && seen[at]) ||
		    b->v.is_element ||
		    (seen[at] && c.sign > 0 && is_other_way(w, from, i, &c)))
			continue;
		note_change(w, at, &c, !seen[at] && walked[at], turns, counted);
		seen[at] = true;
	}
}

struct value walk_walking(struct walk *w, const struct binding *b)
{
	struct value v = b->v;
	struct poly zero = poly_constant(0), last, loop;
	struct poly less = b->by_one ? poly_constant(1) : b->step;

	struct poly turns, one = poly_constant(1);
	int64_t c;

	/* By a stride of its own: the elements between are none of it. */
	if (!b->by_one && !poly_is_constant(&b->step, &c) && b->step.n == 1 &&
	    poly_divide(&turns, &b->total, &b->step)) {
		last = poly_sub(&turns, &one);
		loop = poly_loop(&w->atoms, &zero, &last);
		loop = poly_mul(&loop, &b->step);
	} else {
		last = poly_sub(&b->total, &less);
		loop = poly_loop(&w->atoms, &zero, &last);
	}
	v.p = poly_add(&v.p, &loop);
	return v;
}
