/* `if` and `switch`: what is done under them, and what of it for sure. */
#include "core/task/walk.h"

/* Is the last of the statement `continue`, or another that leaves it? */
static bool leaves(const struct walk *w, size_t at)
{
	static const char *const words[] = {"continue", "break", "return",
					    "goto"};
	size_t close = w->partner[at], last = at;

	if (walk_is(w, at, "{") && close && close <= w->end) {
		last = at + 1;
		for (size_t i = last; i + 1 < close; i++) {
			if (walk_closing(w->token[i]) && w->partner[i])
				i = w->partner[i];
			if ((walk_is(w, i, ";") || walk_is(w, i, "}")) &&
			    i + 1 < close)
				last = i + 1;
		}
	}
	for (size_t i = 0; last < w->end && i < ARRAY_SIZE(words); i++)
		if (token_is(w->token[last], words[i]))
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
		if (v.tensor < 0 && !v.object && (!v.p.ok || v.of))
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
	size_t open = ++w->at, close;
	uint32_t before = w->sure, then;
	bool by_contents;
	struct value tested;
	struct walk_guard g;

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
	left = is_if && leaves(w, w->at);
	walk_guard_begin(&g, w, open + 1, close);
	w->conditions++;
	walk_scope(w, w->at);
	then = w->sure;
	walk_guard_else(&g, w);
	if (by_contents)
		w->sure = before;
	if (walk_take(w, "else"))
		walk_scope(w, w->at);
	w->conditions--;
	if (left && by_contents && w->loops && w->passed)
		note_left(w->passed, before, then);
	else if (by_contents)
		w->sure &= then | before;
	walk_guard_end(&g, w);
	if (left && w->passed)
		walk_guard_rest(&g, w);
}
