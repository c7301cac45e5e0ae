/* Calls: of functions of the file, of those that copy or bound, and of others. */
#include "core/task/walk.h"

/* In a method those of its class before others: the library has a `next`, too. */
const struct function_body *walk_definition(struct walk *w, struct token name)
{
	const struct function_body *found = NULL;
	size_t looks = 0;

	for (size_t i = 0; i < w->n_definitions; i++) {
		const struct function_body *d = &w->definition[i];

		if (!walk_same(w->token[d->name], name))
			continue;
		if (!w->self ||
		    walk_same(walk_class_at(w, d->name, &looks), w->of_class)) {
			found = d;
			break;
		}
		found = found ? found : d;
	}
	w->steps += looks / 64;
	return found;
}

static bool begins(struct token t, const char *word)
{
	return t.len >= strlen(word) && memcmp(t.at, word, strlen(word)) == 0;
}

static bool holds(struct token t, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= t.len; i++)
		if (memcmp(t.at + i, word, len) == 0)
			return true;
	return false;
}

/* Bytes that a vector instruction's intrinsic moves; 0: none of those. */
static size_t vector_bytes(struct token name)
{
	if (!holds(name, "load") && !holds(name, "store") &&
	    !begins(name, "vld1") && !begins(name, "vst1"))
		return 0;
	if (holds(name, "_ss") || holds(name, "_sd") || holds(name, "mask"))
		return 0;
	if (begins(name, "_mm512"))
		return 64;
	if (begins(name, "_mm256"))
		return 32;
	if (begins(name, "_mm_"))
		return 16;
	return begins(name, "vld1q") || begins(name, "vst1q") ? 16 : 0;
}

/* All of [address, address + bytes). */
static void record_bytes(struct walk *w, const struct value *v,
			 const struct poly *bytes, enum access_kind kind)
{
	struct poly size, count, one = poly_constant(1);
	struct value last = *v;

	if (v->tensor < 0)
		return;
	size = poly_constant((int64_t)w->bytes[v->tensor]);
	if (!poly_divide(&count, bytes, &size)) {
		walk_escape(w, v);
		return;
	}
	count = poly_sub(&count, &one);
	last.p = poly_add(&last.p, &count);
	walk_record(w, &last, kind);
}

/* Casts, and functions that are known to take numbers as such. */
static bool takes_numbers(struct token name)
{
	static const char *const words[] = {
		"static_cast", "assert", "abs",	 "fabs",  "sqrt",  "cbrt",
		"sin",	       "cos",	 "tan",	 "asin",  "acos",  "atan",
		"atan2",       "sinh",	 "cosh", "tanh",  "exp",   "exp2",
		"expm1",       "log",	 "log2", "log10", "log1p", "pow",
		"hypot",       "floor",	 "ceil", "trunc", "round", "lround",
		"rint",	       "lrint",	 "fma",	 "fmod",  "fmin",  "fmax",
		"isnan",       "isinf",	 "min",	 "max",	  "clamp", "copysign"};

	if (walk_is_type_word(name) || begins(name, "_mm"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct token plain = name;

		if (token_is(name, words[i]))
			return true;
		plain.len -= name.len > 1 && name.at[name.len - 1] == 'f';
		if (token_is(plain, words[i]))
			return true;
	}
	return false;
}

/* A function whose body is not there. */
static void call_unknown(struct walk *w, struct token name,
			 const struct value *argument, size_t n)
{
	size_t vector = vector_bytes(name);
	bool copies = token_is(name, "memcpy") || token_is(name, "memmove") ||
		      token_is(name, "__builtin_memcpy");
	bool clears = token_is(name, "memset") ||
		      token_is(name, "__builtin_memset");
	bool write = holds(name, "store") || begins(name, "vst1");
	struct poly bytes = poly_constant((int64_t)vector);

	if ((copies || clears) && n == 3)
		w->narrow |= argument[2].of;
	if (copies && n == 3 && argument[1].tensor >= 0)
		walk_note_copy(w, argument[0].tensor,
			       UINT32_C(1) << argument[1].tensor);
	for (size_t i = 0; i < n; i++) {
		const struct value *v = &argument[i];

		/* A copy, or a function that is not seen, of what a loop left. */
		if (!takes_numbers(name))
			walk_take_rest(w, v->rest);
		w->handed |= v->of;
		walk_lend_callee(w, v);
		walk_escape_object(w, v->object);
		if (v->object || !takes_numbers(name))
			walk_lend(w, v);
		if (v->tensor < 0)
			continue;
		if ((copies && i < 2 && n == 3) || (clears && !i && n == 3)) {
			record_bytes(w, v, &argument[2].p,
				     i ? ACCESS_READ : ACCESS_WRITE);
		} else if (vector) {
			record_bytes(w, v, &bytes,
				     write ? ACCESS_WRITE : ACCESS_READ);
		} else {
			walk_escape(w, v);
		}
	}
}

/* Of the two sides of a minimum, either is a bound: the smaller one is better,
 * and one without loops is. */
struct value walk_choose(struct walk *w, const struct value *a,
			 const struct value *b)
{
	struct poly x = poly_greatest(&w->atoms, &a->p);
	struct poly y = poly_greatest(&w->atoms, &b->p);
	int64_t c = 0;

	if (!a->p.ok || a->tensor != b->tensor)
		return b->p.ok && a->tensor == b->tensor ? *b : *a;
	if (!b->p.ok)
		return *a;
	/* That it is not below zero bounds nothing above. */
	if (poly_is_constant(&x, &c) != poly_is_constant(&y, &c) && c <= 0)
		return poly_is_constant(&x, &c) ? *b : *a;
	/* The end of a tile that is not whole: the rest is taken. */
	if (poly_equal(&a->p, &x) != poly_equal(&b->p, &y))
		walk_note_rest(w, poly_equal(&a->p, &x) ? &x : &y);
	return poly_at_least(&y, &x) ? *a : *b;
}

/* The greater of two: the one that is never below the other, or not below zero. */
static struct value greater(struct walk *w, const struct value *a,
			    const struct value *b)
{
	struct poly x = poly_greatest(&w->atoms, &a->p);
	struct poly y = poly_greatest(&w->atoms, &b->p);
	int64_t c;

	if (a->tensor >= 0 || b->tensor >= 0 || !x.ok || !y.ok)
		return value_unknown();
	if (poly_at_least(&x, &y) || (poly_is_constant(&y, &c) && c <= 0))
		return *a;
	return poly_at_least(&y, &x) || (poly_is_constant(&x, &c) && c <= 0)
		       ? *b
		       : value_unknown();
}

/* std::min, std::max and std::clamp, and what others call so. */
static bool call_bound(struct value *out, struct walk *w, struct token name,
		       const struct value *argument, size_t n)
{
	bool is_clamp = n == 3 && token_is(name, "clamp");

	if (is_clamp ||
	    (n == 2 && (token_is(name, "min") || token_is(name, "max"))))
		for (size_t i = 1; i < n; i++)
			walk_note_order(w, &argument[0], &argument[i]);
	if (n == 2 && token_is(name, "min")) {
		*out = walk_choose(w, &argument[0], &argument[1]);
	} else if (n == 2 && token_is(name, "max")) {
		*out = greater(w, &argument[0], &argument[1]);
	} else if (is_clamp) {
		*out = greater(w, &argument[0], &argument[1]);
		*out = walk_choose(w, out, &argument[2]);
	} else {
		return false;
	}
	return true;
}

/* std::size, std::ssize, std::data, std::begin and std::end of a vector. */
static bool call_container(struct value *out, struct walk *w, struct token name,
			   const struct value *argument, size_t n)
{
	int tensor = n == 1 ? argument[0].tensor : -1;

	if (tensor < 0 || !w->prototype || argument[0].is_element ||
	    w->prototype->parameter[tensor].held != HELD_VECTOR)
		return false;
	*out = argument[0];
	if (token_is(name, "size") || token_is(name, "ssize"))
		*out = w->argument[tensor + 1];
	else if (token_is(name, "end") || token_is(name, "cend"))
		out->p = poly_add(&out->p, &w->argument[tensor + 1].p);
	else
		return token_is(name, "data") || token_is(name, "begin") ||
		       token_is(name, "cbegin");
	return true;
}

/* Behind the argument at `from`: at its comma, or at the bracket that closes all. */
static size_t end_of_argument(struct walk *w, size_t from, size_t close)
{
	size_t looks = 0;

	for (; from < close && !walk_is(w, from, ","); looks++)
		from = source_closing(w->token[from]) && w->partner[from]
			       ? w->partner[from] + 1
			       : from + 1;
	w->steps += looks / 64;
	return MIN(from, close);
}

/* Which parameters of the function are references; a bit each. Its bracket is at
 * `open`, which may be behind what is walked; 0: it is not known. */
static uint32_t references_of(struct walk *w, size_t open)
{
	size_t from, to = open, end = w->end;
	uint32_t found = 0;

	w->end = w->n_tokens;
	for (uint32_t bit = 1;
	     open && bit &&
	     walk_next_parameter(w, &from, &to, w->partner[open]);
	     bit <<= 1)
		found |= walk_is_reference(w, from, to) ? bit : 0;
	w->end = end;
	return found;
}

/* The argument at w->at. `place`: it stays one, and is used where its name is. */
static struct value read_argument(struct walk *w, bool place, size_t close)
{
	size_t from = w->at;
	struct value v;

	if (place) {
		v = walk_place(w);
		/* Not what an assignment gives. */
		if (w->at >= close ||
		    !strchr("=+-*/%&|^<>", *w->token[w->at].at))
			return v;
		w->at = from;
	}
	v = walk_assignment(w);
	walk_take_callee(&v, w, from, end_of_argument(w, from, close));
	return v;
}

/* What is in the brackets that are open; w->at is behind them. `places`: which stay
 * what they are. SIZE_MAX: the brackets do not close. */
static size_t read_arguments(struct value *argument, struct walk *w,
			     uint32_t places)
{
	size_t n = 0, close = w->partner[w->at - 1];

	if (!close || close >= w->end) {
		w->at = w->end;
		return SIZE_MAX;
	}
	while (w->at < close) {
		size_t end = end_of_argument(w, w->at, close);
		struct value v = read_argument(
			w, n < TASK_MAX_ARGS && (places >> n & 1), close);

		if (n < TASK_MAX_ARGS)
			argument[n++] = v;
		/* What is not understood of it is left out. */
		w->at = MAX(w->at, end);
		walk_take(w, ",");
	}
	w->at = close + 1;
	return n;
}

bool walk_is_of_library(const struct walk *w, size_t name)
{
	if (name > 5 && walk_is(w, name - 2, "::") &&
	    token_is(w->token[name - 3], "ranges"))
		name -= 3;
	return name > 2 && walk_is(w, name - 2, "::") &&
	       token_is(w->token[name - 3], "std");
}

/* "__builtin_add_overflow", "_addcarry_u64", "__builtin_addcll", ... */
static bool is_with_carry(struct token name)
{
	static const char *const part[] = {"_overflow",	   "addcarry",
					   "subborrow",	   "builtin_addc",
					   "builtin_subc", "mulx",
					   "mulhi"};
	bool is = false;

	for (size_t i = 0; i < ARRAY_SIZE(part); i++)
		is |= memmem(name.at, name.len, part[i], strlen(part[i])) !=
		      NULL;
	return is;
}

struct value walk_call_here(struct walk *w, const struct value *f)
{
	struct value argument[TASK_MAX_ARGS];
	bool has_any = token_is(w->token[f->callee - 1], "(");
	size_t n = read_arguments(
		argument, w, references_of(w, has_any ? f->callee - 1 : 0));

	return n == SIZE_MAX ? value_unknown()
			     : walk_call_value(w, f, argument, n);
}

/* What two names stand for changes places, or what they are places of does. */
static void swap_places(struct walk *w, const struct value *a,
			const struct value *b)
{
	struct binding *name = a->binding < w->n ? &w->binding[a->binding]
						 : NULL;

	if (a->is_element) {
		walk_record(w, a, ACCESS_BOTH);
		return;
	}
	if (a->place)
		walk_change_member(w, a, b);
	walk_note_swap(w, a->tensor, b->tensor);
	if (!name || a->tensor >= 0)
		return;
	name->v.of |= b->of;
	name->v.ended_by |= b->ended_by;
	name->v.chosen |= b->chosen;
	if (!name->fixed && !name->walks)
		name->v.p = poly_unknown;
}

/* std::swap and std::iter_swap. */
static bool call_swap(struct walk *w, struct token name, struct value *argument,
		      size_t n)
{
	struct value zero = value_of(poly_constant(0));
	bool by_address = token_is(name, "iter_swap");

	if (n != 2 || !(by_address || token_is(name, "swap")))
		return false;
	for (int i = 0; by_address && i < 2; i++)
		argument[i] = walk_subscript(w, &argument[i], &zero);
	swap_places(w, &argument[0], &argument[1]);
	swap_places(w, &argument[1], &argument[0]);
	return true;
}

/* Several values as one: what is compared then is each of them. */
static bool call_tuple(struct value *out, struct token name,
		       const struct value *argument, size_t n)
{
	static const char *const words[] = {"tie", "make_tuple", "make_pair",
					    "forward_as_tuple"};
	bool is = false;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		is |= token_is(name, words[i]);
	for (size_t i = 0; is && i < n; i++)
		out->of |= argument[i].of;
	return is;
}

/* A function of C++'s library, whose own text says less of it. */
static bool call_library(struct value *out, struct walk *w, size_t name,
			 struct value *argument, size_t n)
{
	const struct algorithm *a = walk_algorithm_named(w, name);

	*out = value_unknown();
	if (call_swap(w, w->token[name], argument, n) ||
	    call_tuple(out, w->token[name], argument, n))
		return true;
	if (!a)
		return call_bound(out, w, w->token[name], argument, n) ||
		       call_container(out, w, w->token[name], argument, n);
	*out = walk_algorithm(w, a, argument, n,
			      token_is(w->token[name - 3], "ranges"));
	return true;
}

/* A function does not see the names round a lambda that calls it. */
static struct value call_outside(struct walk *w, const struct function_body *d,
				 const struct value *argument, size_t n)
{
	size_t from = w->seen_from, to = w->seen_to;
	struct value result;

	w->seen_from = w->seen_to = 0;
	result = walk_call(w, d, argument, n);
	w->seen_from = from;
	w->seen_to = to;
	return result;
}

struct value walk_call_at(struct walk *w, size_t name)
{
	struct value argument[TASK_MAX_ARGS], result;
	const struct binding *b = walk_find(w, w->token[name]);
	bool is_library = walk_is_of_library(w, name);
	const struct function_body *d;
	size_t n;

	if (b && b->v.callee) {
		struct value f = b->v; /* names may move meanwhile */

		return walk_call_here(w, &f);
	}
	d = walk_definition(w, w->token[name]);
	n = read_arguments(argument, w,
			   is_library && token_is(w->token[name], "swap")
				   ? 3
				   : references_of(w, d ? d->parameters : 0));
	if (n == SIZE_MAX)
		return value_unknown();
	if (is_library && call_library(&result, w, name, argument, n))
		return result;
	if (d)
		return call_outside(w, d, argument, n);
	if (call_bound(&result, w, w->token[name], argument, n) ||
	    call_container(&result, w, w->token[name], argument, n) ||
	    walk_c_algorithm(&result, w, w->token[name], argument, n))
		return result;
	for (size_t i = 0; i < n && is_with_carry(w->token[name]); i++)
		w->bits |= argument[i].of;
	call_unknown(w, w->token[name], argument, n);
	return value_unknown();
}

/* "Image" of "const struct img::Image" */
static struct token class_of(const struct walk *w, size_t object)
{
	const char *type = w->prototype->parameter[object - 1].type;
	size_t len = type ? strlen(type) : 0, from = len;

	while (from && type[from - 1] != ' ' && type[from - 1] != ':')
		from--;
	return (struct token){len ? type + from : "", len - from};
}

/* The method of the structure at *of that is named at `name`; NULL: it is not there. */
static const struct function_body *find_method(struct walk *w,
					       const struct value *of,
					       size_t name)
{
	size_t looks = 0;
	const struct function_body *found = NULL;
	struct token own;

	if (!w->prototype || of->path.len || of->object > w->prototype->n)
		return NULL;
	own = class_of(w, of->object);
	for (size_t i = 0; own.len && i < w->n_definitions && !found; i++) {
		size_t at = w->definition[i].name;

		if (walk_same(w->token[at], w->token[name]) &&
		    walk_same(walk_class_at(w, at, &looks), own))
			found = &w->definition[i];
	}
	w->steps += looks / 64;
	return found;
}

struct value walk_method_of(struct walk *w, const struct value *of)
{
	struct value argument[TASK_MAX_ARGS], result = value_unknown();
	const struct function_body *d = find_method(w, of, w->at - 1);
	size_t n, self = w->self;
	struct token outer = w->of_class;

	if (!d) {
		walk_escape_object(w, of->object);
		walk_lend(w, of);
	}
	w->at++;
	n = read_arguments(argument, w,
			   references_of(w, d ? d->parameters : 0));
	if (n == SIZE_MAX)
		return result;
	for (size_t i = 0; !d && i < n; i++) {
		walk_lend_callee(w, &argument[i]);
		if (argument[i].tensor >= 0)
			walk_escape(w, &argument[i]);
	}
	if (!d)
		return result;
	w->self = of->object;
	w->of_class = class_of(w, of->object);
	result = walk_call(w, d, argument, n);
	w->self = self;
	w->of_class = outer;
	return result;
}
