/* `if` and `switch`: what is done under them, and what of it for sure. */
#include "core/task/walk.h"

/* The word that the last statement in it begins with. */
static struct token last_word(const struct walk *w, size_t at)
{
	size_t close = w->partner[at], last = at;

	if (walk_is(w, at, "{") && close && close <= w->end) {
		last = at + 1;
		for (size_t i = last; i + 1 < close; i++) {
			if (source_closing(w->token[i]) && w->partner[i])
				i = w->partner[i];
			if ((walk_is(w, i, ";") || walk_is(w, i, "}")) &&
			    i + 1 < close)
				last = i + 1;
		}
	}
	return last < w->end ? w->token[last] : (struct token){"", 0};
}

/* Is the last of the statement `continue`, or another that leaves it? */
static bool leaves(struct token last)
{
	static const char *const words[] = {"continue", "break", "return",
					    "goto"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (token_is(last, words[i]))
			return true;
	return false;
}

/* Does the statement at w->at do something with a tensor? */
static bool touches(struct walk *w)
{
	size_t end = walk_end_of_statement(w, w->at);
	const struct binding *b;

	for (size_t i = w->at; i < end; i++) {
		w->steps++;
		if (token_is_word(w->token[i]) &&
		    (b = walk_find(w, w->token[i])) && b->v.tensor >= 0)
			return true;
	}
	return false;
}

/* What the name at *at stands for, of an object what its member does: *at is that
 * then. False: for nothing that is known by its name. */
static bool value_named(struct value *out, struct walk *w, size_t *at)
{
	const struct binding *b = walk_find(w, w->token[*at]);
	size_t part = walk_is(w, *at + 1, "->")	 ? *at + 3
		      : walk_is(w, *at + 1, ".") ? *at + 2
						 : SIZE_MAX;
	size_t object = b ? b->v.object : 0;

	if (!b && token_is(w->token[*at], "this"))
		object = w->self;
	*out = b ? b->v : value_unknown();
	out->object = object;
	if (object && part < w->end) {
		*at = part;
		*out = walk_object_member(w, object, out->path, w->token[part]);
		return true;
	}
	if (!b && !object && w->self)
		*out = walk_object_member(w, w->self, out->path, w->token[*at]);
	return b || object || out->place;
}

/* The token before the one at `at`, and before casts of it. */
static size_t before_casts(const struct walk *w, size_t from, size_t at)
{
	while (--at > from && walk_is(w, at, ")") && w->partner[at] > from)
		at = w->partner[at];
	return at;
}

/* Is the address at `at`, within a condition that begins at `from`, one that is
 * read there, or that a function gets? */
static bool is_read(const struct walk *w, size_t from, size_t at)
{
	size_t i;

	/* *++x, *(const int *)x */
	for (i = at; i > from;) {
		i = before_casts(w, from, i);
		if (walk_is(w, i, "*"))
			return true;
		if (!walk_is(w, i, "+") && !walk_is(w, i, "-"))
			break;
	}
	/* *(x + i), test(x, i); what __builtin_expect gets is tested. */
	for (i = from + 1; i < at; i++) {
		struct token before = w->token[before_casts(w, from, i)];

		if (!walk_is(w, i, "(") || w->partner[i] < at)
			continue;
		if (token_is(before, "*") ||
		    (token_is_word(before) && !token_is(before, "sizeof") &&
		     !token_is(before, "__builtin_expect")))
			return true;
	}
	return false;
}

/* Does it depend on what arrays hold, or on what is not known? A pointer that is
 * tested by itself does not. */
static bool is_by_contents(struct walk *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		size_t at = i;
		struct value v;

		w->steps++;
		if (!token_is_word(w->token[i]) || !value_named(&v, w, &at))
			continue;
		if (v.tensor < 0 && !v.object &&
		    (!v.p.ok || v.of || v.ended_by))
			return true;
		w->steps += i - from;
		if (w->steps > WALK_STEPS)
			return true;
		/* A star is before the object that it is of. */
		if ((v.tensor >= 0 || v.object) &&
		    (walk_is(w, at + 1, "[") || walk_is(w, at + 1, "->") ||
		     is_read(w, from, i)))
			return true;
		i = at;
	}
	return false;
}

/* ---- what names are after both ways ------------------------------------------- */

/* The names of the function before an `if`, as its condition narrows them for the
 * one way and for the other, and as the first way left them. */
struct ways {
	struct value *before, *first, *after_first, *second;
	size_t from, n;
	bool first_returns, second_returns;
};

static struct value *values(struct walk *w, const struct ways *m)
{
	struct value *v = xcalloc(m->n + 1, sizeof *v);

	for (size_t i = 0; i < m->n; i++)
		v[i] = w->binding[m->from + i].v;
	w->steps += 2 * m->n;
	return v;
}

static void ways_release(struct ways *m)
{
	free(m->before);
	free(m->first);
	free(m->after_first);
	free(m->second);
}
DEFINE_RELEASE(ways, struct ways, ways_release)
#define cleanup_ways CLEANUP(ways)

static bool is_other(const struct value *a, const struct value *b)
{
	return a->tensor != b->tensor || a->p.ok != b->p.ok ||
	       (a->p.ok && !poly_equal(&a->p, &b->p));
}

static struct poly lower(const struct poly *a, const struct poly *b)
{
	return poly_at_least(a, b)   ? *b
	       : poly_at_least(b, a) ? *a
				     : poly_unknown;
}

static struct poly higher(const struct poly *a, const struct poly *b)
{
	return poly_at_least(a, b)   ? *a
	       : poly_at_least(b, a) ? *b
				     : poly_unknown;
}

/* One of those between; or an address in one of two arrays. */
static struct value either(struct walk *w, const struct value *a,
			   const struct value *b)
{
	struct poly low, high, other;
	struct value out = *a;

	out.of |= b->of;
	out.ended_by |= b->ended_by;
	if (a->tensor != b->tensor) {
		out.carried = true;
		if (b->tensor >= 0)
			w->access[b->tensor].unsure = true;
		return out;
	}
	low = poly_least(&w->atoms, &a->p);
	other = poly_least(&w->atoms, &b->p);
	low = lower(&low, &other);
	high = poly_greatest(&w->atoms, &a->p);
	other = poly_greatest(&w->atoms, &b->p);
	high = higher(&high, &other);
	out.p = poly_loop(&w->atoms, &low, &high);
	return out;
}

/* `switch`: one of many. */
static void forget(struct value *v)
{
	if (v->tensor >= 0)
		v->carried = true;
	else
		v->p = poly_unknown;
}

/* The other way begins as the one did. */
static void go_back(struct walk *w, const struct ways *m)
{
	for (size_t i = 0; i < m->n && m->from + i < w->n; i++) {
		struct binding *b = &w->binding[m->from + i];

		if (!b->fixed && !b->walks &&
		    is_other(&m->after_first[i], &m->first[i]))
			b->v = m->first[i];
	}
}

/* After the `if` whose condition is [from, to): of what one way changed. */
static void join(struct walk *w, const struct ways *m, size_t from, size_t to,
		 bool is_if)
{
	for (size_t i = 0; i < m->n && m->from + i < w->n; i++) {
		struct binding *b = &w->binding[m->from + i];
		const struct value *first = &m->after_first[i];
		bool one = is_other(first, &m->first[i]);
		bool two = is_other(&b->v, &m->second[i]);
		/* The narrower one is gone with the condition. */
		const struct value *a = one ? first : &m->before[i];
		const struct value *c = two ? &b->v : &m->before[i];

		if ((!one && !two) || b->fixed || b->walks || !is_other(a, c))
			continue;
		if (m->first_returns || m->second_returns)
			b->v = m->first_returns ? *c : *a;
		else if (!is_if)
			forget(&b->v);
		/* `if (m > n) m = n;` */
		else if (one && !two && walk_mentions(w, from, to, b->name))
			b->v = walk_choose(w, a, c);
		else
			b->v = either(w, a, c);
	}
}

/* A turn ends here, or the rest of it is gone through. */
static void note_left(struct walk_guard *rest, uint32_t before, uint32_t then)
{
	if (!rest->left_by_contents) {
		rest->left_by_contents = true;
		rest->sure = before;
		rest->sure_of_left = then;
	}
	rest->sure_of_left &= then;
}

void walk_branch(struct walk *w)
{
	bool is_if = walk_is(w, w->at, "if"), left;
	cleanup_ways struct ways m = {.from = w->scope};
	size_t open = ++w->at, close;
	uint32_t before = w->sure, then;
	bool by_contents;
	struct value tested;
	struct walk_guard g;
	struct token last;

	walk_take(w, "constexpr");
	open = w->at;
	close = w->partner[open];
	if (!walk_is(w, open, "(") || !close || close >= w->end)
		return;
	by_contents = is_by_contents(w, open + 1, close);
	tested = walk_range(w, open + 1, close);
	w->at = close + 1;
	if (tested.rest && touches(w))
		walk_take_rest(w, tested.rest);
	last = last_word(w, w->at);
	left = is_if && leaves(last);
	m.first_returns = is_if && token_is(last, "return");
	m.n = w->n - w->scope;
	m.before = values(w, &m);
	walk_guard_begin(&g, w, open + 1, close);
	m.first = values(w, &m);
	w->conditions++;
	w->by_contents += by_contents;
	walk_scope(w, w->at);
	then = w->sure;
	m.after_first = values(w, &m);
	go_back(w, &m);
	walk_guard_else(&g, w);
	m.second = values(w, &m);
	if (by_contents)
		w->sure = before;
	if (walk_take(w, "else")) {
		m.second_returns = token_is(last_word(w, w->at), "return");
		walk_scope(w, w->at);
	}
	w->conditions--;
	w->by_contents -= by_contents;
	if (left && by_contents && w->loops && w->passed)
		note_left(w->passed, before, then);
	else if (by_contents)
		w->sure &= then | before;
	join(w, &m, open + 1, close, is_if);
	walk_guard_end(&g, w);
	if (left && w->passed)
		walk_guard_rest(&g, w);
}
