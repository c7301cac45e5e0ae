/* The few values that a parameter is meant to have: those that the source compares it
 * with, as `case 3:` and `if (bpp == 3)`. */
#include "core/task/walk_reading.h"

#define MOST_DEPTH 4
#define MOST_SPAN  64 /* of values between which sizes are drawn */
#define MOST_LEAPS 16 /* of `case 1 ... 4:` */

/* What is found of one of them. */
struct values_found {
	struct reading s;
	const struct parameter *a;
	int64_t value[PARAMETER_MAX_VALUES];
	size_t n;
	bool many;     /* more, or one that no size can be */
	bool switched; /* by `switch` */
	bool rest;     /* what is none of them is done something for, too */
	bool counts;   /* a loop goes up to it */
};

/* What stands for the parameter in a function: a name, or that of a member behind the
 * name of its structure. */
struct stand_in {
	struct token name, member;
};

static void add(struct values_found *v, int64_t value)
{
	size_t at = 0;

	if (value < 0 || value > INT32_MAX) {
		v->many = true;
		return;
	}
	while (at < v->n && v->value[at] < value)
		at++;
	if (at < v->n && v->value[at] == value)
		return;
	if (v->n == ARRAY_SIZE(v->value)) {
		v->many = true;
		return;
	}
	memmove(v->value + at + 1, v->value + at,
		(v->n++ - at) * sizeof *v->value);
	v->value[at] = value;
}

/* Is the parameter at `at`; *end is behind it. */
static bool stands(const struct walk *w, const struct stand_in *n, size_t at,
		   size_t *end)
{
	size_t dot = at + 1;
	bool is_part = at && (walk_is(w, at - 1, ".") ||
			      (at > 1 && walk_is(w, at - 2, "->")));

	if (is_part || !walk_same(w->token[at], n->name))
		return false;
	*end = at + 1;
	if (!n->member.len)
		return true;
	dot += walk_is(w, dot, "->") ? 2 : walk_is(w, dot, ".") ? 1 : 0;
	*end = dot + 1;
	return dot > at + 1 && dot < w->n_tokens &&
	       walk_same(w->token[dot], n->member) &&
	       !walk_is(w, dot + 1, ".") && !walk_is(w, dot + 1, "->") &&
	       !walk_is(w, dot + 1, "[");
}

/* Does what begins at `at` give up? */
static bool gives_up(const struct walk *w, size_t at)
{
	static const char *const words[] = {"return",
					    "break",
					    "continue",
					    "goto",
					    "throw",
					    "abort",
					    "exit",
					    "assert",
					    "unreachable",
					    "__builtin_unreachable",
					    "__builtin_trap",
					    "std",
					    ";",
					    "}"};

	at += walk_is(w, at, "{");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (at >= w->n_tokens || token_is(w->token[at], words[i]))
			return true;
	return false;
}

/* `case A:` and `default:` of the block at `open`, but of no block within it that
 * has its own. */
static void read_cases(struct values_found *v, size_t open)
{
	struct walk *w = v->s.w;

	v->switched = true;
	for (size_t i = open + 1; i < w->partner[open]; i++) {
		int64_t value, to;
		size_t end;

		if (token_is(w->token[i], "switch") && walk_is(w, i + 1, "(") &&
		    w->partner[i + 1] && walk_is(w, w->partner[i + 1] + 1, "{"))
			i = w->partner[w->partner[i + 1] + 1];
		else if (token_is(w->token[i], "default"))
			v->rest |= !gives_up(w, i + 2);
		if (!token_is(w->token[i], "case"))
			continue;
		end = walk_sum_end(w, i + 1);
		if (token_is_number(w->token[i + 1]) &&
		    walk_is(w, i + 2, ".")) {
			value = strtoll(w->token[i + 1].at, NULL, 0);
		} else if (!walk_constant(&v->s, i + 1, &value)) {
			v->many = true;
			continue;
		}
		add(v, value);
		if (!walk_is(w, end, "...") ||
		    !walk_constant(&v->s, end + 3, &to))
			continue;
		v->many |= to - value > MOST_LEAPS;
		while (value < to && !v->many)
			add(v, ++value);
	}
}

/* The bracket that opened last before `at`, within a body that begins at `from`. */
static size_t bracket_around(const struct walk *w, size_t from, size_t at)
{
	while (at-- > from) {
		if (w->partner[at] && w->partner[at] < at)
			at = w->partner[at];
		else if (walk_is(w, at, "("))
			return at;
		else if (walk_is(w, at, "{"))
			return from;
	}
	return from;
}

/* Behind the condition [.., close): what is done else. */
static void read_else(struct values_found *v, size_t close)
{
	struct walk *w = v->s.w;
	size_t at = walk_end_of_statement(w, close + 1);

	if (walk_is(w, close + 1, "{"))
		at = w->partner[close + 1] + 1;
	if (at < w->n_tokens && token_is(w->token[at], "else") &&
	    !token_is(w->token[at + 1], "if"))
		v->rest |= !gives_up(w, at + 1);
}

/* `bpp == 3`, `3 != bpp` */
static void read_comparison(struct values_found *v, size_t body, size_t at,
			    size_t end)
{
	struct walk *w = v->s.w;
	bool after = walk_is(w, end, "==") || walk_is(w, end, "!=");
	bool before = at > 2 &&
		      (walk_is(w, at - 2, "==") || walk_is(w, at - 2, "!="));
	size_t open = bracket_around(w, body, at);
	int64_t value;

	if (after    ? !walk_constant(&v->s, end + 2, &value)
	    : before ? !walk_constant_before(&v->s, at - 2, &value)
		     : true) {
		v->many |= after || before;
		return;
	}
	add(v, value);
	if (open > body && token_is(w->token[open - 1], "if") &&
	    w->partner[open])
		read_else(v, w->partner[open]);
	for (size_t i = end + 2; i < MIN(end + 6, w->n_tokens); i++)
		v->rest |= walk_is(w, i, "?");
}

/* `for (i = 0; i < n; i++)`, `while (n)`, `n -= 4`: that is a size. */
static void read_count(struct values_found *v, size_t body, size_t at,
		       size_t end)
{
	const struct walk *w = v->s.w;
	size_t open = bracket_around(w, body, at);

	v->counts |= open > body && (token_is(w->token[open - 1], "for") ||
				     token_is(w->token[open - 1], "while"));
	v->many |= walk_is_assigned(w, end - 1);
}

static void read_function(struct values_found *v, const struct function_body *d,
			  size_t from, const struct stand_in *n, size_t depth);

/* `f(x, bpp)`, or `f(img)` of a structure: goes on in it. */
static void read_call(struct values_found *v, size_t body, size_t at,
		      size_t end, const struct stand_in *n, size_t depth)
{
	struct walk *w = v->s.w;
	size_t open = bracket_around(w, body, at), commas = 0;
	bool alone = (walk_is(w, at - 1, "(") || walk_is(w, at - 1, ",")) &&
		     (walk_is(w, end, ")") || walk_is(w, end, ","));

	if (!alone || open == body || !token_is_word(w->token[open - 1]))
		return;
	for (size_t i = open + 1; i < at; i++) {
		if (w->partner[i] > i)
			i = w->partner[i];
		commas += walk_is(w, i, ",");
	}
	for (size_t i = 0; i < w->n_definitions; i++) {
		const struct function_body *d = &w->definition[i];
		size_t first, to = d->parameters, name, k = 0;
		struct stand_in inner = {.member = n->member};

		if (!walk_same(w->token[d->name], w->token[open - 1]))
			continue;
		/* The member itself, and not its structure. */
		if (end > at + 1)
			inner.member = (struct token){0};
		while (walk_next_parameter(w, &first, &to,
					   w->partner[d->parameters]) &&
		       k < commas)
			k++;
		if (k == commas && first < to &&
		    walk_parameter_name(w, first, to, &name)) {
			inner.name = w->token[name];
			read_function(v, d, d->body, &inner, depth + 1);
		}
	}
}

static void read_function(struct values_found *v, const struct function_body *d,
			  size_t from, const struct stand_in *n, size_t depth)
{
	struct walk *w = v->s.w;

	if (depth > MOST_DEPTH || !walk_may_look(&v->s))
		return;
	for (size_t i = from; i < w->partner[d->body]; i++) {
		struct stand_in whole = {.name = n->name}, alias = {0};
		size_t end, close;

		if (n->member.len && stands(w, &whole, i, &end))
			read_call(v, d->body, i, end, n, depth);
		if (!stands(w, n, i, &end))
			continue;
		close = end;
		if (walk_is(w, i - 1, "(") && walk_is(w, close, ")") &&
		    token_is(w->token[i - 2], "switch")) {
			if (walk_is(w, close + 1, "{"))
				read_cases(v, close + 1);
			continue;
		}
		read_comparison(v, d->body, i, end);
		read_count(v, d->body, i, end);
		read_call(v, d->body, i, end, n, depth);
		if (i > 2 && walk_is(w, i - 1, "=") &&
		    !walk_is(w, i - 2, "=") && token_is_word(w->token[i - 2]) &&
		    walk_is(w, end, ";")) {
			alias.name = w->token[i - 2];
			read_function(v, d, end, &alias, depth + 1);
		}
	}
}

static struct token token_of(const char *name)
{
	return name ? (struct token){name, strlen(name)} : (struct token){0};
}

/* Flags are 0 or 1; of others at least two are compared with. Where something is done
 * for the rest, too, and it bounds a loop, it is a size that has cases of its own. */
static void take(struct parameter *a, const struct values_found *v)
{
	int64_t least, most;

	if (a->type && (str_eq(a->type, "bool") || str_eq(a->type, "_Bool"))) {
		a->value[0] = 0;
		a->value[1] = 1;
		a->n_values = 2;
		return;
	}
	if (v->many || v->n < 2 || (v->counts && (v->rest || !v->switched)))
		return;
	/* `if (n == 0) return; if (n == 1) ...`, of a size. */
	if (!v->switched && v->value[v->n - 1] < 2)
		return;
	least = v->value[0];
	most = v->value[v->n - 1];
	if (most - least > MOST_SPAN)
		return;
	memcpy(a->value, v->value, sizeof a->value);
	a->n_values = v->n;
	a->any_value = v->rest;
}

void walk_find_values(struct prototype *p, struct walk *w,
		      const struct function_body *d)
{
	size_t looks = 0;

	for (size_t i = p->is_method; i < prototype_all(p); i++) {
		struct parameter *a = &p->parameter[i];
		struct values_found v = {.s = {.w = w, .p = p, .looks = &looks},
					 .a = a};
		struct stand_in n = {.name = token_of(a->name)};

		if (a->is_pointer || !a->known || dtype_is_float(a->dtype) ||
		    !*a->name || a->held != HELD_PLAIN || a->size ||
		    (a->owner && state_is_possible(p, a->owner - 1)))
			continue;
		if (a->member) {
			n.name = token_of(p->parameter[a->owner - 1].name);
			n.member = token_of(a->member);
		}
		read_function(&v, d, d->body, &n, 0);
		take(a, &v);
	}
}
