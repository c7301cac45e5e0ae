/* What a function's text says of the state of a function in C: which members it uses
 * and changes, and what values these have. */
#include "core/task/walk_reading.h"

static void include(struct member_range *r, int64_t value)
{
	r->low = MIN(r->low, value);
	r->high = MAX(r->high, value);
}

static void bound(struct member_range *r, int64_t value)
{
	r->bounded = true;
	include(r, value);
}

/* ---- one use ---------------------------------------------------------------------- */

/* The elements of the array among the members that is named at `at`; 0: none is. */
static int64_t held_length(const struct reading *s, size_t at)
{
	for (size_t k = s->p->n; k < prototype_all(s->p); k++) {
		const struct parameter *a = &s->p->parameter[k];
		const char *dot = a->path ? strrchr(a->path, '.') : NULL;

		if (a->held == HELD_ARRAY &&
		    token_is(s->w->token[at], dot ? dot + 1 : a->path))
			return (int64_t)a->held_dim[0];
	}
	return 0;
}

/* The elements of the array that is named at `at`; 0: not known. */
static int64_t array_length(const struct reading *s, size_t at)
{
	const struct walk *w = s->w;
	int64_t n = held_length(s, at);

	if (n || !walk_may_look(s))
		return n;
	for (size_t i = 1; i + 2 < w->n_tokens; i++)
		if (walk_same(w->token[i], w->token[at]) &&
		    token_is_word(w->token[i - 1]) &&
		    !token_is(w->token[i - 1], "return") &&
		    token_is(w->token[i + 1], "[") &&
		    walk_constant(s, i + 2, &n) && n > 0)
			return n;
	return 0;
}

/* The number of the kernel's that is named at `at`: a parameter, or a member. */
static const char *number_at(const struct reading *s, size_t at)
{
	const struct walk *w = s->w;

	while (walk_is(w, at + 1, "->") || walk_is(w, at + 1, "."))
		at += walk_is(w, at + 1, "->") ? 3 : 2;
	for (size_t k = 0; at < w->end && k < prototype_all(s->p); k++) {
		const struct parameter *a = &s->p->parameter[k];
		const char *name = a->path ? a->path : a->name;

		if (!a->is_pointer && a->known && a != s->a && a->is_size &&
		    token_is(w->token[at], name))
			return a->name;
	}
	return NULL;
}

static void read_comparison(struct reading *s, size_t op, bool counted)
{
	const struct walk *w = s->w;
	struct member_range *r = &s->r;
	bool equal = walk_is(w, op, "==") || walk_is(w, op, "!="),
	     less = walk_is(w, op, "<"), with = walk_is(w, op + 1, "=");
	size_t at = op + 1 + with;
	const char *other;
	int64_t c;

	r->decides = true;
	if (!walk_constant(s, at, &c)) {
		other = number_at(s, at);
		r->below = other ? other : r->below;
		r->is_small |= !other;
	} else if (equal) {
		/* What a counter comes to is where it begins again. */
		bound(r, counted || r->counted ? c - (c > 0) : c);
	} else {
		/* x < c, x >= c; x <= c, x > c */
		r->ordered = true;
		bound(r, less == with ? c : c - (c > 0));
	}
}

static void read_cases(struct reading *s, size_t open)
{
	const struct walk *w = s->w;
	int64_t c;

	s->r.decides = true;
	for (size_t i = open; i < w->partner[open]; i++)
		if (token_is(w->token[i], "case") &&
		    walk_constant(s, i + 1, &c))
			bound(&s->r, c);
	/* One that no case is. */
	for (size_t i = open; i < w->partner[open]; i++)
		if (token_is(w->token[i], "default"))
			s->r.others = true;
}

static void least_of(int64_t *to, int64_t value)
{
	*to = *to ? MIN(*to, value) : value;
}

/* `16 - x`, and `x + n < 16`, of which `next` is behind x. */
static void read_room(struct reading *s, size_t before, size_t next)
{
	struct walk *w = s->w;
	size_t end;
	int64_t c;

	if (walk_is(w, before, "-") && !walk_is(w, before - 1, "--") &&
	    walk_constant_before(s, before, &c) && c > 1)
		least_of(&s->r.room, c);
	if (!walk_is(w, next, "+") || walk_is(w, next, "+=") ||
	    walk_is(w, next, "++"))
		return;
	end = walk_sum_end(w, next - 1);
	if ((walk_is(w, end, "<") && !walk_is(w, end, "<<")) ||
	    (walk_is(w, end, ">") && !walk_is(w, end, ">>"))) {
		bool with = walk_is(w, end + 1, "=");
		bool less = walk_is(w, end, "<");

		if (walk_constant(s, end + 1 + with, &c) && c > 1)
			least_of(&s->r.room,
				 c + (less == with && c < INT64_MAX));
	}
}

/* held_length, where it is no other's name: "s->block", and not "block". */
static int64_t member_length(const struct reading *s, size_t at)
{
	return at > 2 && (walk_is(s->w, at - 1, ".") ||
			  walk_is(s->w, at - 2, "->"))
		       ? held_length(s, at)
		       : 0;
}

/* The array of the state that what is before `at`, "block [" or "block +", is of;
 * 0: of none. */
static int64_t offset_in(const struct reading *s, size_t at)
{
	const struct walk *w = s->w;

	return at > 2 && ((walk_is(w, at - 1, "+") &&
			   !walk_is(w, at - 2, "++")) ||
			  walk_is(w, at - 1, "["))
		       ? member_length(s, at - 2)
		       : 0;
}

/* What is added to what ends before `next`, as in "[i + 1]", or taken from it. */
static int64_t added(const struct reading *s, size_t next)
{
	const struct walk *w = s->w;
	bool less = walk_is(w, next, "-");
	int64_t c;

	if ((!less && !walk_is(w, next, "+")) || walk_is(w, next, "++") ||
	    walk_is(w, next, "--") || !walk_constant(s, next + 1, &c) ||
	    c < 0 || c > INT32_MAX)
		return 0;
	return less ? -c : c;
}

/* *from to *to: what the head of a loop with `at` in it is for; else all. */
static void find_loop(const struct walk *w, size_t at, size_t *from, size_t *to)
{
	size_t open = at, end;

	*from = 2;
	*to = w->n_tokens;
	while (open && !(walk_is(w, open, "(") && w->partner[open] > at))
		open--;
	if (!open || (!token_is(w->token[open - 1], "for") &&
		      !token_is(w->token[open - 1], "while")))
		return;
	end = w->partner[open] + 1;
	/* What ends a loop that has its body before. */
	if (walk_is(w, end, ";"))
		return;
	while (end < w->end && !walk_is(w, end, ";") && !walk_is(w, end, "{"))
		end = w->partner[end] > end ? w->partner[end] : end + 1;
	*from = MAX(open, (size_t)2);
	*to = MAX(end, w->partner[end]);
}

/* Up to what `x` is, in `i + plus < x`, where one of these tokens is `i` and an offset
 * in an array of the state. */
static void limit_by(struct reading *s, struct token i, int64_t plus,
		     size_t from, size_t to)
{
	const struct walk *w = s->w;

	for (size_t at = from; at < MIN(to, w->n_tokens); at++) {
		int64_t n;

		if (!walk_same(w->token[at], i))
			continue;
		n = offset_in(s, at);
		if (n)
			least_of(&s->r.limit,
				 MAX(MIN(n + plus - added(s, at + 1), n), 1));
	}
}

/* `i < x` or `i + 4 <= x`, where i is an offset in an array of the state. */
static void read_limit(struct reading *s, size_t before, size_t next)
{
	const struct walk *w = s->w;
	bool with = walk_is(w, before - 1, "<=");
	size_t at = before - with, from, to;
	int64_t plus;

	if (!walk_is(w, at, "<") || walk_is(w, at - 1, "<<") ||
	    !walk_may_look(s))
		return;
	while (--at && !walk_is(w, at, ";") && !walk_is(w, at, "(") &&
	       !walk_is(w, at, "&"))
		;
	if (!token_is_word(w->token[at + 1]))
		return;
	plus = added(s, at + 2) - added(s, next) - with;
	find_loop(w, before, &from, &to);
	limit_by(s, w->token[at + 1], plus, from, to);
	/* In a function that the loop calls. */
	if (!s->r.limit)
		limit_by(s, w->token[at + 1], plus, 2, w->n_tokens);
}

/* An offset in an array of the state, of which what it is a member of begins at
 * `from`. */
static void read_offset(struct reading *s, size_t from, size_t before,
			size_t next)
{
	const struct walk *w = s->w;
	int64_t n = 0;

	if (walk_is(w, before, "+") || walk_is(w, next, "+"))
		n = offset_in(s, from);
	/* block[i + x] */
	if (walk_is(w, before, "+") && before > 3 &&
	    walk_is(w, before - 2, "["))
		n = member_length(s, before - 3);
	if (n)
		least_of(&s->r.room,
			 MAX(n - MAX(added(s, next), (int64_t)0), 1));
	read_room(s, before, next);
	read_limit(s, before, next);
}

static bool is_op(const struct walk *w, size_t at, const char *op)
{
	return walk_is(w, at, op);
}

/* Is it between these a word of bits? */
static bool is_of_bits(const struct walk *w, size_t before, size_t next)
{
	return walk_is(w, next, "<<") || walk_is(w, next, ">>") ||
	       walk_is(w, next, "^") || walk_is(w, before, "^") ||
	       walk_is(w, before, "~") ||
	       (walk_is(w, next, "|") && !walk_is(w, next, "||")) ||
	       (walk_is(w, before, "|") && !walk_is(w, before - 1, "||")) ||
	       walk_is(w, before - 1, "^=") || walk_is(w, before - 1, "|=");
}

/* Of the name at `at`, of which what it is a member of begins at `from`. */
static void read_use(struct reading *s, size_t from, size_t at)
{
	const struct walk *w = s->w;
	struct member_range *r = &s->r;
	bool counted = walk_is(w, from - 2, "++") || walk_is(w, from - 2, "--");
	size_t next = at + 1, before = counted ? from - 3 : from - 1;
	int64_t c;

	if (is_op(w, next, "++") || is_op(w, next, "--")) {
		counted = true;
		next += 2;
	}
	if (counted)
		r->counted = true;
	if (is_op(w, next, "+=") || is_op(w, next, "-=")) {
		r->counted = true;
		r->computed |= !walk_constant(s, next + 2, &c);
	} else if (is_op(w, next, "&=") || is_op(w, next, "%=")) {
		if (walk_constant(s, next + 2, &c))
			bound(r, c - is_op(w, next, "%="));
	} else if (is_op(w, next, "==") || is_op(w, next, "!=")) {
		read_comparison(s, next, counted);
	} else if ((is_op(w, next, "<") && !is_op(w, next, "<<")) ||
		   (is_op(w, next, ">") && !is_op(w, next, ">>"))) {
		read_comparison(s, next, counted);
	} else if (is_op(w, next, "=")) {
		if (walk_constant(s, next + 1, &c) &&
		    (is_op(w, next + 2, ";") || is_op(w, next + 3, ";"))) {
			r->assigned = true;
			include(r, c);
		} else {
			r->computed = true;
		}
	} else if (walk_is_assigned(w, at)) {
		r->computed = true;
	} else if ((is_op(w, next, "&") && !is_op(w, next, "&&")) ||
		   is_op(w, next, "%")) {
		/* Of `x & 1` it is some bits that count. */
		r->is_small |= is_op(w, next, "%");
		if (is_op(w, next, "&") && walk_constant(s, next + 1, &c) &&
		    c > 1 && c < INT64_MAX && !(c & (c + 1)))
			r->mask = MAX(r->mask, c);
	}
	if (!counted)
		read_offset(s, from, before, next);
	if (walk_is(w, before, "[") && w->partner[before]) {
		int64_t n = array_length(s, before - 1);

		if (walk_is(w, next, "]") && n)
			r->last = r->last ? MIN(r->last, n - 1) : n - 1;
		r->is_small = true;
	}
	if (walk_is(w, before - 1, "<<") || walk_is(w, before - 1, ">>"))
		r->is_small = true;
	r->divides |= walk_is(w, before, "/") || walk_is(w, before, "%");
	r->is_bits |= is_of_bits(w, before, next);
	if (walk_is(w, before, "(") && walk_is(w, next, ")") &&
	    token_is(w->token[before - 1], "switch") &&
	    walk_is(w, next + 1, "{"))
		read_cases(s, next + 1);
}

/* `unsigned held = st->held;`: a name of the function's own that has it. */
static void note_alias(struct reading *s, size_t from, size_t at)
{
	const struct walk *w = s->w;

	if ((!walk_is(w, at + 1, ";") && !walk_is(w, at + 1, ",")) ||
	    !walk_is(w, from - 1, "=") || !token_is_word(w->token[from - 2]) ||
	    walk_is(w, from - 3, ".") || walk_is(w, from - 3, ">") ||
	    s->n_aliases == MAX_ALIASES)
		return;
	s->alias[s->n_aliases++] = w->token[from - 2];
}

static bool is_member_here(const struct reading *s, size_t at)
{
	const struct walk *w = s->w;

	return walk_same(w->token[at], s->own) &&
	       (walk_is(w, at - 1, ".") || walk_is(w, at - 2, "->"));
}

static bool is_alias_here(const struct reading *s, size_t at)
{
	const struct walk *w = s->w;

	for (size_t i = 0; i < s->n_aliases; i++)
		if (walk_same(w->token[at], s->alias[i]))
			return !walk_is(w, at - 1, ".") &&
			       !walk_is(w, at - 2, "->");
	return false;
}

/* Twice: whether it counts is known after the first time. */
static void read_body(struct reading *s, size_t from, size_t to)
{
	struct member_range first;

	s->n_aliases = 0;
	for (size_t i = from; i < to; i++)
		if (is_member_here(s, i))
			note_alias(s, walk_begin_of(s->w, i), i);
	first = s->r;
	for (int again = 0; again < 2; again++) {
		bool counted = s->r.counted;

		s->r = first;
		s->r.counted = counted;
		for (size_t i = from; i < to; i++) {
			if (is_member_here(s, i))
				read_use(s, walk_begin_of(s->w, i), i);
			else if (is_alias_here(s, i))
				read_use(s, i, i);
		}
	}
}

/* ---- all of them ------------------------------------------------------------------ */

static bool is_signed_type(enum dtype t)
{
	return !starts_with(dtype_name(t), "u");
}

/* What a word of bits has, of which nothing says more. */
static void take_whole(struct parameter *a)
{
	size_t bits = 8 * dtype_bytes(a->dtype);

	if (is_signed_type(a->dtype)) {
		a->low = xstrdup("-1000");
		a->high = xstrdup("1000");
		return;
	}
	a->low = xstrdup("0");
	a->high = xasprintf("%llu", bits > 63 ? INT64_MAX : (1ULL << bits) - 1);
}

/* Is it where something begins or ends in an array of constant size? */
static bool is_offset(const struct member_range *r)
{
	return r->last || r->room || r->limit;
}

#define SOME 4 /* of what has no bound, but is no large number */

/* What is only looked at may be on either side of what it is compared with. */
static int64_t highest(const struct member_range *r, bool changed)
{
	/* `x > 0` and `x == 0` say nothing of how much it may be. */
	bool by_zero = r->bounded && !r->low && !r->high && !r->others;
	int64_t high = !r->bounded || (by_zero && is_offset(r))
			       ? INT64_MAX
			       : r->high + (r->others && r->high < INT64_MAX);

	if (by_zero && !is_offset(r))
		return r->ordered ? SOME : 1;
	if (r->bounded && r->ordered && !changed && !is_offset(r) &&
	    !r->is_small && high > 0 && high < INT32_MAX / 4)
		high = 2 * high + 2;
	if (r->last)
		high = MIN(high, r->last);
	if (r->room)
		high = MIN(high, r->room - 1);
	if (r->limit)
		high = MIN(high, r->limit);
	return high == INT64_MAX ? r->high : high;
}

static void set_range(struct parameter *a, const struct member_range *r,
		      bool changed)
{
	bool flag = str_eq(a->type, "bool") || str_eq(a->type, "_Bool");

	if (a->high)
		return;
	if (flag) {
		a->low = xstrdup("0");
		a->high = xstrdup("1");
	} else if (r->bounded || is_offset(r) ||
		   (r->assigned && !r->counted && !r->computed)) {
		a->low = xasprintf("%lld",
				   (long long)(is_signed_type(a->dtype)
						       ? r->low
						       : MAX(r->low, 0)));
		a->high = xasprintf("%lld", (long long)highest(r, changed));
	} else if (r->mask && !r->is_bits && !r->counted) {
		a->low = xstrdup("0");
		a->high = xasprintf("%lld", (long long)r->mask);
	} else if (r->below) {
		a->low = xstrdup("0");
		a->high = xasprintf("%s - 1", r->below);
	} else if (r->is_small || r->divides || (r->counted && !r->computed) ||
		   (!changed && !r->is_bits)) {
		a->low = xstrdup(r->divides ? "1" : "0");
		a->high = r->is_small ? xasprintf("%d", SOME) : xstrdup("1000");
	} else if (dtype_bytes(a->dtype) > 2) {
		take_whole(a);
	}
}

/* Of an array no element of which is known to be small. */
static void set_array_range(struct parameter *a)
{
	if (a->elements_seen && !a->elements_small && a->known &&
	    !dtype_is_float(a->dtype) && !is_signed_type(a->dtype) &&
	    dtype_bytes(a->dtype) > 2)
		take_whole(a);
	/* What is handed on may be changed in part. */
	if (!a->has_direction && !a->is_const) {
		a->has_direction = true;
		a->direction = DIRECTION_INOUT;
	}
}

/* Is something done with the whole of the structure: `*st = x`? */
static bool is_written_whole(const struct walk *w,
			     const struct function_body *d, const bool *runs,
			     const char *name)
{
	for (size_t i = 0; i < w->n_definitions; i++) {
		size_t from = w->definition[i].body;

		for (size_t k = from; runs[i] && k < w->partner[from]; k++)
			if (token_is(w->token[k], name) &&
			    &w->definition[i] == d && walk_is(w, k - 1, "*") &&
			    walk_is(w, k + 1, "=") && !walk_is(w, k + 1, "=="))
				return true;
	}
	return false;
}

static void read_member(struct state_use *out, struct reading *s, size_t k)
{
	const struct walk *w = s->w;

	for (size_t i = 0; i < w->n_definitions; i++) {
		size_t from = w->definition[i].body, to = w->partner[from];

		for (size_t at = from; s->runs[i] && at < to; at++) {
			if (!is_member_here(s, at))
				continue;
			out->used[k] = true;
			if (walk_is_assigned(w, at) && !w->changed[k])
				out->changed[k] = out->kept[k] = true;
		}
		if (s->runs[i])
			read_body(s, from, to);
	}
}

/* `out[o++] =` and `*o++ =`, where `o` may be a name of the function's own for it. */
static bool is_stepped(const struct walk *w, size_t at, struct token *alias)
{
	bool is_address = walk_is(w, at - 1, "*") && !walk_is(w, at - 2, "*");

	if (walk_is(w, at - 1, "=") && walk_is(w, at + 1, ";"))
		*alias = w->token[at - 2];
	if (is_address && walk_is(w, at + 1, "++"))
		return true;
	for (size_t i = at + 2;
	     walk_is(w, at + 1, "[") && i < w->partner[at + 1]; i++)
		if (walk_is(w, i, "++"))
			return true;
	return false;
}

/* What is written step by step, where the state says how often, ends anywhere. */
static void keep_rest(const struct walk *w, const bool *runs,
		      struct parameter *a)
{
	struct token alias = {"", 0};

	if (!a->is_pointer || !a->has_direction || !*a->name ||
	    a->direction != DIRECTION_OUT)
		return;
	for (size_t i = 0; i < w->n_definitions; i++) {
		size_t from = w->definition[i].body;

		for (size_t k = from; runs[i] && k < w->partner[from]; k++) {
			if (!token_is(w->token[k], a->name) &&
			    (!alias.len || !walk_same(w->token[k], alias)))
				continue;
			if (!is_stepped(w, k, &alias))
				continue;
			a->direction = DIRECTION_INOUT;
			a->is_partial = true;
			return;
		}
	}
}

/* A member whose values may say how far an array of the state is used. */
static bool is_number_of_state(const struct prototype *p, size_t k)
{
	const struct parameter *a = &p->parameter[k];

	return a->owner && state_is_possible(p, a->owner - 1) && a->path &&
	       a->known && !a->is_pointer && !dtype_is_float(a->dtype);
}

static struct reading reading_of(struct walk *w, struct prototype *p,
				 const bool *runs, size_t *looks, size_t k)
{
	struct parameter *a = &p->parameter[k];
	const char *dot = a->path ? strrchr(a->path, '.') : NULL;
	const char *own = dot ? dot + 1 : a->path;

	return (struct reading){.w = w,
				.p = p,
				.runs = runs,
				.a = a,
				.looks = looks,
				.own = {own, own ? strlen(own) : 0}};
}

void walk_bound_state(struct value *argument, struct walk *w,
		      struct prototype *p, const struct function_body *d)
{
	cleanup_free bool *runs = xcalloc(w->n_definitions + 1, sizeof *runs);
	struct poly zero = poly_constant(0), high;
	size_t looks = 0, steps = w->steps;

	if (!walk_mark_called(w, d, runs, NULL))
		return;
	for (size_t k = p->n; k < prototype_all(p); k++) {
		struct reading s = reading_of(w, p, runs, &looks, k);

		if (!is_number_of_state(p, k))
			continue;
		for (size_t i = 0; i < w->n_definitions; i++)
			if (runs[i])
				read_body(&s, w->definition[i].body,
					  w->partner[w->definition[i].body]);
		if (!is_offset(&s.r))
			continue;
		high = poly_constant(highest(&s.r, true));
		argument[k].p = poly_loop(&w->atoms, &zero, &high);
		/* One of these, and not all. */
		argument[k].chosen = true;
	}
	w->steps = steps;
}

void walk_read_state(struct state_use *out, struct walk *w, struct prototype *p,
		     const struct function_body *d)
{
	cleanup_free bool *runs = xcalloc(w->n_definitions + 1, sizeof *runs);
	bool seen, decides = false;
	size_t looks = 0;

	w->end = w->n_tokens;
	seen = walk_mark_called(w, d, runs, NULL) && w->steps < WALK_STEPS;
	for (size_t k = p->n; k < prototype_all(p); k++) {
		struct parameter *a = &p->parameter[k];
		size_t owner = a->owner - 1;
		struct reading s = reading_of(w, p, runs, &looks, k);

		if (!a->owner || !state_is_possible(p, owner) || !a->path)
			continue;
		out->changed[k] = w->changed[k];
		out->kept[k] = w->kept[k];
		read_member(out, &s, k);
		if (!seen ||
		    is_written_whole(w, d, runs, p->parameter[owner].name))
			out->changed[k] = out->kept[k] = true;
		if (p->parameter[owner].is_const)
			out->changed[k] = out->kept[k] = false;
		decides |= out->changed[k] && s.r.decides;
		if (a->known && !a->is_pointer && !dtype_is_float(a->dtype))
			set_range(a, &s.r, out->changed[k]);
		if (a->held == HELD_ARRAY)
			set_array_range(a);
	}
	for (size_t i = 0; decides && i < p->n; i++)
		keep_rest(w, runs, &p->parameter[i]);
}
