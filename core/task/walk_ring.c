/*
 * Where a ring goes on: a number among the members that the function changes, and
 * that indexes an array among them. It is no size, but anything from 0 to the last
 * element of the ring, whose length is what the number is held against.
 */
#include "core/base/buf.h"
#include "core/task/object.h"
#include "core/task/walk.h"

#define MAX_HOPS    4 /* from a name to what it was given */
#define MASKED_RING 1024

struct ring {
	const struct walk *w;
	const struct prototype *p;
	const struct value *argument;
	const bool *runs;
	size_t number; /* the member */
	bool changed;  /* it is, in the text */
	size_t array;  /* that it indexes; SIZE_MAX: none */
	struct poly length;
	/* What a mask makes it of has to be this, for a power of two. */
	size_t masked;
	int64_t as;
	size_t *looks; /* at tokens, for all numbers */
};

/* Before the tokens [from, to) are looked at: false where too many were. */
static bool may_look(const struct ring *r, size_t from, size_t to)
{
	*r->looks += to - from;
	return *r->looks < WALK_LOOKS;
}

static struct poly length_at(const struct ring *r, size_t at, size_t hops);

static const char *own_name(const struct parameter *a)
{
	const char *dot = a->path ? strrchr(a->path, '.') : NULL;

	return dot ? dot + 1 : a->path ? a->path : a->member;
}

static bool is_integer(const struct parameter *a)
{
	return a->known && !a->is_pointer && !dtype_is_float(a->dtype) &&
	       a->held != HELD_COUNT;
}

static bool is_behind_member(const struct walk *w, size_t at)
{
	return walk_is(w, at - 1, ".") || walk_is(w, at - 2, "->");
}

/* Where `s->pos`, `this->pos_` or `pos_`, of which `at` is the last name, begins. */
static size_t begin_of(const struct walk *w, size_t at)
{
	while (at > 3 && is_behind_member(w, at))
		at -= walk_is(w, at - 1, ".") ? 2 : 3;
	return at;
}

/* The member named at `at`, of the structure that the number is in; SIZE_MAX: none. */
static size_t member_at(const struct ring *r, size_t at)
{
	const struct prototype *p = r->p;
	size_t owner = p->parameter[r->number].owner;

	if (p->parameter[r->number].path && !is_behind_member(r->w, at))
		return SIZE_MAX;
	for (size_t k = p->n; k < prototype_all(p); k++)
		if (p->parameter[k].owner == owner &&
		    p->parameter[k].held != HELD_COUNT &&
		    token_is(r->w->token[at], own_name(&p->parameter[k])))
			return k;
	return SIZE_MAX;
}

/* ---- how long it is --------------------------------------------------------------- */

/* What the function's own name at `at` was given where it was declared. */
static struct poly length_of_name(const struct ring *r, size_t at, size_t hops)
{
	const struct walk *w = r->w;

	for (size_t i = 0; hops < MAX_HOPS && i < w->n_definitions; i++) {
		size_t from = w->definition[i].body, to = w->partner[from];

		if (!r->runs[i])
			continue;
		if (!may_look(r, from, to))
			break;
		for (size_t k = from + 1; k < to; k++)
			if (walk_same(w->token[k], w->token[at]) &&
			    token_is_word(w->token[k - 1]) &&
			    walk_is(w, k + 1, "=") && !walk_is(w, k + 1, "=="))
				return length_at(r, k + 2, hops + 1);
	}
	return poly_unknown;
}

/* Of "m", "m - 1", "s->n", "taps_.size()" or "64" at `at`. */
static struct poly length_at(const struct ring *r, size_t at, size_t hops)
{
	const struct walk *w = r->w;
	const struct prototype *p = r->p;
	size_t k;

	/* (int)taps_.size() */
	if (walk_is(w, at, "(") && w->partner[at] &&
	    token_is_word(w->token[w->partner[at] + 1]))
		at = w->partner[at] + 1;
	if (token_is_number(w->token[at])) {
		int64_t n = strtoll(w->token[at].at, NULL, 0);

		return n > 1 ? poly_constant(n) : poly_unknown;
	}
	while (walk_is(w, at + 1, "->") ||
	       (walk_is(w, at + 1, ".") && !token_is(w->token[at + 2], "size")))
		at += walk_is(w, at + 1, ".") ? 2 : 3;
	k = member_at(r, at);
	if (k != SIZE_MAX && walk_is(w, at + 1, "."))
		return p->parameter[k].held == HELD_VECTOR
			       ? r->argument[k + 1].p
			       : poly_unknown;
	if (k != SIZE_MAX)
		return k != r->number && is_integer(&p->parameter[k])
			       ? r->argument[k].p
			       : poly_unknown;
	for (k = 0; k < p->n; k++)
		if (is_integer(&p->parameter[k]) &&
		    token_is(w->token[at], p->parameter[k].name))
			return r->argument[k].p;
	return token_is_word(w->token[at]) && !is_behind_member(w, at)
		       ? length_of_name(r, at, hops)
		       : poly_unknown;
}

/* `& (n - 1)`, or `& mask`: no range of sizes has powers of two alone, so it is one of
 * them. "64 - 1" was read as 64; 63 is as long. */
static struct poly length_of_mask(struct ring *r, size_t at)
{
	const struct walk *w = r->w;
	bool whole = walk_is(w, at, "(");
	struct poly n = length_at(r, at + whole, 0);
	size_t name = at + whole;

	while (walk_is(w, name + 1, "->") || walk_is(w, name + 1, "."))
		name += walk_is(w, name + 1, ".") ? 2 : 3;
	if (!n.ok)
		return n;
	if (poly_is_constant(&n, &r->as))
		return r->as <= 0 || r->as == INT64_MAX
			       ? poly_unknown
			       : poly_constant(r->as + !(r->as & (r->as + 1)));
	r->masked = member_at(r, name);
	r->as = MASKED_RING - !whole;
	return r->masked == SIZE_MAX || !is_integer(&r->p->parameter[r->masked])
		       ? poly_unknown
		       : poly_constant(MASKED_RING);
}

/* What the number is held against, of which `next` is behind it. */
static struct poly length_behind(struct ring *r, size_t before, size_t next)
{
	const struct walk *w = r->w;
	bool with;

	if (walk_is(w, next, "++"))
		next += 2;
	else if (walk_is(w, next, "+") && token_is(w->token[next + 1], "1"))
		next += 2;
	if (walk_is(w, before, "(") && walk_is(w, next, ")"))
		next++;
	with = walk_is(w, next + 1, "=");
	if (walk_is(w, next, "==") || walk_is(w, next, "!=") ||
	    walk_is(w, next, ">="))
		return length_at(r, next + 2, 0);
	if (walk_is(w, next, "%") ||
	    (walk_is(w, next, "<") && !with && !walk_is(w, next, "<<")))
		return length_at(r, next + 1 + with, 0);
	if (walk_is(w, next, "&") && !walk_is(w, next, "&&"))
		return length_of_mask(r, next + 1 + with);
	return poly_unknown;
}

/* ---- its uses --------------------------------------------------------------------- */

static void read_use(struct ring *r, size_t from, size_t at)
{
	const struct walk *w = r->w;
	bool counted = walk_is(w, from - 2, "++");
	size_t before = counted ? from - 3 : from - 1;
	size_t next = walk_is(w, at + 1, "++") ? at + 3 : at + 1;
	struct poly length;

	if (walk_is(w, before, "[") && walk_is(w, next, "]")) {
		size_t array = member_at(r, before - 1);

		if (array != SIZE_MAX && r->array == SIZE_MAX &&
		    r->p->parameter[array].is_pointer)
			r->array = array;
	}
	length = length_behind(r, before, at + 1);
	if (length.ok && !r->length.ok)
		r->length = length;
}

/* `size_t pos = pos_;` of which the member is at `at`: the name that has it. */
static struct token copy_of(const struct walk *w, size_t from, size_t at)
{
	bool is_copy = walk_is(w, at + 1, ";") && walk_is(w, from - 1, "=") &&
		       token_is_word(w->token[from - 2]) &&
		       !is_behind_member(w, from - 2);

	return is_copy ? w->token[from - 2] : (struct token){"", 0};
}

static void read_body(struct ring *r, size_t from, size_t to)
{
	const struct walk *w = r->w;
	struct token copy = {"", 0};

	for (size_t at = from; at < to && may_look(r, at, at + 1); at++) {
		if (!token_is_word(w->token[at]))
			continue;
		if (member_at(r, at) == r->number) {
			size_t begin = begin_of(w, at);

			r->changed |= walk_is_assigned(w, at) ||
				      walk_is(w, begin - 2, "++") ||
				      walk_is(w, begin - 2, "--");
			read_use(r, begin, at);
			if (!copy.len)
				copy = copy_of(w, begin, at);
		} else if (copy.len && walk_same(w->token[at], copy) &&
			   !is_behind_member(w, at)) {
			read_use(r, at, at);
		}
	}
}

/* Members that a shim makes, and compares after the call. */
static bool may_be_ring(const struct prototype *p, size_t k)
{
	const struct parameter *a = &p->parameter[k];

	if (!a->owner || !is_integer(a) || !*a->name)
		return false;
	return a->path ? state_is_possible(p, a->owner - 1)
		       : p->object && p->object->is_used && a->owner == 1 &&
				 a->member;
}

/* It is this number, and no size. */
static void fix(struct value *argument, struct parameter *a,
		const struct ring *r)
{
	argument[r->masked] = value_of(poly_constant(r->as));
	free(a->initial);
	free(a->low);
	free(a->high);
	a->initial = xasprintf("%lld", (long long)r->as);
	a->low = xstrdup(a->initial);
	a->high = xstrdup(a->initial);
}

static void take(struct value *argument, struct walk *w, struct prototype *p,
		 struct ring *r)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	struct poly zero = poly_constant(0), one = poly_constant(1), last;
	bool is_vector = p->parameter[r->array].held == HELD_VECTOR;
	struct parameter *a = &p->parameter[r->number];

	if (r->masked != SIZE_MAX && r->length.ok)
		fix(argument, &p->parameter[r->masked], r);
	if (!r->length.ok && is_vector)
		r->length = argument[r->array + 1].p;
	if (!r->length.ok)
		return;
	/* Two vectors of a class that are used together are as long. */
	if (is_vector)
		argument[r->array + 1].p = r->length;
	last = poly_sub(&r->length, &one);
	argument[r->number].p = poly_loop(&w->atoms, &zero, &last);
	argument[r->number].chosen = argument[r->number].ring = true;
	w->changed[r->number] = w->kept[r->number] = true;
	poly_print(&text, &w->atoms, &last);
	/* A function may be walked through twice. */
	free(a->low);
	free(a->high);
	a->low = xstrdup("0");
	a->high = buf_take(&text);
}

void walk_bound_rings(struct value *argument, struct walk *w,
		      struct prototype *p, const struct function_body *d)
{
	cleanup_free bool *runs = xcalloc(w->n_definitions + 1, sizeof *runs);
	size_t looks = 0;

	if (!walk_mark_called(w, d, runs, NULL))
		return;
	for (size_t k = p->n; k < prototype_all(p); k++) {
		struct ring r = {.w = w,
				 .p = p,
				 .argument = argument,
				 .runs = runs,
				 .number = k,
				 .array = SIZE_MAX,
				 .masked = SIZE_MAX,
				 .looks = &looks,
				 .length = poly_unknown};

		if (!may_be_ring(p, k) || argument[k].chosen)
			continue;
		for (size_t i = 0; i < w->n_definitions; i++)
			if (runs[i])
				read_body(&r, w->definition[i].body,
					  w->partner[w->definition[i].body]);
		if (looks < WALK_LOOKS && r.changed && r.array != SIZE_MAX &&
		    p->parameter[r.array].held != HELD_ARRAY)
			take(argument, w, p, &r);
	}
}
