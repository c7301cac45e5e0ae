/* Constants by their names, for how many elements an array of the kernel's has. */
#include "core/task/walk.h"

#define MOST_WORDS  16	/* of a declaration, before its name */
#define MOST_TOKENS 256 /* of a function's name, or before it */
#define MOST_NAMES  4	/* of which one is made of the next */

static bool named(int64_t *out, struct walk *w, size_t at, size_t names);

static bool number_in(int64_t *out, struct walk *w, size_t from, size_t to,
		      size_t names)
{
	size_t n = w->n;
	bool known = from < to;
	struct poly p;

	for (size_t i = from; i < to && known; i++) {
		int64_t c = 0;
		struct value v;

		if (!token_is_word(w->token[i]))
			continue;
		known = names && named(&c, w, i, names - 1);
		v = value_of(poly_constant(c));
		walk_bind(w, w->token[i], &v);
	}
	if (known) {
		p = walk_range(w, from, to).p;
		known = poly_is_constant(&p, out);
	}
	w->n = n;
	return known;
}

static void take_least(int64_t *least, bool *found, int64_t value)
{
	*least = *found ? MIN(*least, value) : value;
	*found = true;
}

/* ---- const and constexpr ---------------------------------------------------- */

static bool is_constant_here(const struct walk *w, size_t name)
{
	for (size_t i = name, n = 0; i-- > 0 && n < MOST_WORDS; n++) {
		if (token_is(w->token[i], "const") ||
		    token_is(w->token[i], "constexpr"))
			return true;
		if (!token_is_word(w->token[i]) && !walk_is(w, i, ":"))
			return false;
	}
	return false;
}

/* Of "NAME = 256;" and "NAME = 1 << BITS,". */
static bool initial_value(int64_t *out, struct walk *w, size_t from,
			  size_t names)
{
	size_t to = from;

	while (to < w->n_tokens && to - from < MOST_WORDS &&
	       !walk_is(w, to, ";") && !walk_is(w, to, ","))
		to++;
	return number_in(out, w, from, to, names);
}

/* False: one of these is not known. */
static bool by_declaration(int64_t *least, bool *found, struct walk *w,
			   struct token name, size_t names)
{
	for (size_t i = 0; i + 2 < w->n_tokens; i++) {
		int64_t value;

		if (!walk_same(w->token[i], name) || !walk_is(w, i + 1, "=") ||
		    walk_is(w, i + 1, "==") || !is_constant_here(w, i))
			continue;
		if (!initial_value(&value, w, i + 2, names))
			return false;
		take_least(least, found, value);
	}
	return true;
}

/* ---- arguments of templates ------------------------------------------------- */

/* Which of the parameters between the "<" at `open` and its ">" has the name;
 * SIZE_MAX: none. */
static size_t which_parameter(const struct walk *w, size_t open, size_t close,
			      struct token name)
{
	size_t from, to = open;

	for (size_t n = 0; token_next_argument(w->token, &from, &to, close);
	     n++)
		for (size_t i = from; i < to; i++)
			if (walk_same(w->token[i], name) &&
			    (i + 1 == to || walk_is(w, i + 1, "=")))
				return n;
	return SIZE_MAX;
}

/* What the template is of: "eq" of "class eq {", "f" of "void f(". */
static bool template_of(struct token *out, const struct walk *w, size_t at)
{
	size_t most = MIN(at + MOST_TOKENS, w->n_tokens);
	bool is_class = false;

	for (; at + 1 < most; at++) {
		if (walk_is(w, at, ";") || walk_is(w, at, "="))
			return false;
		is_class |= token_is(w->token[at], "class") ||
			    token_is(w->token[at], "struct");
		if (!token_is_word(w->token[at]) ||
		    !(walk_is(w, at + 1, "(") ||
		      (is_class &&
		       (walk_is(w, at + 1, "{") || walk_is(w, at + 1, ":")))) ||
		    token_is(w->token[at], "__attribute__"))
			continue;
		*out = w->token[at];
		return true;
	}
	return false;
}

/* Of "eq" in "img::eq<unsigned char, 256>::run" argument number `which`, if it is
 * a number. */
static bool argument_of(int64_t *out, const char *name, struct token of,
			size_t which)
{
	struct token t[MOST_TOKENS];
	size_t n = 0, open = 1, from, to, close;

	while (n < MOST_TOKENS && (t[n] = token_next(&name)).len)
		n++;
	while (open < n &&
	       !(token_is(t[open], "<") && walk_same(t[open - 1], of)))
		open++;
	close = open < n ? token_other_angle(t, n, open) : 0;
	for (to = open; token_next_argument(t, &from, &to, close);)
		if (!which--) {
			*out = strtoll(t[from].at, NULL, 0);
			return token_is_number(t[from]);
		}
	return false;
}

static void by_argument(int64_t *least, bool *found, const struct walk *w,
			struct token name)
{
	const char *whole = w->prototype ? w->prototype->name : NULL;

	if (!whole || !strchr(whole, '<'))
		return;
	for (size_t i = 0; i + 2 < w->n_tokens; i++) {
		size_t which, close;
		struct token of;
		int64_t value;

		if (!token_is(w->token[i], "template") ||
		    !walk_is(w, i + 1, "<"))
			continue;
		close = token_other_angle(w->token, w->end, i + 1);
		which = which_parameter(w, i + 1, close, name);
		if (which != SIZE_MAX && template_of(&of, w, close + 1) &&
		    argument_of(&value, whole, of, which))
			take_least(least, found, value);
	}
}

static bool named(int64_t *out, struct walk *w, size_t at, size_t names)
{
	struct token name = w->token[at];
	const struct binding *b = walk_find(w, name);
	int64_t least = 0, value;
	bool found = false;

	if (b)
		return b->v.tensor < 0 && poly_is_constant(&b->v.p, out);
	w->looks += w->n_tokens;
	if (w->looks > WALK_LOOKS)
		return false;
	by_argument(&least, &found, w, name);
	if (!by_declaration(&least, &found, w, name, names))
		return false;
	if (walk_enumerator(&value, w, name))
		take_least(&least, &found, value);
	*out = least;
	return found;
}

bool walk_number_in(int64_t *out, struct walk *w, size_t from, size_t to,
		    bool names)
{
	/* "limits::LEVELS" */
	while (names && from + 3 < to && token_is_word(w->token[from]) &&
	       walk_is(w, from + 1, ":") && walk_is(w, from + 2, ":"))
		from += 3;
	return number_in(out, w, from, to, names ? MOST_NAMES : 0);
}
