/* Statements that are no loops, and which kind of statement one is. */
#include "core/task/walk.h"

/* "const float *", "std::size_t", "real_t" before a name: moves past it. */
static bool skip_type(struct walk *w)
{
	size_t begin = w->at;
	bool words = false, named = false;

	while (w->at + 1 < w->end && token_is_word(w->token[w->at])) {
		struct token t = w->token[w->at];
		bool tag = token_is(t, "struct") || token_is(t, "union") ||
			   token_is(t, "enum");

		if (walk_is_type_word(t)) {
			w->at += tag ? 2 : 1;
			words = words || !token_is(t, "const");
			continue;
		}
		if (words || named || walk_find(w, t))
			break;
		if (walk_is(w, w->at + 1, "::")) {
			w->at += 3;
			continue;
		}
		/* A type of one word: another word or a star follows. */
		if (!token_is_word(w->token[w->at + 1]) &&
		    !walk_is(w, w->at + 1, "*") && !walk_is(w, w->at + 1, "&"))
			break;
		named = true;
		w->at++;
	}
	if (words || named)
		return true;
	w->at = begin;
	return false;
}

bool walk_is_reference(const struct walk *w, size_t from, size_t to)
{
	bool found = false;

	for (size_t i = from; i < to; i++) {
		if (token_is(w->token[i], "const"))
			return false;
		found |= token_is(w->token[i], "&");
	}
	return found;
}

/* What `float &x = place`, `&x{place}` and `&x(place)` stand for, from behind x. */
static struct value referred(struct walk *w, bool is_const)
{
	size_t open = w->at, close = w->partner[open];
	struct value v;

	if (walk_is(w, open, "=")) {
		w->at++;
		v = walk_place(w);
	} else if (close > open + 1 && close < w->end) {
		v = walk_range(w, open + 1, close);
		w->at = close + 1;
	} else {
		return value_unknown();
	}
	if (!is_const && !v.object)
		walk_lend(w, &v);
	return v;
}

/* `auto [least, most] = ...`: of what they are nothing is known. */
static void several_names(struct walk *w)
{
	size_t open = w->at, close = w->partner[open];
	struct value v, unknown = value_unknown();

	w->at = close + 1;
	if (walk_take(w, "=")) {
		v = walk_assignment(w);
		unknown.of = v.of;
		unknown.ended_by = v.ended_by;
	}
	w->steps += (close - open) / 64;
	for (size_t i = open + 1; i < close; i++)
		if (token_is_word(w->token[i]))
			walk_bind(w, w->token[i], &unknown);
}

/* Its type is [from, w->at). */
static void declarator(struct walk *w, size_t from)
{
	size_t type = w->at;
	struct value v = value_unknown();
	static const struct token constant = {"const", 5};
	struct token name;
	bool array = false, reference = false;

	for (;;) {
		reference |= walk_is(w, w->at, "&");
		if (!walk_take(w, "*") && !walk_take(w, "&") &&
		    !walk_take(w, "const") && !walk_take(w, "restrict") &&
		    !walk_take(w, "__restrict") &&
		    !walk_take(w, "__restrict__"))
			break;
	}
	if (walk_is(w, w->at, "[") && w->partner[w->at]) {
		several_names(w);
		return;
	}
	if (w->at >= w->end || !token_is_word(w->token[w->at]))
		return;
	name = w->token[w->at++];
	while (walk_is(w, w->at, "[") && w->partner[w->at]) {
		w->at = w->partner[w->at] + 1;
		array = true;
	}
	if (reference) {
		v = referred(w, walk_mentions(w, from, type, constant));
	} else if (walk_is(w, w->at, "=") && !walk_is(w, w->at, "==")) {
		w->at++;
		if (walk_is(w, w->at, "{") && w->partner[w->at])
			w->at = w->partner[w->at] + 1;
		else
			v = walk_assignment(w);
	}
	v.binding = SIZE_MAX;
	if (array)
		v = value_unknown();
	walk_bind(w, name, &v);
}

/* To the end of the statement, whatever is left of it. */
static void skip_rest(struct walk *w)
{
	while (w->at < w->end && !walk_is(w, w->at, ";") &&
	       !walk_is(w, w->at, "}"))
		w->at = source_closing(w->token[w->at]) && w->partner[w->at]
				? w->partner[w->at] + 1
				: w->at + 1;
	walk_take(w, ";");
}

static void block(struct walk *w)
{
	size_t close = w->partner[w->at], n = w->n, end = w->end;

	if (!close || close >= end) {
		w->at++;
		return;
	}
	w->at++;
	w->end = close;
	if (w->at < close)
		walk_scope(w, close);
	w->end = end;
	w->at = close + 1;
	w->n = MIN(w->n, n);
}

static void simple_statement(struct walk *w)
{
	size_t before = w->at;

	if (walk_take(w, ";"))
		return;
	if (skip_type(w)) {
		do
			declarator(w, before);
		while (walk_take(w, ","));
	} else {
		walk_expression(w);
	}
	if (w->at == before)
		w->at++;
	if (!walk_take(w, ";"))
		skip_rest(w);
}

/* `a ? b : c`, of which the condition may be about contents. */
static bool has_choice(const struct walk *w, size_t from, size_t to)
{
	for (; from < to; from++)
		if (walk_is(w, from, "?"))
			return true;
	return false;
}

static void return_statement(struct walk *w)
{
	size_t from = w->at;
	int64_t c;

	if (walk_take(w, ";"))
		return;
	w->returned = walk_expression(w);
	w->returned.binding = SIZE_MAX;
	w->n_returns++;
	/* Of the function itself, not of one that it calls. */
	if (!w->scope) {
		w->returns = true;
		w->result_varies |= walk_is_chosen(w) ||
				    w->returned.tensor >= 0 ||
				    !poly_is_constant(&w->returned.p, &c) ||
				    has_choice(w, from, w->at);
	}
	if (!walk_take(w, ";"))
		skip_rest(w);
}

/* `case 1:`, `default:`, a label: that is reached from elsewhere too, where
 * what an `if` before it left out is not left out. */
static bool label(struct walk *w)
{
	bool is_case = walk_is(w, w->at, "case") ||
		       walk_is(w, w->at, "default");
	size_t at = w->at + 1;

	if (!is_case && (!token_is_word(w->token[w->at]) ||
			 !walk_is(w, at, ":") || walk_is(w, at, "::")))
		return false;
	while (w->at < w->end && !walk_take(w, ":"))
		w->at++;
	if (w->passed)
		walk_guard_end(w->passed, w);
	return true;
}

void walk_statement(struct walk *w)
{
	if (!walk_enter(w) || w->at >= w->end) {
		walk_leave(w);
		return;
	}
	if (walk_is(w, w->at, "{")) {
		block(w);
	} else if (walk_is(w, w->at, "for")) {
		walk_for(w);
	} else if (walk_is(w, w->at, "while")) {
		walk_while(w);
	} else if (walk_is(w, w->at, "do")) {
		walk_do(w);
	} else if (walk_is(w, w->at, "if") || walk_is(w, w->at, "switch")) {
		walk_branch(w);
	} else if (walk_is(w, w->at, "else")) {
		w->at++;
		walk_statement(w);
	} else if (label(w)) {
		/* The statement after it is the next one. */
	} else if (walk_is(w, w->at, "return")) {
		w->at++;
		return_statement(w);
	} else {
		simple_statement(w);
	}
	walk_leave(w);
}
