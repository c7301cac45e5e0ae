/* Loops: what they do with the names in them. */
#include "core/task/walk.h"
#include "core/task/walk_changes.h"

bool walk_mentions(const struct walk *w, size_t from, size_t to,
		   struct token name)
{
	for (size_t i = from; i < to; i++)
		if (w->token[i].len == name.len &&
		    memcmp(w->token[i].at, name.at, name.len) == 0)
			return true;
	return false;
}

/* ---- loops --------------------------------------------------------------------- */

/* A name that was one tensor's when the loop began and is another's at the end of
 * a turn: what the body does with it, it does with both. */
void walk_note_swap(struct walk *w, int first, int second)
{
	if (first < 0 || second < 0 || first == second)
		return;
	w->swapped[first] = w->swapped[second] = true;
	w->access[first].unsure = w->access[second].unsure = true;
}

/* The names as they were before, moved on by what the loop did. `by`: it counted down
 * by so many a turn; an address that went on by others went to another end. */
static void leave_loop(struct walk *w, const struct binding *before, size_t n,
		       int64_t by)
{
	w->n = MIN(w->n, n);
	for (size_t i = w->scope; i < w->n; i++) {
		struct binding *b = &w->binding[i];
		const struct binding *old = &before[i - w->scope];
		bool ended = b->walks && !old->walks;
		int64_t step;

		walk_note_swap(w, old->v.tensor, b->v.tensor);
		b->v.moved = b->v.moved || (ended && b->counted);
		if (ended && b->counted && b->v.tensor >= 0 && by &&
		    poly_is_constant(&b->step, &step) && step != by)
			w->access[b->v.tensor].unsure = true;
		if (ended && !b->counted)
			b->v.p = poly_add(&b->v.p, &b->total);
		b->walks = old->walks;
		b->by_one = old->by_one;
		b->counted = old->counted;
		b->fixed = old->fixed;
		b->step = old->step;
		b->total = old->total;
	}
}

/* How often a loop turns, and how many elements it goes through: those of a
 * loop within the tile of another count there. */
struct turns {
	struct poly times, elements;
	int64_t by; /* that a name is counted down by; 0: none, or not known */
	/* In a turn of the loops around here it may not turn at all. */
	bool may_be_none;
	bool doubt;	/* of struct walk_limits */
	bool other_end; /* something else may end it before its bound */
	/* The condition, [test, test_end), of a loop whose variable is bound:
	 * what it reads, it reads in a turn. */
	size_t test, test_end;
};

static struct turns turns_unknown(void)
{
	return (struct turns){.times = poly_unknown,
			      .elements = poly_unknown,
			      .may_be_none = true};
}

/* One statement, or all up to `to` with it: what an `if` among them leaves out is
 * left out until their end. */
void walk_scope(struct walk *w, size_t to)
{
	struct walk_guard *outer = w->passed, rest = {.doubt = w->doubt};

	w->passed = &rest;
	do
		walk_statement(w);
	while (w->at < to);
	if (rest.left_by_contents)
		w->sure = rest.sure | (w->sure & rest.sure_of_left);
	walk_guard_end(&rest, w);
	w->passed = outer;
}

/* Whose elements the tokens [from, to) are about: those that they have a subscript
 * or a star of, and those that numbers among them come from. */
static uint32_t contents_named(struct walk *w, size_t from, size_t to)
{
	uint32_t of = 0;

	for (size_t i = from; i < to; i++) {
		const struct binding *b = token_is_word(w->token[i])
						  ? walk_find(w, w->token[i])
						  : NULL;

		w->steps++;
		if (b && b->v.tensor < 0)
			of |= b->v.of | b->v.ended_by;
		else if (b && (walk_is(w, i + 1, "[") ||
			       (i && walk_is(w, i - 1, "*"))))
			of |= UINT32_C(1) << b->v.tensor;
	}
	return of;
}

/* A parameter says it: `i < rounds`, `i <= order - 1`. */
static void note_count(struct walk *w, const struct poly *times)
{
	const char *name = NULL;

	for (size_t i = 0; times->ok && i < times->n; i++) {
		const struct poly_term *t = &times->term[i];

		if (!t->degree)
			continue;
		if (name || t->degree > 1 || t->factor != 1)
			return;
		name = w->atoms.atom[t->atom[0]].text;
		if (!name)
			return;
	}
	for (size_t i = 0; name && i < prototype_all(w->prototype); i++)
		if (str_eq(w->prototype->parameter[i].name, name))
			w->counts |= UINT32_C(1) << i;
}

/* The body at w->at, in a loop of so many turns; names from `n` on are its
 * own. [from, to) are all tokens that it runs. */
static void loop_body(struct walk *w, size_t from, size_t to, size_t n,
		      const struct turns *turns, const struct poly *counted)
{
	size_t here = n - w->scope;
	cleanup_free struct binding *before =
		xmemdup(w->binding + w->scope, here * sizeof *before);
	struct poly outer = w->turns;
	bool doubt = w->doubt, ended = w->ended;
	bool may_be_none = turns->may_be_none ||
			   contents_named(w, turns->test, turns->test_end);

	w->steps += 8 * here;
	note_count(w, &turns->times);
	walk_note_changes(w, from, to, n, &turns->times, counted);
	w->turns = poly_mul(&outer, &turns->elements);
	w->outermost += !w->loops++;
	w->conditions += may_be_none;
	w->doubt = doubt || turns->doubt;
	w->ended = ended || turns->other_end;
	if (turns->test < turns->test_end)
		walk_range(w, turns->test, turns->test_end);
	walk_scope(w, w->at);
	w->doubt = doubt;
	w->ended = ended;
	w->conditions -= may_be_none;
	w->loops--;
	w->turns = outer;
	leave_loop(w, before, n, turns->by);
}

size_t walk_end_of_statement(const struct walk *w, size_t at)
{
	while (at < w->end && !walk_is(w, at, ";")) {
		/* And not `int{n}`. */
		bool block = walk_is(w, at, "{") &&
			     !(at && walk_is_type_word(w->token[at - 1]));

		if (source_closing(w->token[at])) {
			if (!w->partner[at])
				return w->end;
			at = w->partner[at];
		}
		if (block && !walk_is(w, at + 1, "else"))
			break;
		at++;
	}
	return MIN(at + 1, w->end);
}

static struct turns count_turns(struct walk *w, const struct poly *low,
				const struct poly *high,
				const struct poly *step)
{
	struct poly one = poly_constant(1), range = poly_sub(high, low);
	struct turns t;
	size_t loop;
	bool varies = !range.ok || poly_last_loop(&loop, &w->atoms, &range);

	range = poly_add(&range, step->ok ? step : &one);
	range = poly_greatest(&w->atoms, &range);
	t = (struct turns){
		.times = range, .elements = range, .may_be_none = varies};
	if (step->ok && !poly_divide(&t.times, &range, step))
		t.times = walk_divide(w, &range, '/', step);
	if (poly_last_loop(&loop, &w->atoms, low) &&
	    w->atoms.atom[loop].strided)
		t.elements = one;
	return t;
}

/* A bound as "n - 3" is one from which the source takes the step off itself. */
static bool has_constant(const struct poly *p)
{
	for (size_t i = 0; p->n > 1 && i < p->n; i++)
		if (!p->term[i].degree)
			return true;
	return false;
}

/* The last value of a name that goes up to a bound. */
static struct poly last_value(const struct poly *below, const struct poly *low,
			      const struct poly *step)
{
	struct poly one = poly_constant(1), range = poly_sub(below, low), last;
	int64_t c, constant;

	if (poly_is_constant(&range, &constant) && poly_is_constant(step, &c) &&
	    c > 0 && constant > 0 && constant % c) {
		last = poly_constant((constant - 1) / c * c);
		return poly_add(&last, low);
	}
	return poly_sub(below, step->ok && !has_constant(below) ? step : &one);
}

/* A loop that begins where another one ended takes the rest. */
static void note_sizes(struct walk *w, const struct poly *low,
		       const struct poly *bound, const struct poly *step)
{
	int64_t c, first;

	if (!poly_is_constant(step, &c))
		return;
	if (c > 1)
		walk_note_multiple(w, bound, c);
	else if (c == 1 && !poly_is_constant(low, &first))
		walk_note_rest(w, bound);
}

/* What a loop's variable goes through; `in_condition`: it is counted down
 * before it is used. */
static bool set_variable(struct walk *w, size_t name,
			 const struct walk_limits *l, int sign,
			 const struct poly *step, bool in_condition,
			 struct turns *turns)
{
	struct binding *b = &w->binding[name];
	struct poly one = poly_constant(1), low = b->v.p, high, loop;
	int64_t c;

	walk_note_listed(w, &b->v);
	w->narrow |= l->of | b->v.of;
	walk_take_rest(w, l->rest);
	if (sign >= 0 && l->has_below) {
		high = last_value(&l->below, &low, step);
	} else if (sign < 0) {
		high = in_condition ? poly_sub(&b->v.p, &one) : b->v.p;
		low = l->has_above && !in_condition ? poly_add(&l->above, &one)
						    : poly_constant(0);
	} else {
		return false;
	}
	walk_note_bound(w, &low);
	walk_note_bound(w, sign < 0 ? &high : &l->below);
	note_sizes(w, &low, sign < 0 ? &b->v.p : &l->below, step);
	/* By a step that is not known it turns less often, as `i = next[i]`. */
	*turns = step->ok ? count_turns(w, &low, &high, step) : turns_unknown();
	turns->doubt = l->doubt;
	loop = poly_loop(&w->atoms, &low, &high);
	if (loop.ok)
		w->atoms.atom[loop.term[0].atom[0]].strided =
			!poly_is_constant(step, &c) || c != 1;
	b->v.p = loop;
	b->fixed = true;
	return loop.ok;
}

/* The name that the third part of a `for` changes. */
static size_t find_variable(struct walk *w, struct name_change *c, size_t from,
			    size_t to, size_t condition, size_t condition_end)
{
	size_t found = SIZE_MAX;

	for (size_t i = from; i < to; i++) {
		struct binding *b;
		struct name_change here;

		if (!token_is_word(w->token[i]) ||
		    !walk_changes(&here, w, i, to) ||
		    !(b = walk_find(w, w->token[i])))
			continue;
		if (found != SIZE_MAX &&
		    !walk_mentions(w, condition, condition_end, w->token[i]))
			continue;
		found = (size_t)(b - w->binding);
		*c = here;
		if (walk_mentions(w, condition, condition_end, w->token[i]))
			break;
	}
	return found;
}

/* for (...; i = i + 4) */
static struct poly step_of(struct walk *w, const struct name_change *c)
{
	return c->sign ? walk_amount(w, c) : poly_unknown;
}

/* Returns by how many, 0: not known. By one after a loop by more it is the rest. */
static int64_t note_countdown(struct walk *w, const struct poly *now,
			      const struct poly *most,
			      const struct name_change *change)
{
	struct poly step = walk_amount(w, change);
	int64_t c;

	if (!poly_is_constant(&step, &c))
		return 0;
	if (c > 1)
		walk_note_multiple(w, most, c);
	else if (c == 1 && !poly_equal(now, most))
		walk_note_rest(w, most);
	return c;
}

/* A name in the condition that the loop counts down: the whole of it. *rest: the
 * name, where it leaves a rest. */
static struct poly counted_down(struct walk *w, size_t from, size_t to,
				size_t end, size_t *rest, int64_t *by)
{
	for (size_t i = from; i < to; i++) {
		struct binding *b = token_is_word(w->token[i])
					    ? walk_find(w, w->token[i])
					    : NULL;
		struct poly most;

		if (!b || b->v.tensor >= 0 || b->walks)
			continue;
		most = poly_greatest(&w->atoms, &b->v.p);
		if (!most.ok || !poly_degree(&most))
			continue;
		for (size_t k = from; k < end; k++) {
			struct name_change c;

			w->steps++;
			if (!walk_mentions(w, k, k + 1, b->name) ||
			    !walk_changes(&c, w, k, end) || c.sign >= 0)
				continue;
			walk_note_bound(w, &b->v.p);
			*rest = (size_t)(b - w->binding);
			*by = note_countdown(w, &b->v.p, &most, &c);
			if (*by <= 1)
				*rest = SIZE_MAX;
			return most;
		}
	}
	return poly_unknown;
}

/* After the loop a name of the function goes on with what ended it. */
static void free_variable(struct walk *w, size_t name,
			  const struct walk_limits *l, const struct poly *step)
{
	struct binding *b = &w->binding[name];
	int64_t c;

	if (poly_is_constant(step, &c) && c > 1)
		walk_keep_rest(w, name, &l->below);
	b->fixed = false;
	b->v.p = l->has_below ? l->below : poly_unknown;
}

/* What else ended the loop of this name is the condition [from, to). Where that is
 * about what arrays hold, they say where the name goes on: it is none of their
 * elements. */
static void note_end(struct walk *w, size_t name, size_t from, size_t to)
{
	w->binding[name].v.ended_by |= contents_named(w, from, to);
}

size_t walk_range_for(const struct walk *w, size_t open)
{
	size_t close = w->partner[open];

	if (!open || !token_is(w->token[open - 1], "for"))
		return 0;
	for (size_t i = open + 1; i < close; i++) {
		bool colon = token_is(w->token[i], ":");

		if (token_is(w->token[i], ";"))
			return 0;
		/* And not a namespace's. */
		if (colon && !token_is(w->token[i - 1], ":") &&
		    !token_is(w->token[i + 1], ":") &&
		    token_is_word(w->token[i - 1]))
			return i;
	}
	return 0;
}

/* One element after the other, as by a reference. */
static void range_loop(struct walk *w, size_t colon, size_t close, size_t end)
{
	struct poly zero = poly_constant(0), one = poly_constant(1), last, loop;
	struct poly counted = poly_unknown;
	struct value v = walk_range(w, colon + 1, close);
	struct turns turns = turns_unknown();
	size_t n = w->n;

	if (v.tensor >= 0 &&
	    w->prototype->parameter[v.tensor].held == HELD_VECTOR) {
		turns.times = turns.elements = w->argument[v.tensor + 1].p;
		turns.may_be_none = false;
		last = poly_sub(&turns.times, &one);
		loop = poly_loop(&w->atoms, &zero, &last);
		v.p = poly_add(&v.p, &loop);
		v.is_element = true;
	}
	if (v.object && walk_is_reference(w, w->at + 2, colon))
		walk_lend(w, &v);
	if (v.tensor < 0 || !v.is_element)
		v = value_unknown();
	v.binding = SIZE_MAX;
	v.place = 0;
	w->at = close + 1;
	walk_bind(w, w->token[colon - 1], &v);
	loop_body(w, close + 1, end, w->n, &turns, &counted);
	w->n = MIN(w->n, n);
	w->at = MAX(w->at, MIN(end, w->end));
}

/* Does the condition [from, to) say `<`, and not only `!=`? */
static bool is_below(const struct walk *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (walk_is(w, i, "!="))
			return false;
	return true;
}

/* The names that a `while` counts up: each ends it. */
struct counted {
	struct {
		size_t name;
		struct walk_limits l;
		struct poly step;
	} of[4];
	size_t n;
	struct turns turns;
};

/* By how many, where all that the body counts it by is the same. */
static struct poly only_step(struct walk *w, size_t name, size_t from,
			     size_t to)
{
	struct poly step = poly_unknown;
	bool any = false;

	for (size_t i = from; i < to; i++) {
		struct name_change c;
		struct poly here;

		if (!walk_same(w->token[i], w->binding[name].name) ||
		    !walk_changes(&c, w, i, to))
			continue;
		here = c.sign > 0 ? walk_amount(w, &c) : poly_unknown;
		if (!here.ok || (any && !poly_equal(&here, &step)))
			return poly_unknown;
		step = here;
		any = true;
	}
	return step;
}

/* Where each turn moves one of them, all of them are gone through. */
static void add_turns(struct counted *all, const struct turns *more)
{
	struct turns *t = &all->turns;

	if (all->n == 1) {
		*t = *more;
		return;
	}
	t->times = poly_add(&t->times, &more->times);
	t->elements = poly_add(&t->elements, &more->elements);
	t->doubt |= more->doubt;
	t->may_be_none = true;
}

/* `while (i < n)`, where the body counts up; `set`: where it says what is next, as
 * `i = end`. */
static void counted_up(struct counted *out, struct walk *w, size_t from,
		       size_t to, size_t end, bool set)
{
	for (size_t i = to;
	     i < end && out->n < ARRAY_SIZE(out->of) && w->steps <= WALK_STEPS;
	     i++) {
		struct walk_limits l;
		struct name_change c = {0};
		struct turns turns = turns_unknown();
		struct poly step;
		size_t at;

		if (!token_is_word(w->token[i]) ||
		    !walk_mentions(w, from, to, w->token[i]) ||
		    (set ? !walk_is_set(w, i, end)
			 : !walk_changes(&c, w, i, end) || c.sign <= 0) ||
		    !walk_number(&at, w, w->token[i]) || w->binding[at].walks ||
		    w->binding[at].fixed ||
		    (set && w->binding[at].v.tensor >= 0))
			continue;
		/* The whole body is looked at, each time. */
		w->steps += (end - from) / 16;
		walk_carry(NULL, w, from, end, w->n, at);
		l = walk_limits_of(w, from, to, at);
		if (!l.has_below || (set && !is_below(w, from, l.end)))
			continue;
		step = set ? poly_unknown : only_step(w, at, to, end);
		if (set && !w->binding[at].v.p.ok)
			w->binding[at].v.p = poly_constant(0);
		set_variable(w, at, &l, 1, &step, false, &turns);
		out->of[out->n].name = at;
		out->of[out->n].l = l;
		out->of[out->n++].step = step;
		add_turns(out, &turns);
	}
}

/* Does something else than the count end it, before its first turn, too? */
static bool has_other_end(const struct walk *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (walk_is(w, i, "&&"))
			return true;
	return false;
}

/* The condition is [from, to), the body is at w->at. Returns how far the condition
 * is looked at once more when the loop ends: what stands after the bound that ends
 * it is not. */
static size_t while_loop(struct walk *w, size_t from, size_t to, size_t end)
{
	size_t n = w->n, body = w->at, rest = SIZE_MAX, test_end = to;
	struct counted up = {.turns = turns_unknown()};
	struct turns *turns = &up.turns;
	struct poly counted = counted_down(w, from, to, end, &rest, &turns->by);
	uint32_t sure = w->sure;

	turns->times = turns->elements = counted;
	turns->may_be_none = !counted.ok || has_other_end(w, from, to);
	if (!counted.ok)
		counted_up(&up, w, from, to, end, false);
	if (!counted.ok && !up.n)
		counted_up(&up, w, from, to, end, true);
	if (up.n && w->binding[up.of[0].name].fixed && from < body) {
		turns->test = from;
		turns->test_end = to;
		to = up.of[0].l.end;
	}
	turns->other_end = has_other_end(w, from, test_end);
	loop_body(w, MIN(from, body), end, n, turns, &counted);
	for (size_t i = 0; i < up.n; i++)
		free_variable(w, up.of[i].name, &up.of[i].l, &up.of[i].step);
	walk_keep_rest(w, rest, &counted);
	for (size_t i = 0; i < up.n; i++)
		note_end(w, up.of[i].name, up.of[i].l.end, test_end);
	/* How often it turned, arrays say: what it wrote may be a part. */
	if (!turns->times.ok && contents_named(w, from, test_end))
		w->sure = sure;
	return to;
}

/* `for (first; condition; third)`. */
struct for_loop {
	size_t condition, third, close; /* where each begins, and the bracket */
	size_t end;			/* of its body */
	size_t name; /* the binding that it counts with; SIZE_MAX: none */
	struct poly step;
	struct walk_limits limits;
	struct turns turns;
	/* Of one that another name counts: how often, and what it leaves. */
	struct poly counted;
	size_t rest;
};

/* Its first part, and the name that the other two are about. */
static void read_head(struct for_loop *f, struct walk *w)
{
	size_t test_end;
	struct name_change c = {0};

	walk_statement(w);
	f->third = MIN(walk_end_of_statement(w, f->condition), f->close);
	test_end = f->third - 1;
	f->name = find_variable(w, &c, f->third, f->close, f->condition,
				test_end);
	if (f->name == SIZE_MAX)
		f->name = find_variable(w, &c, f->condition, test_end,
					f->condition, test_end);
	if (f->name >= w->n)
		return;
	f->step = step_of(w, &c);
	f->limits = walk_limits_of(w, f->condition, test_end, f->name);
	if (set_variable(w, f->name, &f->limits, c.sign, &f->step,
			 c.sign < 0 && f->third == f->close, &f->turns)) {
		f->turns.test = f->condition;
		f->turns.test_end = test_end;
	} else {
		w->binding[f->name].v = value_unknown();
	}
}

/* How often it turns, where a name of before it is counted down. */
static void read_counted(struct for_loop *f, struct walk *w)
{
	f->counted = counted_down(w, f->condition, f->third, f->end, &f->rest,
				  &f->turns.by);
	f->turns.times = f->turns.elements = f->counted;
	f->turns.may_be_none = !f->counted.ok ||
			       has_other_end(w, f->condition, f->third);
}

static void walk_counting(struct for_loop *f, struct walk *w, size_t names)
{
	if (!f->turns.times.ok && f->condition < f->close)
		read_counted(f, w);
	f->turns.other_end = has_other_end(w, f->condition, f->third);
	loop_body(w, f->condition, f->end, w->n, &f->turns, &f->counted);
	w->n = MIN(w->n, names);
	if (f->name < w->n) {
		free_variable(w, f->name, &f->limits, &f->step);
		note_end(w, f->name, f->limits.end, f->turns.test_end);
	}
	walk_keep_rest(w, f->rest, &f->counted);
}

void walk_for(struct walk *w)
{
	size_t open = w->at + 1, names = w->n;
	struct for_loop f = {.close = w->partner[open],
			     .name = SIZE_MAX,
			     .rest = SIZE_MAX,
			     .step = poly_unknown,
			     .counted = poly_unknown,
			     .turns = turns_unknown()};

	if (!walk_is(w, open, "(") || !f.close || f.close >= w->end) {
		w->at++;
		return;
	}
	f.end = walk_end_of_statement(w, f.close + 1);
	if (walk_range_for(w, open)) {
		range_loop(w, walk_range_for(w, open), f.close, f.end);
		return;
	}
	w->at = open + 1;
	f.condition = walk_end_of_statement(w, open + 1);
	if (f.condition < f.close)
		read_head(&f, w);
	w->at = f.close + 1;
	/* for (i = 0; i < n;) */
	if (f.name == SIZE_MAX && f.condition + 1 < f.close &&
	    f.third == f.close) {
		while_loop(w, f.condition, f.close - 1, f.end);
		w->n = MIN(w->n, names);
	} else {
		walk_counting(&f, w, names);
	}
	w->at = MAX(w->at, MIN(f.end, w->end));
}

void walk_while(struct walk *w)
{
	size_t open = w->at + 1, close = w->partner[open], end, to;

	if (!walk_is(w, open, "(") || !close || close >= w->end) {
		w->at++;
		return;
	}
	end = walk_end_of_statement(w, close + 1);
	w->at = close + 1;
	to = while_loop(w, open + 1, close, end);
	walk_range(w, open + 1, to);
}

void walk_do(struct walk *w)
{
	size_t body = ++w->at, end = walk_end_of_statement(w, body), open,
	       close;

	/* do { } while ( ) */
	if (!walk_is(w, body, "{") || !walk_is(w, end, "while") ||
	    !walk_is(w, end + 1, "(") || !w->partner[end + 1])
		return;
	open = end + 1;
	close = w->partner[open];
	while_loop(w, open + 1, close, close);
	w->at = MIN(close + 1, w->end);
}
