/* What a function's text says of the state of a function in C: which members it uses
 * and changes, and what values these have. */
#include "core/task/walk.h"

#define MAX_ALIASES 8
#define MAX_LOOKS   ((size_t)64 << 20) /* at tokens, for what names stand for */

/* What is gathered of one member. */
struct member_range {
	int64_t low, high;
	int64_t last;  /* of what it indexes; 0: not known */
	bool bounded;  /* by a comparison, a mask or a case */
	bool assigned; /* constants, which are in low and high */
	bool counted;  /* up, step by step */
	bool computed; /* it gets what no constant is */
	bool is_bits;  /* all of its bits count, as those of a sum of bits */
	bool divides;
	bool is_small;	   /* another size or an index bounds it */
	bool others;	   /* none of the cases */
	bool decides;	   /* a comparison says what is done */
	const char *below; /* it is compared with this number of the kernel's */
};

struct reading {
	struct walk *w;
	struct prototype *p;
	const bool *runs;
	const struct parameter *a;
	struct token own; /* "w" of "size.w" */
	struct member_range r;
	/* Names of the function's own that have its value. */
	struct token alias[MAX_ALIASES];
	size_t n_aliases;
	size_t *looks;
};

/* Before all tokens are looked at: false where that was done too often. */
static bool may_look(const struct reading *s)
{
	*s->looks += s->w->n_tokens;
	return *s->looks < MAX_LOOKS;
}

/* ---- constants -------------------------------------------------------------------- */

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

/* Where a sum or a product that begins at `at` ends. */
static size_t sum_end(const struct walk *w, size_t at)
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
	size_t after = sum_end(w, at);
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

	if (!may_look(s))
		return false;
	for (size_t i = 0; i < w->n_tokens; i++) {
		int64_t next = 0;
		size_t k = i + 1;

		if (!token_is(w->token[i], "enum"))
			continue;
		k += k < w->n_tokens && token_is_word(w->token[k]);
		if (k >= w->n_tokens || !token_is(w->token[k], "{"))
			continue;
		for (size_t end = w->partner[k++]; k < end; next++) {
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
					   dtype_bytes(a->dtype));
			return a->n_held == 1;
		}
		if (walk_is(w, i, ";") || walk_is(w, i, "{"))
			break;
	}
	return false;
}

/* A constant that begins at `at`: 64, -1, 'a', NAME, 1 << 6, sizeof. */
static bool constant(const struct reading *s, size_t at, int64_t *value)
{
	struct walk *w = s->w;
	size_t end = sum_end(w, at);
	struct token t;
	int64_t sign = 1;
	struct poly p;

	if (at < w->end && !walk_is(w, at, "sizeof") &&
	    end > operand_end(w, at)) {
		p = walk_range(w, at, end).p;
		return !walk_is(w, end, ".") && poly_is_constant(&p, value);
	}
	if (walk_is(w, at, "-")) {
		sign = -1;
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
		*value *= sign;
		return true;
	}
	if (!poly_is_constant(&p, value))
		return false;
	*value *= sign;
	return true;
}

static void include(struct member_range *r, int64_t value)
{
	r->low = MIN(r->low, value);
	r->high = MAX(r->high, value);
}

static void bound(struct member_range *r, int64_t value)
{
	r->bounded = true;
	include(r, value);
}

/* ---- one use ---------------------------------------------------------------------- */

/* Where `a->b.c`, of which `at` is the last name, begins. */
static size_t begin_of(const struct walk *w, size_t at)
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

/* The elements of the array that is named at `at`; 0: not known. */
static int64_t array_length(const struct reading *s, size_t at)
{
	const struct walk *w = s->w;
	int64_t n;

	for (size_t k = s->p->n; k < prototype_all(s->p); k++) {
		const struct parameter *a = &s->p->parameter[k];
		const char *dot = a->path ? strrchr(a->path, '.') : NULL;

		if (a->held == HELD_ARRAY &&
		    token_is(w->token[at], dot ? dot + 1 : a->path))
			return (int64_t)a->held_dim[0];
	}
	if (!may_look(s))
		return 0;
	for (size_t i = 1; i + 2 < w->n_tokens; i++)
		if (walk_same(w->token[i], w->token[at]) &&
		    token_is_word(w->token[i - 1]) &&
		    !token_is(w->token[i - 1], "return") &&
		    token_is(w->token[i + 1], "[") && constant(s, i + 2, &n) &&
		    n > 0)
			return n;
	return 0;
}

/* The number of the kernel's that is named at `at`: a parameter, or a member. */
static const char *number_at(const struct reading *s, size_t at)
{
	const struct walk *w = s->w;

	while (walk_is(w, at + 1, "->") || walk_is(w, at + 1, "."))
		at += walk_is(w, at + 1, "->") ? 3 : 2;
	for (size_t k = 0; at < w->end && k < prototype_all(s->p); k++) {
		const struct parameter *a = &s->p->parameter[k];
		const char *name = a->path ? a->path : a->name;

		if (!a->is_pointer && a->known && a != s->a && a->is_size &&
		    token_is(w->token[at], name))
			return a->name;
	}
	return NULL;
}

static void read_comparison(struct reading *s, size_t op, bool counted)
{
	const struct walk *w = s->w;
	struct member_range *r = &s->r;
	bool equal = walk_is(w, op, "==") || walk_is(w, op, "!="),
	     less = walk_is(w, op, "<"), with = walk_is(w, op + 1, "=");
	size_t at = op + 1 + with;
	const char *other;
	int64_t c;

	r->decides = true;
	if (!constant(s, at, &c)) {
		other = number_at(s, at);
		r->below = other ? other : r->below;
		r->is_small |= !other;
	} else if (equal) {
		/* What a counter comes to is where it begins again. */
		bound(r, counted || r->counted ? c - (c > 0) : c);
	} else {
		/* x < c, x >= c; x <= c, x > c */
		bound(r, less == with ? c : c - (c > 0));
	}
}

static void read_cases(struct reading *s, size_t open)
{
	const struct walk *w = s->w;
	int64_t c;

	s->r.decides = true;
	for (size_t i = open; i < w->partner[open]; i++)
		if (token_is(w->token[i], "case") && constant(s, i + 1, &c))
			bound(&s->r, c);
	/* One that no case is. */
	for (size_t i = open; i < w->partner[open]; i++)
		if (token_is(w->token[i], "default"))
			s->r.others = true;
}

static bool is_op(const struct walk *w, size_t at, const char *op)
{
	return walk_is(w, at, op);
}

/* Is it between these a word of bits? */
static bool is_of_bits(const struct walk *w, size_t before, size_t next)
{
	return walk_is(w, next, "<<") || walk_is(w, next, ">>") ||
	       walk_is(w, next, "^") || walk_is(w, before, "^") ||
	       walk_is(w, before, "~") ||
	       (walk_is(w, next, "|") && !walk_is(w, next, "||")) ||
	       (walk_is(w, before, "|") && !walk_is(w, before - 1, "||")) ||
	       walk_is(w, before - 1, "^=") || walk_is(w, before - 1, "|=");
}

/* Of the name at `at`, of which what it is a member of begins at `from`. */
static void read_use(struct reading *s, size_t from, size_t at)
{
	const struct walk *w = s->w;
	struct member_range *r = &s->r;
	bool counted = walk_is(w, from - 2, "++") || walk_is(w, from - 2, "--");
	size_t next = at + 1, before = counted ? from - 3 : from - 1;
	int64_t c;

	if (is_op(w, next, "++") || is_op(w, next, "--")) {
		counted = true;
		next += 2;
	}
	if (counted)
		r->counted = true;
	if (is_op(w, next, "+=") || is_op(w, next, "-=")) {
		r->counted = true;
		r->computed |= !constant(s, next + 2, &c);
	} else if (is_op(w, next, "&=") || is_op(w, next, "%=")) {
		if (constant(s, next + 2, &c))
			bound(r, c - is_op(w, next, "%="));
	} else if (is_op(w, next, "==") || is_op(w, next, "!=")) {
		read_comparison(s, next, counted);
	} else if ((is_op(w, next, "<") && !is_op(w, next, "<<")) ||
		   (is_op(w, next, ">") && !is_op(w, next, ">>"))) {
		read_comparison(s, next, counted);
	} else if (is_op(w, next, "=")) {
		if (constant(s, next + 1, &c) &&
		    (is_op(w, next + 2, ";") || is_op(w, next + 3, ";"))) {
			r->assigned = true;
			include(r, c);
		} else {
			r->computed = true;
		}
	} else if (walk_is_assigned(w, at)) {
		r->computed = true;
	} else if ((is_op(w, next, "&") && !is_op(w, next, "&&")) ||
		   is_op(w, next, "%")) {
		/* Of `x & 1` it is some bits that count. */
		r->is_small |= is_op(w, next, "%");
	}
	if (walk_is(w, before, "[") && w->partner[before]) {
		int64_t n = array_length(s, before - 1);

		if (walk_is(w, next, "]") && n)
			r->last = r->last ? MIN(r->last, n - 1) : n - 1;
		r->is_small = true;
	}
	if (walk_is(w, before - 1, "<<") || walk_is(w, before - 1, ">>"))
		r->is_small = true;
	r->divides |= walk_is(w, before, "/") || walk_is(w, before, "%");
	r->is_bits |= is_of_bits(w, before, next);
	if (walk_is(w, before, "(") && walk_is(w, next, ")") &&
	    token_is(w->token[before - 1], "switch") &&
	    walk_is(w, next + 1, "{"))
		read_cases(s, next + 1);
}

/* `unsigned held = st->held;`: a name of the function's own that has it. */
static void note_alias(struct reading *s, size_t from, size_t at)
{
	const struct walk *w = s->w;

	if ((!walk_is(w, at + 1, ";") && !walk_is(w, at + 1, ",")) ||
	    !walk_is(w, from - 1, "=") || !token_is_word(w->token[from - 2]) ||
	    walk_is(w, from - 3, ".") || walk_is(w, from - 3, ">") ||
	    s->n_aliases == MAX_ALIASES)
		return;
	s->alias[s->n_aliases++] = w->token[from - 2];
}

static bool is_member_here(const struct reading *s, size_t at)
{
	const struct walk *w = s->w;

	return walk_same(w->token[at], s->own) &&
	       (walk_is(w, at - 1, ".") || walk_is(w, at - 2, "->"));
}

static bool is_alias_here(const struct reading *s, size_t at)
{
	const struct walk *w = s->w;

	for (size_t i = 0; i < s->n_aliases; i++)
		if (walk_same(w->token[at], s->alias[i]))
			return !walk_is(w, at - 1, ".") &&
			       !walk_is(w, at - 2, "->");
	return false;
}

/* Twice: whether it counts is known after the first time. */
static void read_body(struct reading *s, size_t from, size_t to)
{
	struct member_range first;

	s->n_aliases = 0;
	for (size_t i = from; i < to; i++)
		if (is_member_here(s, i))
			note_alias(s, begin_of(s->w, i), i);
	first = s->r;
	for (int again = 0; again < 2; again++) {
		bool counted = s->r.counted;

		s->r = first;
		s->r.counted = counted;
		for (size_t i = from; i < to; i++) {
			if (is_member_here(s, i))
				read_use(s, begin_of(s->w, i), i);
			else if (is_alias_here(s, i))
				read_use(s, i, i);
		}
	}
}

/* ---- all of them ------------------------------------------------------------------ */

static bool is_signed_type(enum dtype t)
{
	return !starts_with(dtype_name(t), "u");
}

/* What a word of bits has, of which nothing says more. */
static void take_whole(struct parameter *a)
{
	size_t bits = 8 * dtype_bytes(a->dtype);

	if (is_signed_type(a->dtype)) {
		a->low = xstrdup("-1000");
		a->high = xstrdup("1000");
		return;
	}
	a->low = xstrdup("0");
	a->high = xasprintf("%llu", bits > 63 ? INT64_MAX : (1ULL << bits) - 1);
}

static void set_range(struct parameter *a, const struct member_range *r,
		      bool changed)
{
	int64_t high = r->high + (r->others && r->bounded);
	bool flag = str_eq(a->type, "bool") || str_eq(a->type, "_Bool");

	if (flag) {
		a->low = xstrdup("0");
		a->high = xstrdup("1");
	} else if (r->bounded || r->last ||
		   (r->assigned && !r->counted && !r->computed)) {
		a->low = xasprintf("%lld",
				   (long long)(is_signed_type(a->dtype)
						       ? r->low
						       : MAX(r->low, 0)));
		a->high = xasprintf(
			"%lld", (long long)(!r->last	 ? high
					    : r->bounded ? MIN(high, r->last)
							 : r->last));
	} else if (r->below) {
		a->low = xstrdup("0");
		a->high = xasprintf("%s - 1", r->below);
	} else if (r->is_small || r->divides || (r->counted && !r->computed) ||
		   (!changed && !r->is_bits)) {
		a->low = xstrdup(r->divides ? "1" : "0");
		a->high = xstrdup(r->is_small ? "4" : "1000");
	} else if (dtype_bytes(a->dtype) > 2) {
		take_whole(a);
	}
}

/* Of an array no element of which is known to be small. */
static void set_array_range(struct parameter *a)
{
	if (a->elements_seen && !a->elements_small && a->known &&
	    !dtype_is_float(a->dtype) && !is_signed_type(a->dtype) &&
	    dtype_bytes(a->dtype) > 2)
		take_whole(a);
	/* What is handed on may be changed in part. */
	if (!a->has_direction) {
		a->has_direction = true;
		a->direction = DIRECTION_INOUT;
	}
}

/* Is something done with the whole of the structure: `*st = x`? */
static bool is_written_whole(const struct walk *w,
			     const struct function_body *d, const bool *runs,
			     const char *name)
{
	for (size_t i = 0; i < w->n_definitions; i++) {
		size_t from = w->definition[i].body;

		for (size_t k = from; runs[i] && k < w->partner[from]; k++)
			if (token_is(w->token[k], name) &&
			    &w->definition[i] == d && walk_is(w, k - 1, "*") &&
			    walk_is(w, k + 1, "=") && !walk_is(w, k + 1, "=="))
				return true;
	}
	return false;
}

static void read_member(struct state_use *out, struct reading *s, size_t k)
{
	const struct walk *w = s->w;

	for (size_t i = 0; i < w->n_definitions; i++) {
		size_t from = w->definition[i].body, to = w->partner[from];

		for (size_t at = from; s->runs[i] && at < to; at++) {
			if (!is_member_here(s, at))
				continue;
			out->used[k] = true;
			if (walk_is_assigned(w, at) && !w->changed[k])
				out->changed[k] = out->kept[k] = true;
		}
		if (s->runs[i])
			read_body(s, from, to);
	}
}

/* `out[o++] =` and `*o++ =`, where `o` may be a name of the function's own for it. */
static bool is_stepped(const struct walk *w, size_t at, struct token *alias)
{
	bool is_address = walk_is(w, at - 1, "*") && !walk_is(w, at - 2, "*");

	if (walk_is(w, at - 1, "=") && walk_is(w, at + 1, ";"))
		*alias = w->token[at - 2];
	if (is_address && walk_is(w, at + 1, "++"))
		return true;
	for (size_t i = at + 2;
	     walk_is(w, at + 1, "[") && i < w->partner[at + 1]; i++)
		if (walk_is(w, i, "++"))
			return true;
	return false;
}

/* What is written step by step, where the state says how often, ends anywhere. */
static void keep_rest(const struct walk *w, const bool *runs,
		      struct parameter *a)
{
	struct token alias = {"", 0};

	if (!a->is_pointer || !a->has_direction || !*a->name ||
	    a->direction != DIRECTION_OUT)
		return;
	for (size_t i = 0; i < w->n_definitions; i++) {
		size_t from = w->definition[i].body;

		for (size_t k = from; runs[i] && k < w->partner[from]; k++) {
			if (!token_is(w->token[k], a->name) &&
			    (!alias.len || !walk_same(w->token[k], alias)))
				continue;
			if (!is_stepped(w, k, &alias))
				continue;
			a->direction = DIRECTION_INOUT;
			a->is_partial = true;
			return;
		}
	}
}

void walk_read_state(struct state_use *out, struct walk *w, struct prototype *p,
		     const struct function_body *d)
{
	cleanup_free bool *runs = xcalloc(w->n_definitions + 1, sizeof *runs);
	bool seen, decides = false;
	size_t looks = 0;

	w->end = w->n_tokens;
	seen = walk_mark_called(w, d, runs, NULL) && w->steps < WALK_STEPS;
	for (size_t k = p->n; k < prototype_all(p); k++) {
		struct parameter *a = &p->parameter[k];
		size_t owner = a->owner - 1;
		const char *dot;
		struct reading s = {
			.w = w, .p = p, .runs = runs, .a = a, .looks = &looks};

		if (!a->owner || !state_is_possible(p, owner) || !a->path)
			continue;
		dot = strrchr(a->path, '.');
		dot = dot ? dot + 1 : a->path;
		s.own = (struct token){dot, strlen(dot)};
		out->changed[k] = w->changed[k];
		out->kept[k] = w->kept[k];
		read_member(out, &s, k);
		if (!seen ||
		    is_written_whole(w, d, runs, p->parameter[owner].name))
			out->changed[k] = out->kept[k] = true;
		decides |= out->changed[k] && s.r.decides;
		if (a->known && !a->is_pointer && !dtype_is_float(a->dtype))
			set_range(a, &s.r, out->changed[k]);
		if (a->held == HELD_ARRAY)
			set_array_range(a);
	}
	for (size_t i = 0; decides && i < p->n; i++)
		keep_rest(w, runs, &p->parameter[i]);
}
