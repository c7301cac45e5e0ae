/* A structure of equal integers behind a pointer in C: one, or an array of them? */
#include "core/task/walk.h"

#define MAX_DEPTH 8 /* of functions that it is handed to */
#define MAX_LOOKS ((size_t)1 << 22)

struct single {
	const struct walk *w;
	size_t looks;
};

static bool is_one(struct single *s, const struct function_body *d,
		   size_t number, size_t depth);

/* The call that what is at `at` is a whole argument of: its name, and *number. 0: there
 * is none. */
static size_t call_around(struct single *s, size_t at, size_t *number)
{
	const struct walk *w = s->w;
	size_t open = at - 1;

	*number = 0;
	if ((!walk_is(w, at + 1, ",") && !walk_is(w, at + 1, ")")) ||
	    (!walk_is(w, open, ",") && !walk_is(w, open, "(")))
		return 0;
	while (open > 1 && !walk_is(w, open, "(") && !walk_is(w, open, ";") &&
	       !walk_is(w, open, "{")) {
		s->looks++;
		*number += walk_is(w, open, ",");
		open = w->partner[open] && w->partner[open] < open
			       ? w->partner[open] - 1
			       : open - 1;
	}
	return walk_is(w, open, "(") && token_is_word(w->token[open - 1])
		       ? open - 1
		       : 0;
}

/* Do all functions of this name take their parameter for one? */
static bool all_take_one(struct single *s, size_t name, size_t number,
			 size_t depth)
{
	const struct walk *w = s->w;
	bool found = false;

	for (size_t i = 0; i < w->n_definitions; i++) {
		const struct function_body *d = &w->definition[i];

		s->looks++;
		if (!walk_same(w->token[d->name], w->token[name]))
			continue;
		if (!is_one(s, d, number, depth + 1))
			return false;
		found = true;
	}
	return found;
}

/* `x->a`, `(*x).a`, `!x`, `f(x)` */
static bool use_is_of_one(struct single *s, size_t at, size_t depth)
{
	const struct walk *w = s->w;
	size_t number, name;

	if (walk_is(w, at + 1, "->") || walk_is(w, at - 1, "!"))
		return true;
	if (walk_is(w, at - 1, "*") && walk_is(w, at - 2, "(") &&
	    walk_is(w, at + 1, ")") && walk_is(w, at + 2, "."))
		return true;
	name = call_around(s, at, &number);
	return name && all_take_one(s, name, number, depth);
}

/* Of the parameter of this number: its name; 0: it has none, or is declared as an
 * array. */
static size_t name_of(const struct walk *w, const struct function_body *d,
		      size_t number)
{
	size_t from, to = d->parameters, close = w->partner[d->parameters];
	size_t name;

	for (size_t i = 0; walk_next_parameter(w, &from, &to, close); i++) {
		if (i < number)
			continue;
		for (size_t k = from; k < to; k++)
			if (walk_is(w, k, "["))
				return 0;
		return walk_parameter_name(w, from, to, &name) ? name : 0;
	}
	return 0;
}

static bool is_one(struct single *s, const struct function_body *d,
		   size_t number, size_t depth)
{
	const struct walk *w = s->w;
	size_t name = name_of(w, d, number), to = w->partner[d->body];
	bool used = false;

	if (!name || depth > MAX_DEPTH)
		return false;
	for (size_t at = d->body + 1; at < to; at++) {
		if (++s->looks > MAX_LOOKS)
			return false;
		if (!walk_same(w->token[at], w->token[name]) ||
		    walk_is(w, at - 1, ".") || walk_is(w, at - 2, "->"))
			continue;
		if (!use_is_of_one(s, at, depth))
			return false;
		used = true;
	}
	return used;
}

/* Those behind them take their places. */
static void drop_members(struct prototype *p, size_t i)
{
	size_t kept = p->n, all = prototype_all(p);

	for (size_t k = p->n; k < all; k++) {
		struct parameter *a = &p->parameter[k];

		if (a->owner == i + 1)
			parameter_release(a);
		else
			p->parameter[kept++] = *a;
	}
	for (size_t k = kept; k < all; k++)
		p->parameter[k] = (struct parameter){0};
	p->n_members = kept - p->n;
}

static void make_one(struct parameter *a)
{
	a->known = false;
	a->members = 0;
	free(a->layout);
	free(a->arrays);
	a->layout = a->arrays = NULL;
	a->has_members = true;
}

void walk_choose_single(struct prototype *p, const struct walk *w,
			const struct function_body *d)
{
	struct single s = {.w = w};

	for (size_t i = 0; i < p->n; i++) {
		struct parameter *a = &p->parameter[i];

		if (!a->may_be_one)
			continue;
		if (d && is_one(&s, d, i, 0)) {
			make_one(a);
		} else {
			drop_members(p, i);
			a->by_shim = false;
		}
		a->may_be_one = false;
	}
}
