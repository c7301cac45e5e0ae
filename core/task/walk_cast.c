/* Casts, as C and as C++ write them. */
#include "core/task/walk.h"

bool walk_is_cast(struct walk *w, size_t at)
{
	size_t close = w->partner[at];
	bool type = false, starred = false;

	if (!close || close >= w->end || close == at + 1)
		return false;
	for (size_t i = at + 1; i < close; i++) {
		struct token t = w->token[i];

		if (walk_is_type_word(t))
			type = true;
		else if (token_is(t, "*") && i > at + 1)
			starred = true;
		else if (!token_is_word(t) || starred || walk_find(w, t))
			return false;
	}
	if (type || starred)
		return true;
	return close + 1 < w->end && (token_is_word(w->token[close + 1]) ||
				      token_is_number(w->token[close + 1]));
}

/* The types [from, to) of a cast. */
static bool is_byte(const struct walk *w, size_t from, size_t to)
{
	return (to == from + 1 && token_is(w->token[from], "uint8_t")) ||
	       (to == from + 2 && token_is(w->token[from], "unsigned") &&
		token_is(w->token[from + 1], "char"));
}

/* "pair" of "struct pair" and "ns::pair". */
static bool ends_with_word(const char *type, struct token word)
{
	size_t len = type ? strlen(type) : 0;

	return type && len >= word.len &&
	       memcmp(type + len - word.len, word.at, word.len) == 0 &&
	       (len == word.len || strchr(" :", type[len - word.len - 1]));
}

/* Is it a cast to a pointer to what the elements are, which ends before `to`: of a
 * `void *` that a function got? */
static bool is_own_type(const struct walk *w, int tensor, size_t to)
{
	const struct parameter *a = &w->prototype->parameter[tensor];
	struct token word = w->token[to - 2];

	return token_is_word(word) && (ends_with_word(a->type, word) ||
				       ends_with_word(a->alias, word));
}

/* The value *of as one of the type [from, to). */
static struct value cast_to(struct walk *w, size_t from, size_t to,
			    const struct value *of)
{
	bool pointer = token_is(w->token[to - 1], "*");
	struct poly zero = poly_constant(0), most = poly_constant(UINT8_MAX);
	struct value v = walk_use(w, of);

	v.binding = SIZE_MAX;
	/* A char is not negative then. */
	if (!pointer && v.of && !v.p.ok && is_byte(w, from, to))
		v.p = poly_loop(&w->atoms, &zero, &most);
	/* Its parts, one by one: not the structures that are counted here. */
	if (pointer && v.tensor >= 0 && w->structure[v.tensor] &&
	    !is_own_type(w, v.tensor, to)) {
		walk_escape(w, &v);
		return value_unknown();
	}
	v.place = pointer ? v.place : 0;
	/* Elements of another size, unless an intrinsic gets it next. */
	if (!pointer && v.tensor >= 0)
		return value_unknown();
	return v;
}

struct value walk_cast(struct walk *w)
{
	size_t open = w->at, close = w->partner[open];
	struct value v;

	w->at = close + 1;
	v = walk_operand(w);
	return cast_to(w, open + 1, close, &v);
}

/* What is in the brackets at w->at, "(x)" or "{x}", as [from, to). Of more than
 * one, and of none, nothing is known. */
static struct value cast_of_brackets(struct walk *w, size_t from, size_t to)
{
	size_t close = w->partner[w->at++], end = w->end;
	struct value v = value_unknown();

	w->end = close;
	if (w->at < close)
		v = walk_place(w);
	/* A place of the same type. */
	if (!token_is(w->token[to - 1], "&"))
		v = cast_to(w, from, to, &v);
	if (w->at < close) {
		walk_expression(w);
		v = value_unknown();
	}
	w->end = end;
	w->at = close + 1;
	return v;
}

static bool has_brackets(const struct walk *w, size_t at)
{
	return (walk_is(w, at, "(") || walk_is(w, at, "{")) && w->partner[at] &&
	       w->partner[at] < w->end;
}

bool walk_cast_by_name(struct value *out, struct walk *w)
{
	static const char *const casts[] = {"static_cast", "const_cast",
					    "reinterpret_cast"};
	size_t name = w->at, from = name + 2, to = from;

	if (walk_is_type_word(w->token[name]) && has_brackets(w, name + 1)) {
		w->at = name + 1;
		*out = cast_of_brackets(w, name, name + 1);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(casts); i++)
		if (walk_is(w, name, casts[i]) && walk_is(w, name + 1, "<"))
			to++;
	if (to == from)
		return false;
	while (to < w->end &&
	       (token_is_word(w->token[to]) || walk_is(w, to, ":") ||
		walk_is(w, to, "*") || walk_is(w, to, "&")))
		to++;
	if (!walk_is(w, to, ">") || !walk_is(w, to + 1, "(") ||
	    !has_brackets(w, to + 1))
		return false;
	w->at = to + 1;
	*out = cast_of_brackets(w, from, to);
	/* A place, but its elements are of another size. */
	if (token_is(w->token[name], "reinterpret_cast") &&
	    walk_is(w, to - 1, "&")) {
		walk_escape(w, out);
		*out = value_unknown();
	}
	return true;
}
