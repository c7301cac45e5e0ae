/* What a method's text says of its object: which members it names. */
#include "core/task/object.h"
#include "core/task/walk.h"

#define MAX_LOOKS ((size_t)4 << 20) /* for the functions that it calls */

struct method_text {
	const struct walk *w;
	bool *runs; /* which definitions it comes to */
};

/* Is a function that is named `name` called in [from, to), by that alone or by
 * `this->`? */
static bool is_called(const struct walk *w, size_t from, size_t to,
		      struct token name)
{
	for (size_t i = from + 1; i < to; i++) {
		if (!walk_same(w->token[i], name) || !walk_is(w, i + 1, "(") ||
		    walk_is(w, i - 1, ".") || walk_is(w, i - 1, ":"))
			continue;
		if (!walk_is(w, i - 1, ">") || i < 3 ||
		    !walk_is(w, i - 2, "->") || walk_is(w, i - 3, "this"))
			return true;
	}
	return false;
}

/* Those that it calls, too. */
static void mark_called(struct method_text *t, const struct function_body *d)
{
	const struct walk *w = t->w;
	size_t looks = 0;
	bool more = true;

	t->runs[d - w->definition] = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < w->n_definitions; i++) {
			size_t name = w->definition[i].name;

			for (size_t k = 0; !t->runs[i] && k < w->n_definitions;
			     k++) {
				size_t from = w->definition[k].body;
				size_t to = w->partner[from];

				if (!t->runs[k] || looks > MAX_LOOKS)
					continue;
				looks += to - from;
				t->runs[i] =
					is_called(w, from, to, w->token[name]);
				more |= t->runs[i];
			}
		}
	}
}

static size_t find_in_text(const struct method_text *t, size_t *definition,
			   size_t from, const char *name)
{
	const struct walk *w = t->w;

	for (; *definition < w->n_definitions; ++*definition, from = 0) {
		size_t body = w->definition[*definition].body;

		if (!t->runs[*definition])
			continue;
		for (size_t i = MAX(from, body); i < w->partner[body]; i++)
			if (token_is(w->token[i], name))
				return i;
	}
	return SIZE_MAX;
}

static bool text_mentions(const void *text, const char *name)
{
	size_t definition = 0;

	return find_in_text(text, &definition, 0, name) != SIZE_MAX;
}

/* Does the use of a vector at `at` leave it as it is? A subscript does, a loop through
 * it, and these. */
static bool is_read_only(const struct walk *w, size_t at)
{
	static const char *const words[] = {"size", "data", "empty"};

	if (walk_is(w, at + 1, "[") ||
	    (walk_is(w, at + 1, ")") &&
	     walk_range_for(w, w->partner[at + 1]) == at - 1))
		return true;
	for (size_t i = 0; walk_is(w, at + 1, ".") && i < ARRAY_SIZE(words);
	     i++)
		if (walk_is(w, at + 2, words[i]))
			return true;
	return false;
}

static bool text_resizes(const void *text, const char *name)
{
	const struct method_text *t = text;
	size_t definition = 0, at = 0;

	while ((at = find_in_text(t, &definition, at, name)) != SIZE_MAX)
		if (!is_read_only(t->w, at++))
			return true;
	return false;
}

/* A struct of the task has the members where it can, and the reference that is made
 * does with it. */
static bool needs_object(const struct prototype *p)
{
	for (size_t i = 0; i < prototype_all(p); i++)
		if (p->parameter[i].is_pointer && p->parameter[i].known &&
		    dtype_is_float(p->parameter[i].dtype))
			return true;
	return !p->parameter[0].has_members;
}

void walk_choose_members(struct prototype *p, const struct walk *w,
			 const struct function_body *d)
{
	struct method_text t = {.w = w};
	struct object_text text = {text_mentions, text_resizes, &t};

	if (!p->object || !needs_object(p))
		return;
	t.runs = xcalloc(w->n_definitions + 1, sizeof *t.runs);
	mark_called(&t, d);
	object_choose(p, &text);
	free(t.runs);
}
