/* Lambdas, functions and function objects that are values: a name keeps one, another
 * function gets it. */
#include "core/task/walk.h"

#define MOST_TOKENS 64 /* between the parameters and the body */

/* The body behind the bracket that closes the parameters: `mutable noexcept -> int {`;
 * 0: there is none. */
static size_t body_behind(const struct walk *w, size_t close)
{
	for (size_t i = close + 1; i < MIN(close + MOST_TOKENS, w->n_tokens);
	     i++) {
		if (token_is(w->token[i], "{"))
			return w->partner[i] ? i : 0;
		if (token_is(w->token[i], "(") && w->partner[i])
			i = w->partner[i];
		else if (!token_is_word(w->token[i]) &&
			 !strchr("-<>:*&,", *w->token[i].at))
			return 0;
	}
	return 0;
}

/* Of the bracket at `at`, that of the parameters or of the body, which may be behind
 * what is walked. False: no body. */
static bool function_at(struct function_body *out, const struct walk *w,
			size_t at)
{
	bool has_parameters = token_is(w->token[at], "(");

	*out = (struct function_body){
		.name = at,
		.parameters = has_parameters ? at : 0,
		.body = !has_parameters	 ? at
			: w->partner[at] ? body_behind(w, w->partner[at])
					 : 0};
	return out->body && w->partner[out->body];
}

/* ---- where one is written ------------------------------------------------------ */

/* A name of the function around it that the lambda changes is no longer known: when,
 * and how often, its calls say. */
static void forget_assigned(struct walk *w, const struct function_body *d)
{
	size_t to = w->partner[d->body];

	for (size_t i = d->body + 1; i < to && w->steps <= WALK_STEPS; i++) {
		struct binding *b;
		struct value unknown = value_unknown();

		w->steps++;
		if (!token_is_word(w->token[i]) || !walk_is_assigned(w, i) ||
		    !(b = walk_find(w, w->token[i])))
			continue;
		/* The elements of an array are not its name. */
		if (b->v.tensor >= 0 && walk_is(w, i + 1, "["))
			continue;
		if (b->v.tensor >= 0)
			walk_escape(w, &b->v);
		unknown.of = b->v.of;
		unknown.ended_by = b->v.ended_by;
		unknown.chosen = true;
		b->v = unknown;
		b->walks = false;
		b->fixed = true;
	}
}

bool walk_lambda(struct value *out, struct walk *w)
{
	size_t at = w->at, close = w->partner[at];
	struct function_body d;

	if (!walk_is(w, at, "[") || !close || close + 1 >= w->end ||
	    walk_is(w, at + 1, "[") ||
	    (!walk_is(w, close + 1, "(") && !walk_is(w, close + 1, "{")) ||
	    !function_at(&d, w, close + 1) || w->partner[d.body] >= w->end)
		return false;
	forget_assigned(w, &d);
	*out = value_unknown();
	out->callee = close + 2;
	out->seen_from = w->scope;
	out->seen_to = w->n;
	w->at = w->partner[d.body] + 1;
	return true;
}

/* ---- which one is meant -------------------------------------------------------- */

/* `operator()` of the class; 0: it is not there. Else the bracket of its parameters. */
static size_t operator_of(struct walk *w, struct token class)
{
	size_t looks = 0, found = 0;

	w->looks += w->n_tokens;
	for (size_t i = 1;
	     i + 3 < w->n_tokens && !found && w->looks <= WALK_LOOKS; i++)
		if (token_is(w->token[i], "operator") &&
		    token_is(w->token[i + 1], "(") &&
		    token_is(w->token[i + 2], ")") &&
		    token_is(w->token[i + 3], "(") &&
		    walk_same(walk_class_at(w, i, &looks), class))
			found = i + 3;
	w->steps += looks / 64;
	return found;
}

static bool is_order(struct token t)
{
	static const char *const words[] = {"less", "greater", "less_equal",
					    "greater_equal"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (token_is(t, words[i]))
			return true;
	return false;
}

void walk_take_callee(struct value *v, struct walk *w, size_t from, size_t to)
{
	struct function_body d;
	struct token name;
	size_t at = from + (walk_is(w, from, "&") ? 1 : 0);

	while (at + 3 < to && token_is_word(w->token[at]) &&
	       walk_is(w, at + 1, "::"))
		at += 3;
	if (v->tensor >= 0 || v->callee || v->p.ok || at >= to ||
	    !token_is_word(w->token[at]) || walk_find(w, w->token[at]))
		return;
	v->is_order = walk_is_of_library(w, at) && is_order(w->token[at]);
	if (walk_is_of_library(w, at))
		return;
	name = w->token[at];
	if (at + 1 == to) {
		const struct function_body *f = walk_definition(w, name);

		v->callee = f ? f->parameters + 1 : 0;
	} else if (at + 3 == to &&
		   (walk_is(w, at + 1, "(") || walk_is(w, at + 1, "{")) &&
		   w->partner[at + 1] == at + 2) {
		v->callee = operator_of(w, name) + 1;
		v->callee -= v->callee == 1;
	}
	/* It sees no names but its own. */
	v->seen_from = v->seen_to = 0;
	if (v->callee && !function_at(&d, w, v->callee - 1))
		v->callee = 0;
}

/* ---- where it is called -------------------------------------------------------- */

struct value walk_call_value(struct walk *w, const struct value *f,
			     const struct value *argument, size_t n)
{
	size_t from = w->seen_from, to = w->seen_to;
	struct function_body d;
	struct value v;

	if (!f->callee || !function_at(&d, w, f->callee - 1))
		return value_unknown();
	w->seen_from = f->seen_from;
	w->seen_to = MIN(f->seen_to, w->n);
	v = walk_call(w, &d, argument, n);
	w->seen_from = from;
	w->seen_to = to;
	return v;
}

void walk_lend_callee(struct walk *w, const struct value *f)
{
	struct poly turns = w->turns;

	if (!f->callee)
		return;
	w->turns = poly_unknown;
	w->conditions++;
	w->by_contents++;
	walk_call_value(w, f, NULL, 0);
	w->by_contents--;
	w->conditions--;
	w->turns = turns;
}
