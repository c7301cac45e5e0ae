/* Constants in a function's text. */
#include "core/task/walk_reading.h"

bool walk_may_look(const struct reading *s)
{
	*s->looks += s->w->n_tokens;
	return *s->looks < WALK_LOOKS;
}

static int64_t negated(int64_t v)
{
	return v == INT64_MIN ? INT64_MAX : -v;
}

/* Is what ends before `at` a part only: "64 - 1", "1 << 3"? */
static bool goes_on(const struct walk *w, size_t at)
{
	static const char *const ops[] = {"+", "-", "*", "/", "%", "<<", ">>"};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (walk_is(w, at, ops[i]))
			return !walk_is(w, at, "->");
	return false;
}

/* Behind a number, a name or what is in brackets, and its sign. */
static size_t operand_end(const struct walk *w, size_t at)
{
	at += walk_is(w, at, "-");
	return at < w->end && w->partner[at] > at ? w->partner[at] + 1 : at + 1;
}

size_t walk_sum_end(const struct walk *w, size_t at)
{
	size_t end = operand_end(w, at);

	while (goes_on(w, end)) {
		bool shifts = walk_is(w, end, "<<") || walk_is(w, end, ">>");

		end = operand_end(w, end + 1 + shifts);
	}
	return MIN(end, w->end);
}

/* Of an enumerator, behind its `=`. */
static bool enumerator_value(const struct reading *s, size_t at, size_t end,
			     int64_t *value)
{
	struct walk *w = s->w;
	size_t after = walk_sum_end(w, at);
	struct poly p;
	char *rest;

	if (after > end || (after < end && !token_is(w->token[after], ",")))
		return false;
	if (after == operand_end(w, at)) {
		*value = strtoll(w->token[at].at, &rest, 0);
		if (rest != w->token[at].at)
			return true;
	}
	p = walk_range(w, at, after).p;
	return poly_is_constant(&p, value);
}

/* What an enumerator stands for; false: the name is none. */
static bool enumerator(const struct reading *s, struct token name,
		       int64_t *value)
{
	const struct walk *w = s->w;

	if (!walk_may_look(s))
		return false;
	for (size_t i = 0; i < w->n_tokens; i++) {
		int64_t next = 0;
		size_t k = i + 1;

		if (!token_is(w->token[i], "enum"))
			continue;
		k += k < w->n_tokens && token_is_word(w->token[k]);
		if (k >= w->n_tokens || !token_is(w->token[k], "{"))
			continue;
		for (size_t end = w->partner[k++]; k < end;
		     next += next < INT64_MAX) {
			struct token at = w->token[k++];

			if (k < end && token_is(w->token[k], "=")) {
				if (!enumerator_value(s, k + 1, end, &next))
					break;
			}
			if (walk_same(at, name)) {
				*value = next;
				return true;
			}
			while (k < end && !token_is(w->token[k], ","))
				k++;
			k++;
		}
	}
	return false;
}

bool walk_enumerator(int64_t *out, struct walk *w, struct token name)
{
	size_t looks = 0;
	struct reading s = {.w = w, .looks = &looks};

	return enumerator(&s, name, out);
}

/* "sizeof st->block", "sizeof(st->block)": of an array among the members. */
static bool size_of(const struct reading *s, size_t at, int64_t *value)
{
	const struct walk *w = s->w;
	size_t to = at + 8;

	for (size_t i = at + 1; i < MIN(to, w->end); i++) {
		for (size_t k = s->p->n; k < prototype_all(s->p); k++) {
			const struct parameter *a = &s->p->parameter[k];
			const char *dot = a->path ? strrchr(a->path, '.')
						  : NULL;

			if (a->held != HELD_ARRAY ||
			    !token_is(w->token[i], dot ? dot + 1 : a->path))
				continue;
			*value = (int64_t)(a->held_dim[0] *
					   MAX(a->members, (size_t)1) *
					   dtype_bytes(a->dtype));
			return a->n_held == 1 && !walk_is(w, i + 1, "[");
		}
		if (walk_is(w, i, ";") || walk_is(w, i, "{"))
			break;
	}
	return false;
}

bool walk_constant(const struct reading *s, size_t at, int64_t *value)
{
	struct walk *w = s->w;
	size_t end = walk_sum_end(w, at);
	struct token t;
	bool is_negative = false;
	struct poly p;

	if (at < w->end && !walk_is(w, at, "sizeof") &&
	    end > operand_end(w, at)) {
		p = walk_range(w, at, end).p;
		return !walk_is(w, end, ".") && poly_is_constant(&p, value);
	}
	if (walk_is(w, at, "-")) {
		is_negative = true;
		at++;
	}
	if (at >= w->end)
		return false;
	t = w->token[at];
	if (token_is(t, "sizeof"))
		return size_of(s, at, value);
	if (*t.at == '\'' && t.len == 3) {
		*value = (unsigned char)t.at[1];
		return true;
	}
	if (token_is(t, "(") && w->partner[at]) {
		p = walk_range(w, at, w->partner[at] + 1).p;
	} else if (token_is_number(t)) {
		/* 1.5 is several tokens. */
		if (walk_is(w, at + 1, "."))
			return false;
		p = walk_range(w, at, at + 1).p;
	} else {
		if (!token_is_word(t) || !enumerator(s, t, value))
			return false;
		*value = is_negative ? negated(*value) : *value;
		return true;
	}
	if (!poly_is_constant(&p, value))
		return false;
	*value = is_negative ? negated(*value) : *value;
	return true;
}

size_t walk_begin_of(const struct walk *w, size_t at)
{
	for (;;) {
		if (walk_is(w, at - 1, "."))
			at -= 2;
		else if (walk_is(w, at - 2, "->"))
			at -= 3;
		else
			return at;
	}
}

bool walk_constant_before(const struct reading *s, size_t end, int64_t *value)
{
	struct walk *w = s->w;
	size_t at = end - 1, open = w->partner[at], begin;
	struct poly p;

	if (walk_is(w, at, ")") && open && open < at) {
		if (token_is(w->token[open - 1], "sizeof"))
			return size_of(s, open - 1, value);
		p = walk_range(w, open, end).p;
		return poly_is_constant(&p, value);
	}
	if (token_is_number(w->token[at])) {
		p = walk_range(w, at, end).p;
		return !walk_is(w, at - 1, ".") && poly_is_constant(&p, value);
	}
	begin = walk_begin_of(w, at);
	if (token_is(w->token[begin - 1], "sizeof"))
		return size_of(s, begin - 1, value);
	return token_is_word(w->token[at]) &&
	       enumerator(s, w->token[at], value);
}
