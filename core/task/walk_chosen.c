/* What comparisons decide. An integer that one of computed floats chooses, as the
 * nearest centre: `if (dist < best) { best = dist; at = c; }`. And that a loop returns
 * in its middle, as a search does: `if (s[i] == c) return i;`. */
#include "core/task/walk.h"

#define MOST_TOKENS 8192
#define MOST_NAMES  32
#define MOST_ROUNDS 8
#define MOST_CHECKS 16

/* A function's body, and names of it by token numbers. */
struct body_names {
	const struct walk *w;
	size_t from, to;
	size_t name[MOST_NAMES], n;
};

static bool same(const struct body_names *s, size_t a, size_t b)
{
	return walk_same(s->w->token[a], s->w->token[b]);
}

static bool is_word(const struct body_names *s, size_t at)
{
	return at < s->to && token_is_word(s->w->token[at]);
}

/* Where the expression, or the part of a list, ends that begins at `at`. */
static size_t part_end(const struct body_names *s, size_t at)
{
	for (; at < s->to && !walk_is(s->w, at, ";") &&
	       !walk_is(s->w, at, ",") && !walk_is(s->w, at, ")");
	     at++)
		if (s->w->partner[at] > at)
			at = s->w->partner[at];
	return MIN(at, s->to);
}

/* Where what is assigned to the name at `at` begins; 0: nothing is. *adds: to what
 * it was. */
static size_t assigned(const struct body_names *s, size_t at, bool *adds)
{
	static const char *const ops[] = {"+=", "-=", "*=", "/="};

	*adds = true;
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (walk_is(s->w, at + 1, ops[i]))
			return at + 3;
	*adds = false;
	return walk_is(s->w, at + 1, "=") && !walk_is(s->w, at + 1, "==")
		       ? at + 2
		       : 0;
}

/* Is a `float` or `double` declared there? */
static bool declares(const struct body_names *s, size_t at)
{
	size_t i = at;

	while (i > s->from && !strchr(";{}([", *s->w->token[i - 1].at)) {
		i--;
		if (s->w->partner[i] && s->w->partner[i] < i)
			i = s->w->partner[i];
	}
	while (i < at && token_is(s->w->token[i], "const"))
		i++;
	return i < at && (token_is(s->w->token[i], "float") ||
			  token_is(s->w->token[i], "double"));
}

static bool is_float(const struct body_names *s, size_t name)
{
	for (size_t i = s->from; i < s->to; i++)
		if (same(s, i, name) && declares(s, i))
			return true;
	return false;
}

/* Has the expression arithmetic or a call outside of subscripts? */
static bool computes(const struct body_names *s, size_t at, size_t end)
{
	for (size_t i = at; i < end; i++) {
		if (walk_is(s->w, i, "[") && s->w->partner[i] > i)
			i = s->w->partner[i];
		else if (i > at && strchr("+-*/", *s->w->token[i].at))
			return true;
		else if (is_word(s, i) && walk_is(s->w, i + 1, "("))
			return true;
	}
	return false;
}

/* A float that is an element as it is has no rounding that could decide. */
static bool is_computed(const struct body_names *s, size_t name)
{
	for (size_t i = s->from; i < s->to; i++) {
		bool adds;
		size_t value = same(s, i, name) ? assigned(s, i, &adds) : 0;

		if (value && (adds || computes(s, value, part_end(s, value))))
			return true;
	}
	return false;
}

/* Is anything but the name at `but`, and no local float, assigned in [at, end)? */
static bool sets_other(const struct body_names *s, size_t at, size_t end,
		       size_t but)
{
	for (; at < end; at++) {
		size_t last = at;
		bool adds;

		if (!is_word(s, at) || same(s, at, but))
			continue;
		if (walk_is(s->w, at + 1, "[") && s->w->partner[at + 1] > at)
			last = s->w->partner[at + 1];
		if (assigned(s, last, &adds) && !adds && !is_float(s, at))
			return true;
	}
	return false;
}

/* The statement from `at` on: of the two that were compared, `a` becomes the other
 * one, and what was found is kept beside it. */
static bool keeps_best(const struct body_names *s, size_t at, size_t a,
		       size_t b)
{
	size_t end = walk_is(s->w, at, "{") ? s->w->partner[at] : at;

	while (end == at || (end < s->to && !walk_is(s->w, at, "{") &&
			     !walk_is(s->w, end, ";")))
		end++;
	for (size_t i = at; i < end; i++) {
		bool adds;
		size_t value = same(s, i, a) ? assigned(s, i, &adds) : 0;

		if (value && !adds && same(s, value, b) &&
		    part_end(s, value) == value + 1)
			return is_float(s, a) && is_float(s, b) &&
			       is_computed(s, b) && sets_other(s, at, end, a);
	}
	return false;
}

static void add_name(struct body_names *s, size_t at)
{
	for (size_t i = 0; i < s->n; i++)
		if (same(s, s->name[i], at))
			return;
	if (s->n < MOST_NAMES)
		s->name[s->n++] = at;
}

/* The names that what is in s->name is computed from. */
static void add_sources(struct body_names *s)
{
	size_t before = 0;

	for (int round = 0; round < MOST_ROUNDS && s->n > before; round++) {
		before = s->n;
		for (size_t i = s->from; i < s->to; i++) {
			size_t value = 0, end;
			bool adds;

			for (size_t k = 0; k < before && !value; k++)
				if (same(s, i, s->name[k]))
					value = assigned(s, i, &adds);
			end = value ? part_end(s, value) : 0;
			for (; value < end; value++)
				if (is_word(s, value))
					add_name(s, value);
		}
	}
}

/* Adds the name that the `if` at `at` compares so with the best one. */
static void add_chosen(struct body_names *s, size_t at, size_t *checks)
{
	size_t close = s->w->partner[at + 1];

	for (size_t i = at + 3; i + 1 < close; i++) {
		size_t a = i - 1, b = i + 1 + walk_is(s->w, i + 1, "=");

		if ((!walk_is(s->w, i, "<") && !walk_is(s->w, i, ">")) ||
		    !is_word(s, a) || !is_word(s, b) || b >= close ||
		    ++*checks > MOST_CHECKS)
			continue;
		if (keeps_best(s, close + 1, a, b))
			add_name(s, b);
		else if (keeps_best(s, close + 1, b, a))
			add_name(s, a);
	}
}

static bool gives_integers(const struct prototype *p)
{
	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		if (a->is_pointer && a->known && a->has_direction &&
		    a->direction != DIRECTION_IN && !dtype_is_float(a->dtype))
			return true;
	}
	return p->has_result && !dtype_is_float(p->result_dtype);
}

void walk_note_chosen(struct prototype *p, const struct walk *w,
		      const struct function_body *d)
{
	struct body_names s = {
		.w = w, .from = d->body + 1, .to = w->partner[d->body]};
	size_t checks = 0;

	if (s.to < s.from || s.to - s.from > MOST_TOKENS || !gives_integers(p))
		return;
	for (size_t i = s.from; i + 1 < s.to; i++)
		if (token_is(w->token[i], "if") && walk_is(w, i + 1, "("))
			add_chosen(&s, i, &checks);
	add_sources(&s);
	for (size_t i = 0; i < prototype_all(p); i++) {
		struct parameter *a = &p->parameter[i];

		/* Sums of small integers are exact in these types alone. */
		if (!a->is_pointer || !a->known ||
		    (a->dtype != DTYPE_F32 && a->dtype != DTYPE_F64))
			continue;
		for (size_t k = 0; k < s.n; k++)
			a->decides |= token_is(w->token[s.name[k]], a->name);
	}
}

/* ---- a loop that returns or ends in its middle ----------------------------------- */

/* Where what the loop at `at` repeats ends; 0: it is no loop. */
static size_t loop_end(const struct body_names *s, size_t at)
{
	size_t i;

	if ((!token_is(s->w->token[at], "for") &&
	     !token_is(s->w->token[at], "while")) ||
	    !walk_is(s->w, at + 1, "("))
		return 0;
	for (i = s->w->partner[at + 1] + 1; i < s->to; i++) {
		if (walk_is(s->w, i, "{"))
			return MIN(s->w->partner[i], s->to);
		if (walk_is(s->w, i, ";"))
			break;
		if (s->w->partner[i] > i)
			i = s->w->partner[i];
	}
	return i;
}

/* Adds the names in parentheses at `open`. */
static void add_condition(struct body_names *s, size_t open)
{
	for (size_t i = open + 1; i < s->w->partner[open] && i < s->to; i++)
		if (is_word(s, i))
			add_name(s, i);
}

/* Adds the names that the `return` at `at`, in a loop from `loop` on, depends on. */
static void add_return(struct body_names *s, size_t loop, size_t at)
{
	size_t i = at - 1;

	/* The block that it is in, where it is not alone. */
	while (i > loop && !walk_is(s->w, i, "{") && !walk_is(s->w, i, ")") &&
	       !token_is(s->w->token[i], "else")) {
		if (s->w->partner[i] && s->w->partner[i] < i)
			i = s->w->partner[i];
		i--;
	}
	if (walk_is(s->w, i, "{"))
		i--;
	if (walk_is(s->w, i, ")")) {
		i = s->w->partner[i];
		if (i > loop + 1 && token_is(s->w->token[i - 1], "if"))
			add_condition(s, i);
		return;
	}
	if (i <= loop || !token_is(s->w->token[i], "else"))
		return;
	for (size_t k = loop; k < at; k++)
		if (token_is(s->w->token[k], "if") && walk_is(s->w, k + 1, "("))
			add_condition(s, k + 1);
}

static bool is_deref(const struct body_names *s, size_t at)
{
	return walk_is(s->w, at + 1, "[") ||
	       (walk_is(s->w, at - 1, "*") && !is_word(s, at - 2) &&
		!walk_is(s->w, at - 2, ")") && !walk_is(s->w, at - 2, "]"));
}

/* Adds the arrays that a condition in [at, end) of a loop looks at: `*s`, `s[i] != c`.
 * What is less than something is a bound, as of the rows of a sparse matrix. */
static void add_looked_at(struct body_names *s, size_t at, size_t end)
{
	for (size_t i = at; i < end; i++)
		if (walk_is(s->w, i, "<") || walk_is(s->w, i, ">"))
			return;
	for (size_t i = at; i < end; i++)
		if (is_word(s, i) && is_deref(s, i))
			add_name(s, i);
}

/* Of `while (A && B)` at `at`. */
static void add_while(struct body_names *s, size_t at)
{
	size_t end = MIN(s->w->partner[at + 1], s->to), from = at + 2;

	for (size_t i = from; i <= end; i++)
		if (i == end || walk_is(s->w, i, "&&") ||
		    walk_is(s->w, i, "||")) {
			add_looked_at(s, from, i);
			from = i + 1;
		}
}

void walk_note_returns(struct prototype *p, const struct walk *w,
		       const struct function_body *d)
{
	struct body_names s = {
		.w = w, .from = d->body + 1, .to = w->partner[d->body]};
	size_t around = 0; /* where the outermost loop ends */

	if (s.to < s.from || s.to - s.from > MOST_TOKENS)
		return;
	for (size_t i = s.from; i + 1 < s.to; i++) {
		size_t end = loop_end(&s, i);

		if (end && i >= around) {
			around = end;
			if (token_is(w->token[i], "while"))
				add_while(&s, i);
		}
		for (size_t k = i + 1; k < end; k++)
			if (token_is(w->token[k], "return"))
				add_return(&s, i, k);
	}
	add_sources(&s);
	for (size_t i = 0; i < prototype_all(p); i++)
		for (size_t k = 0; k < s.n; k++)
			p->parameter[i].returns |= token_is(
				w->token[s.name[k]], p->parameter[i].name);
}
