/* What a method's text says of its object: which members it names. */
#include <math.h>

#include "core/task/object.h"
#include "core/task/walk.h"

struct method_text {
	const struct walk *w;
	bool *runs; /* which definitions it comes to */
};

/* Behind the arguments of a template, "<4, float>", or where it was. */
static size_t behind_arguments(const struct walk *w, size_t at)
{
	size_t close = walk_is(w, at, "<")
			       ? token_other_angle(w->token, w->end, at)
			       : 0;

	return close ? close + 1 : at;
}

/* Is it called, by its name alone, by `this->`, or by that of a class or a namespace
 * that is not the library's? */
static bool is_call(const struct walk *w, size_t i)
{
	if (!token_is_word(w->token[i]) ||
	    !walk_is(w, behind_arguments(w, i + 1), "(") ||
	    walk_is(w, i - 1, ".") ||
	    (i > 2 && walk_is(w, i - 2, "::") &&
	     token_is(w->token[i - 3], "std")))
		return false;
	return i < 3 || !walk_is(w, i - 2, "->") ||
	       token_is(w->token[i - 3], "this");
}

/* Those of this name. False: there is none. */
static bool mark_name(struct method_text *t, struct token name, size_t *todo,
		      size_t *n)
{
	const struct walk *w = t->w;
	bool found = false;

	for (size_t i = 0; i < w->n_definitions; i++) {
		if (!walk_same(w->token[w->definition[i].name], name))
			continue;
		found = true;
		if (t->runs[i])
			continue;
		t->runs[i] = true;
		todo[(*n)++] = i;
	}
	return found;
}

static bool is_method(const struct method_object *o, struct token name)
{
	for (size_t i = 0; i < o->methods.n; i++)
		if (token_is(name, o->methods.v[i]))
			return true;
	return false;
}

bool walk_mark_called(struct walk *w, const struct function_body *d, bool *runs,
		      struct method_object *o)
{
	struct method_text t = {.w = w, .runs = runs};
	cleanup_free size_t *todo = xcalloc(w->n_definitions + 1, sizeof *todo);
	size_t n = 0, looks = 0;

	todo[n++] = (size_t)(d - w->definition);
	runs[todo[0]] = true;
	while (n) {
		size_t at = w->definition[todo[--n]].body, to = w->partner[at];

		while (++at < to) {
			if (!is_call(w, at))
				continue;
			looks += w->n_definitions;
			if (looks > WALK_LOOKS)
				return false;
			if (mark_name(&t, w->token[at], todo, &n) || !o ||
			    !is_method(o, w->token[at]))
				continue;
			o->fault = xasprintf("`%.*s()`, which is not in the "
					     "file",
					     (int)w->token[at].len,
					     w->token[at].at);
			return false;
		}
	}
	return true;
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

/* Of a use of a name at `at` in the body of a function. */
typedef bool use_test(const struct walk *w, size_t body, size_t at);

static bool has_use(const struct method_text *t, const char *name,
		    use_test *is_it)
{
	size_t definition = 0, at = 0;

	for (; (at = find_in_text(t, &definition, at, name)) != SIZE_MAX; at++)
		if (is_it(t->w, t->w->definition[definition].body, at))
			return true;
	return false;
}

static bool is_use(const struct walk *w UNUSED, size_t body UNUSED,
		   size_t at UNUSED)
{
	return true;
}

static bool text_mentions(const void *text, const char *name)
{
	return has_use(text, name, is_use);
}

/* What is done with the whole of it at `at` runs none of its methods:
 * `memset(&x`, `sizeof x`, `x = `. */
static bool is_memory(const struct walk *w, size_t at)
{
	if (walk_is(w, at + 1, "=") && !walk_is(w, at + 1, "=="))
		return true;
	if (walk_is(w, at - 1, "&"))
		return walk_is(w, at - 2, "(") &&
		       token_is(w->token[at - 3], "memset");
	at -= walk_is(w, at - 1, "(");
	return token_is(w->token[at - 1], "sizeof");
}

/* Is a method of it called, or something done with the whole that may? */
static bool is_whole_or_call(const struct walk *w, size_t body UNUSED,
			     size_t at)
{
	bool part = walk_is(w, at + 1, ".") && token_is_word(w->token[at + 2]);

	return part ? walk_is(w, behind_arguments(w, at + 3), "(")
		    : !is_memory(w, at);
}

static bool text_calls(const void *text, const char *name)
{
	return has_use(text, name, is_whole_or_call);
}

static bool has_word(const struct walk *w, size_t at, const char *const *words,
		     size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (token_is(w->token[at], words[i]))
			return true;
	return false;
}

/* Is the vector at `at` as long after it? A subscript leaves it so, a loop through
 * it, and these. */
static bool is_array_use(const struct walk *w, size_t at)
{
	static const char *const words[] = {"size",   "data", "empty", "begin",
					    "cbegin", "end",  "cend",  "front",
					    "back",   "at"};
	static const char *const of[] = {"size", "ssize",  "data", "begin",
					 "end",	 "cbegin", "cend", "empty"};

	if (walk_is(w, at + 1, "[") ||
	    (walk_is(w, at + 1, ")") &&
	     walk_range_for(w, w->partner[at + 1]) == at - 1))
		return true;
	/* std::size(x) */
	if (walk_is(w, at - 1, "(") && walk_is(w, at + 1, ")") &&
	    has_word(w, at - 2, of, ARRAY_SIZE(of)))
		return true;
	return walk_is(w, at + 1, ".") &&
	       has_word(w, at + 2, words, ARRAY_SIZE(words));
}

static bool is_resized(const struct walk *w, size_t body UNUSED, size_t at)
{
	static const char *const words[] = {
		"resize", "assign", "push_back",    "emplace_back", "pop_back",
		"clear",  "insert", "erase",	    "emplace",	    "reserve",
		"swap",	  "append", "shrink_to_fit"};

	return walk_is(w, at + 1, ".") &&
	       has_word(w, at + 2, words, ARRAY_SIZE(words));
}

static bool is_used_whole(const struct walk *w, size_t body UNUSED, size_t at)
{
	return !is_array_use(w, at);
}

static const char *text_used_whole(const void *text, const char *name)
{
	return has_use(text, name, is_resized) ? " that it resizes"
	       : has_use(text, name, is_used_whole)
		       ? " that it copies or hands on as a whole"
		       : NULL;
}

/* Behind "[i][j]". */
static size_t behind_subscripts(const struct walk *w, size_t at)
{
	while (walk_is(w, at, "[") && w->partner[at])
		at = w->partner[at] + 1;
	return at;
}

bool walk_is_assigned(const struct walk *w, size_t at)
{
	static const char *const ops[] = {"++", "--", "+=", "-=", "*=",	 "/=",
					  "%=", "&=", "|=", "^=", "<<=", ">>="};
	size_t next = behind_subscripts(w, at + 1);
	bool declared = token_is_word(w->token[at - 1]) &&
			!token_is(w->token[at - 1], "else") &&
			!token_is(w->token[at - 1], "do");

	if (at > 1 && (walk_is(w, at - 2, "++") || walk_is(w, at - 2, "--")))
		return true;
	if (walk_is(w, next, "=") && !walk_is(w, next, "=="))
		return !declared;
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (walk_is(w, next, ops[i]))
			return true;
	return false;
}

/* Within a lambda, which the walk does not come to? */
static bool is_in_lambda(const struct walk *w, size_t body, size_t at)
{
	while (--at > body) {
		size_t k = at;

		if (w->partner[at] && w->partner[at] < at) {
			at = w->partner[at];
			continue;
		}
		if (!walk_is(w, at, "{"))
			continue;
		/* mutable, noexcept, -> float */
		while (k > body &&
		       (token_is_word(w->token[k - 1]) ||
			walk_is(w, k - 1, ">") || walk_is(w, k - 1, "-")))
			k--;
		if (walk_is(w, k - 1, ")") && w->partner[k - 1])
			k = w->partner[k - 1];
		if (walk_is(w, k - 1, "]"))
			return true;
	}
	return false;
}

static bool may_assign(const struct walk *w, size_t body, size_t at)
{
	return walk_is_assigned(w, at) || is_in_lambda(w, body, at);
}

/* The member's own name: "low" of "edge_low", "z" of "z_1". */
static char *own_name(const struct prototype *p, const struct parameter *a)
{
	for (size_t i = 0; i < p->object->n; i++) {
		const struct object_member *m = &p->object->member[i];
		const char *own = m->name + m->last;

		if (str_eq(m->name, a->member) && m->at + 1 == a->place)
			return xstrndup(own, m->array ? m->array : strlen(own));
	}
	return xstrdup(a->member);
}

static void note_assigned(struct walk *w, const struct prototype *p,
			  const struct method_text *t)
{
	for (size_t i = p->n; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		if (a->owner == 1 && a->place && !a->is_pointer &&
		    a->held != HELD_COUNT) {
			cleanup_free char *name = own_name(p, a);

			w->assigned[i] = has_use(t, name, may_assign);
		}
	}
}

/* The number that the declaration at `at` begins it with, "= 0.9f;", "{4}" or
 * "= false;"; NULL: none. */
static char *initial_at(const struct walk *w, size_t at, bool is_float)
{
	const char *text, *ends = walk_is(w, at + 1, "=")   ? ";,"
				  : walk_is(w, at + 1, "{") ? "}"
							    : NULL;
	char *end;
	double x;

	if (!ends || at + 2 >= w->end || !token_is_word(w->token[at - 1]))
		return NULL;
	for (int flag = 0; flag < 2; flag++)
		if (token_is(w->token[at + 2], flag ? "true" : "false") &&
		    at + 3 < w->end && strchr(ends, *w->token[at + 3].at))
			return is_float ? NULL : xasprintf("%d", flag);
	text = w->token[at + 2].at;
	x = strtod(text, &end);
	if (end == text || !isfinite(x) || fabs(x) > 1e8)
		return NULL;
	end += strspn(end, "fFlLuU");
	end += strspn(end, " \t\n");
	if (!*end || !strchr(ends, *end) || (!is_float && x != trunc(x)))
		return NULL;
	return is_float ? xasprintf("%.9g%s", x, x == trunc(x) ? ".0" : "")
			: xasprintf("%lld", (long long)x);
}

static void note_initial(const struct walk *w, struct prototype *p)
{
	size_t looks = 0;

	for (size_t i = p->n; i < prototype_all(p); i++) {
		struct parameter *a = &p->parameter[i];

		for (size_t k = 1;
		     a->owner == 1 && a->member && a->known && !a->is_pointer &&
		     !a->initial && k + 2 < w->end;
		     k++)
			if (token_is(w->token[k], a->member) &&
			    walk_same(walk_class_at(w, k, &looks), w->of_class))
				a->initial = initial_at(
					w, k, dtype_is_float(a->dtype));
	}
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

void walk_choose_members(struct prototype *p, struct walk *w,
			 const struct function_body *d)
{
	struct method_text t = {.w = w};
	struct object_text text = {text_mentions, text_calls, text_used_whole,
				   &t};

	if (p->is_method && p->parameter[0].has_members)
		note_initial(w, p);
	if (!p->object || !needs_object(p))
		return;
	t.runs = xcalloc(w->n_definitions + 1, sizeof *t.runs);
	if (walk_mark_called(w, d, t.runs, p->object) &&
	    object_choose(p, &text))
		note_assigned(w, p, &t);
	note_initial(w, p);
	free(t.runs);
}

/* What the walk did not come to, or not understand, may change them, too. */
void walk_note_unseen(struct walk *w, const struct prototype *p)
{
	for (size_t i = p->n; w->self && i < prototype_all(p); i++) {
		bool unseen = w->steps >= WALK_STEPS || w->assigned[i];

		if (p->parameter[i].owner != w->self || w->changed[i] ||
		    !unseen)
			continue;
		w->changed[i] = w->kept[i] = true;
	}
}
