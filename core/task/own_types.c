#include "core/task/own_types.h"

#include "core/task/token.h"

static void add(struct strvec *out, struct token name)
{
	cleanup_free char *text = NULL;

	if (!name.len || !token_is_word(name))
		return;
	text = xstrndup(name.at, name.len);
	if (!strvec_has(out, text))
		strvec_push(out, text);
}

/* After the "{" of an enum. */
static const char *add_enumerators(struct strvec *out, const char *s)
{
	const char *end = token_skip_nested(s, "{", "}");
	bool begins = true;

	while (s < end) {
		struct token t = token_next(&s);

		if (begins)
			add(out, t);
		begins = token_is(t, ",");
		if (token_is(t, "("))
			s = token_skip_nested(s, "(", ")");
	}
	return end;
}

/* After `struct`, `union` or `enum`: "name { ... }", "{ ... }" or "name". */
static const char *add_tagged(struct strvec *out, const char *s, bool is_enum)
{
	const char *next = s;
	struct token t = token_next(&next), tag = {0};

	if (token_is_word(t)) {
		tag = t;
		t = token_next(&next);
	}
	if (!token_is(t, "{"))
		return s;
	add(out, tag);
	return is_enum ? add_enumerators(out, next)
		       : token_skip_nested(next, "{", "}");
}

static bool is_tag(struct token t)
{
	return token_is(t, "struct") || token_is(t, "union") ||
	       token_is(t, "enum");
}

/* After `typedef`: "float a, *b;", "int (*f)(int)", "float v[4]". */
static const char *add_typedef(struct strvec *out, const char *s)
{
	struct token before = {0}, t;
	bool named = false;

	while ((t = token_next(&s)).len && !token_is(t, ";")) {
		if (is_tag(t)) {
			s = add_tagged(out, s, token_is(t, "enum"));
		} else if (token_is(t, "{")) {
			s = token_skip_nested(s, "{", "}");
		} else if (token_is(t, "[") || token_is(t, ",") ||
			   token_is(t, ")")) {
			if (!named)
				add(out, before);
			named = !token_is(t, ",");
		} else if (token_is(t, "(") && named) {
			s = token_skip_nested(s, "(", ")");
		} else if (token_is(t, "__attribute__")) {
			token_next(&s);
			s = token_skip_nested(s, "(", ")");
			continue;
		}
		before = t;
	}
	if (!named)
		add(out, before);
	return s;
}

void own_types(struct strvec *out, const char *source)
{
	struct token t;

	while ((t = token_next(&source)).len) {
		if (token_is(t, "typedef"))
			source = add_typedef(out, source);
		else if (is_tag(t))
			source = add_tagged(out, source, token_is(t, "enum"));
		else if (token_is(t, "{"))
			source = token_skip_nested(source, "{", "}");
	}
}
