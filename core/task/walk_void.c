/* A `void *` that the function takes for one to bytes. */
#include "core/task/walk.h"

/* Of a declaration or a cast. What one that is longer makes of it is not known. */
#define MOST_TOKENS 256

/* Where the statement, or the part of a `for`, begins that `at` is in. */
static size_t statement_begin(const struct walk *w, size_t at, size_t from)
{
	while (at > from && !strchr(";{}", *w->token[at - 1].at) &&
	       !(token_is(w->token[at - 1], "(") && at > from + 1 &&
		 token_is(w->token[at - 2], "for")))
		at--;
	return at;
}

/* Of the words from `at` on up to a star, the type that they name: DTYPE_U8 or
 * DTYPE_I8. *other: it is of another one. */
static bool names_bytes(const struct walk *w, size_t at, size_t to,
			enum dtype *type, bool *other)
{
	static const char *const bytes[] = {"uint8_t", "u8", "byte", "uchar"};
	bool is_char = false, is_plain = true, is_u8 = false;
	size_t words = 0;

	for (; at < to && !token_is(w->token[at], "*"); at++) {
		struct token t = w->token[at];

		if (!token_is_word(t) && !token_is(t, ":"))
			return false;
		if (token_is(t, "const") || token_is(t, "volatile") ||
		    token_is(t, "register") || token_is(t, "static"))
			continue;
		words++;
		is_char |= token_is(t, "char");
		is_plain &= !token_is(t, "unsigned");
		for (size_t i = 0; i < ARRAY_SIZE(bytes); i++)
			is_u8 |= token_is(t, bytes[i]);
		if (token_is(t, "int8_t"))
			is_char = true;
		/* It is handed on as it is. */
		if (token_is(t, "void") || token_is(t, "return"))
			return false;
	}
	if (at >= to || !words)
		return false;
	*other |= !is_char && !is_u8;
	*type = is_u8 || !is_plain ? DTYPE_U8 : DTYPE_I8;
	return is_char || is_u8;
}

/* What the name at `at` is converted to there: `const T *p = name`, `(T *)name`,
 * `static_cast<T *>(name)`. */
static bool becomes_bytes(const struct walk *w, size_t at, size_t from,
			  enum dtype *type, bool *other)
{
	size_t begin = at - 1;

	from = MAX(from, at - MIN(at, MOST_TOKENS));
	if (walk_is(w, begin, "(") && begin > from &&
	    walk_is(w, begin - 1, ">")) {
		for (begin--; begin > from && !walk_is(w, begin, "<");)
			begin--;
		return names_bytes(w, begin + 1, at, type, other);
	}
	if (walk_is(w, begin, ")") && w->partner[begin] >= from &&
	    w->partner[begin])
		return names_bytes(w, w->partner[begin] + 1, begin, type,
				   other);
	if (!walk_is(w, begin, "=") || !token_is_word(w->token[at - 2]))
		return false;
	begin = statement_begin(w, at, from);
	*other |= begin + MOST_TOKENS == at;
	return names_bytes(w, begin, at - 2, type, other);
}

void walk_take_bytes(struct prototype *p, const struct walk *w,
		     const struct function_body *d)
{
	size_t from = d->body + 2, to = w->partner[d->body];

	for (size_t i = 0; i < p->n; i++) {
		struct parameter *a = &p->parameter[i];
		bool found = false, other = false;
		enum dtype type = DTYPE_U8;

		if (!a->is_pointer || a->known || a->is_nested ||
		    !str_eq(a->type, "void") || !*a->name)
			continue;
		for (size_t at = from; at < to; at++)
			if (token_is(w->token[at], a->name) &&
			    becomes_bytes(w, at, d->body, &type, &other))
				found = true;
		if (!found || other)
			continue;
		a->known = true;
		a->dtype = type;
		free(a->type);
		a->type = xstrdup(type == DTYPE_U8 ? "unsigned char" : "char");
	}
}
