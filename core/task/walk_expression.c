/* Expressions: what operands stand for, and which elements are used. */
#include "core/task/walk.h"

/* ---- accesses ---------------------------------------------------------------- */

static bool is_compound(const struct walk *w, size_t at)
{
	static const char *const ops[] = {
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (walk_is(w, at, ops[i]))
			return true;
	return false;
}

static bool is_assign(const struct walk *w, size_t at)
{
	return walk_is(w, at, "=") && !walk_is(w, at, "==");
}

/* What is next says what is done with the element before it. */
static enum access_kind kind_here(const struct walk *w)
{
	if (is_assign(w, w->at))
		return ACCESS_WRITE;
	if (is_compound(w, w->at) || walk_is(w, w->at, "++") ||
	    walk_is(w, w->at, "--"))
		return ACCESS_BOTH;
	return ACCESS_READ;
}

void walk_record(struct walk *w, const struct value *v, enum access_kind k)
{
	if (v->tensor < 0)
		return;
	w->access[v->tensor].doubt = w->doubt;
	w->access[v->tensor].ended = w->ended;
	w->access[v->tensor].moved = v->moved;
	w->access[v->tensor].unsure |= v->carried;
	w->access[v->tensor].conditional = w->conditions > 0;
	w->access[v->tensor].loop = w->loops ? w->outermost : 0;
	walk_use_quotients(w, &v->p);
	accesses_add(&w->access[v->tensor], &w->atoms, &v->p, k);
	/* Which elements are written, others do not say. */
	if (k & ACCESS_WRITE && !v->of && !v->ended_by && !v->chosen)
		w->sure |= UINT32_C(1) << v->tensor;
	if (poly_degree(&w->turns) > poly_degree(&w->work) && w->turns.ok)
		w->work = w->turns;
}

/* What is done with it from here on is not seen. */
void walk_escape(struct walk *w, const struct value *v)
{
	w->escapes[v->tensor] = true;
	w->access[v->tensor].unsure = true;
}

struct value walk_subscript(const struct walk *w, const struct value *base,
			    const struct value *index)
{
	struct value v = *base;
	struct poly step = index->tensor < 0 ? index->p : poly_unknown;
	size_t n;

	v.binding = SIZE_MAX;
	v.place = 0;
	v.is_element = false;
	if (v.tensor < 0)
		return value_unknown();
	n = w->n_inner[v.tensor];
	for (size_t i = n - v.inner; i < n; i++)
		step = poly_mul(&step, &w->inner[v.tensor][i]);
	v.p = poly_add(&v.p, &step);
	v.of |= index->of;
	v.ended_by |= index->ended_by;
	v.chosen |= index->chosen;
	v.is_element = v.inner == 0;
	v.inner -= v.inner > 0;
	return v;
}

struct value walk_element(struct walk *w, int tensor)
{
	struct value v = value_of(walk_contents(w, tensor));

	v.of = tensor < 0 ? 0 : UINT32_C(1) << tensor;
	return v;
}

/* An element that is used: the access is recorded. */
static struct value use_as(struct walk *w, const struct value *v,
			   enum access_kind kind)
{
	if (v->place && kind != ACCESS_WRITE && !w->changed[v->place - 1])
		w->kept[v->place - 1] = true;
	if (!v->is_element)
		return *v;
	/* An array in a structure: its address is used. */
	if (v->left) {
		walk_escape(w, v);
		return value_unknown();
	}
	/* The rest of a structure stays as it is. */
	walk_record(w, v,
		    v->is_member && kind == ACCESS_WRITE ? ACCESS_BOTH : kind);
	return walk_element(w, v->tensor);
}

struct value walk_use(struct walk *w, const struct value *v)
{
	return use_as(w, v, kind_here(w));
}

/* ---- operators ---------------------------------------------------------------- */

static struct value apply(struct walk *w, const struct value *a, const char *op,
			  const struct value *b)
{
	struct value v = *a, none = value_unknown();

	none.rest = v.rest = a->rest ? a->rest : b->rest;
	if ((*op == '<' || *op == '>') && op[1] == *op) {
		w->narrow |= b->of;
		w->bits |= a->of;
	} else if (*op == '<' || *op == '>') {
		walk_note_order(w, a, b);
	}
	walk_note_sum(w, a, *op, b);
	if (b->tensor >= 0 && *op == '+' && a->tensor < 0)
		v = *b;
	else if (b->tensor >= 0 && b->tensor == a->tensor && *op == '-')
		v = none; /* an integer: a distance */
	else if (b->tensor >= 0 || (a->tensor >= 0 && !strchr("+-", *op)))
		return none;
	/* What other operators give has bounds by itself, if any. */
	v.of = strchr("+-*", *op) ? a->of | b->of : 0;
	v.ended_by = a->ended_by | b->ended_by;
	v.chosen = a->chosen || b->chosen;
	v.ring = false;
	if (v.inner)
		v.p = poly_unknown; /* steps over whole arrays */
	else
		v.p = walk_combine(w, &a->p, op, &b->p);
	v.binding = SIZE_MAX;
	if (*op == '+' || *op == '-')
		walk_note_listed(w, &v);
	/* `z + 1` of an array among the members. */
	if (v.object && v.path.len)
		walk_lend(w, &v);
	v.object = 0;
	v.place = 0;
	return v;
}

static const struct {
	const char *op;
	int precedence;
} binary[] = {
	{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8},
	{"<=", 7}, {">=", 7}, {"|", 3},	 {"^", 4},  {"&", 5},  {"<", 7},
	{">", 7},  {"+", 9},  {"-", 9},	 {"*", 10}, {"/", 10}, {"%", 10},
};

/* The operator that is next; NULL: none. */
static const char *next_binary(const struct walk *w, int *precedence)
{
	if (is_compound(w, w->at))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(binary); i++) {
		if (!walk_is(w, w->at, binary[i].op))
			continue;
		*precedence = binary[i].precedence;
		return binary[i].op;
	}
	return NULL;
}

/* ---- operands ------------------------------------------------------------------ */

static struct poly number(struct token t)
{
	cleanup_free char *text = xstrndup(t.at, t.len);
	char *end;
	unsigned long long n = strtoull(text, &end, 0);

	while (*end && strchr("uUlLzZ", *end))
		end++;
	return *end || n > INT64_MAX ? poly_unknown : poly_constant((int64_t)n);
}

static struct value name(struct walk *w)
{
	struct token t = w->token[w->at++];
	struct binding *b = walk_find(w, t);
	struct value v;

	if (!b && w->self) {
		v = value_unknown();
		v.object = w->self;
		return token_is(t, "this")
			       ? v
			       : walk_object_member(w, w->self, v.path, t);
	}
	if (!b)
		return value_unknown();
	v = b->walks ? walk_walking(w, b) : b->v;
	/* A reference stands for an element, whatever is done with it. */
	v.binding = v.is_element ? SIZE_MAX : (size_t)(b - w->binding);
	return v;
}

/* Behind "<std::size_t>", as a template has it that is called. */
static size_t end_of_arguments(const struct walk *w, size_t at)
{
	size_t end = at + 1;

	if (!walk_is(w, at, "<"))
		return at;
	while (end < w->end &&
	       (walk_is_type_word(w->token[end]) || walk_is(w, end, "::") ||
		walk_is(w, end, ":") || token_is(w->token[end], "std")))
		end++;
	return walk_is(w, end, ">") && walk_is(w, end + 1, "(") ? end + 1 : at;
}

static struct value primary(struct walk *w)
{
	struct token t = w->token[w->at];
	struct value v;
	size_t close;

	if (token_is(t, "(")) {
		close = w->partner[w->at++];
		v = walk_expression(w);
		if (!walk_take(w, ")") && close && close < w->end)
			w->at = close + 1;
		return v;
	}
	if (token_is_number(t)) {
		w->at++;
		return value_of(number(t));
	}
	if (token_is_word(t)) {
		/* C++: std::min is min here. */
		while (walk_is(w, w->at + 1, "::") && w->at + 3 < w->end)
			w->at += 3;
		if (walk_cast_by_name(&v, w))
			return v;
		close = end_of_arguments(w, w->at + 1);
		if (walk_is(w, close, "(")) {
			size_t called = w->at;

			w->at = close + 1;
			return walk_call_at(w, called);
		}
		return name(w);
	}
	if (walk_lambda(&v, w))
		return v;
	if (*t.at == '"' || *t.at == '\'')
		w->at++;
	return value_unknown();
}

bool walk_is_chosen(const struct walk *w)
{
	return w->by_contents || (w->passed && w->passed->left_by_contents);
}

/* x++ of a name is done by what the loop around it knows, or here. */
static void step_name(struct walk *w, const struct value *v, int64_t by)
{
	struct binding *b = v->binding < w->n ? &w->binding[v->binding] : NULL;
	struct poly one = poly_constant(by);

	walk_note_listed(w, v);
	if (!b && v->place)
		walk_change_member(w, v, NULL);
	if (b)
		b->v.chosen |= walk_is_chosen(w);
	if (b && !b->walks && !b->fixed)
		b->v.p = poly_add(&b->v.p, &one);
}

/* A number in the copy of a structure is one of the same array. */
static struct value part_of_copy(const struct value *of)
{
	struct value v = value_unknown();

	v.of = of->tensor < 0 ? of->of : 0;
	return v;
}

/* `.x` of an element, `->x` of an address, at w->at: the structure's. */
static struct value member(struct walk *w, const struct value *of)
{
	struct value v = *of, zero = value_of(poly_constant(0));
	bool arrow = walk_is(w, w->at, "->");

	w->at += arrow ? 3 : 2;
	if (v.object && walk_is(w, w->at, "("))
		return walk_method_of(w, &v);
	if (v.object && w->at <= w->end)
		return walk_object_member(w, v.object, v.path,
					  w->token[w->at - 1]);
	if (v.tensor >= 0 && !v.is_element && walk_is(w, w->at, "(")) {
		w->at--;
		return walk_vector_method(w, &v);
	}
	if (v.tensor < 0 || !w->structure[v.tensor] || w->at > w->end)
		return part_of_copy(&v);
	/* An array of structures, as the address of the first one. */
	if (v.left) {
		walk_escape(w, &v);
		return value_unknown();
	}
	if (arrow && !v.is_element)
		v = walk_subscript(w, &v, &zero);
	else if (arrow || !v.is_element)
		return value_unknown();
	v.is_member = true;
	v.left = walk_dimensions(w, v.tensor, w->token[w->at - 1]);
	return v;
}

static struct value postfix(struct walk *w)
{
	struct value v = primary(w);

	for (;;) {
		if (v.is_member && walk_take(w, "[")) {
			walk_expression(w);
			if (!walk_take(w, "]"))
				return value_unknown();
			v.left -= v.left > 0;
		} else if (walk_take(w, "[")) {
			struct value base = walk_use(w, &v), index;
			size_t named =
				w->at > 1 && token_is_word(w->token[w->at - 2])
					? w->at - 2
					: SIZE_MAX;

			index = walk_expression(w);
			walk_note_index(w, &base, named, &index);
			walk_note_listed(w, &base);
			v = base.path.len
				    ? walk_object_element(w, &base, &index)
				    : walk_subscript(w, &base, &index);
			if (!walk_take(w, "]"))
				return value_unknown();
		} else if (walk_is(w, w->at, "++") || walk_is(w, w->at, "--")) {
			bool up = walk_is(w, w->at, "++");

			v = walk_use(w, &v);
			w->at += 2;
			step_name(w, &v, up ? 1 : -1);
		} else if (walk_is(w, w->at, "->") ||
			   (walk_is(w, w->at, ".") && w->at + 1 < w->end)) {
			v = member(w, &v);
		} else if (v.callee && walk_take(w, "(")) {
			v = walk_call_here(w, &v);
		} else {
			return v;
		}
	}
}

/* The operand of * or &, whose element is not used by itself. */
static struct value unary_inner(struct walk *w)
{
	if (walk_take(w, "&") && !walk_is(w, w->at, "&")) {
		struct value v = walk_operand(w);

		/* What is done with a part by its address is not seen. */
		if (v.is_member && v.tensor >= 0) {
			w->access[v.tensor].unsure = true;
			walk_record(w, &v, ACCESS_BOTH);
			return value_unknown();
		}
		v.is_element = false;
		if (!v.object)
			walk_lend(w, &v);
		return v;
	}
	if (walk_take(w, "*")) {
		struct value address = walk_operand(w),
			     zero = value_of(poly_constant(0));

		address = walk_use(w, &address);
		if (address.object && address.path.len)
			walk_lend(w, &address);
		if (address.object)
			return address;
		return walk_subscript(w, &address, &zero);
	}
	return postfix(w);
}

struct value walk_operand(struct walk *w)
{
	struct value v, zero = value_of(poly_constant(0));

	if (!walk_enter(w) || w->at >= w->end) {
		walk_leave(w);
		return value_unknown();
	}
	if (walk_is(w, w->at, "++") || walk_is(w, w->at, "--")) {
		bool up = walk_is(w, w->at, "++");

		w->at += 2;
		v = walk_operand(w);
		v = use_as(w, &v, ACCESS_BOTH);
		step_name(w, &v, up ? 1 : -1);
	} else if (walk_take(w, "-")) {
		v = walk_operand(w);
		v = walk_use(w, &v);
		v = apply(w, &zero, "-", &v);
	} else if (walk_take(w, "+") || walk_take(w, "!") ||
		   walk_take(w, "~")) {
		v = walk_operand(w);
		walk_use(w, &v);
		v = value_unknown();
	} else if (token_is(w->token[w->at], "sizeof")) {
		w->at++;
		v = walk_size_of(w);
	} else if (walk_is(w, w->at, "(") && walk_is_cast(w, w->at)) {
		v = walk_cast(w);
	} else {
		v = unary_inner(w);
	}
	walk_leave(w);
	return v;
}

static struct value binary_from(struct walk *w, int least)
{
	size_t from = w->at;
	struct value a = walk_operand(w);
	const char *op;
	int precedence;

	while ((op = next_binary(w, &precedence)) && precedence >= least) {
		bool joins = precedence <= 2;
		struct walk_guard g;
		struct value b;

		a = walk_use(w, &a);
		if (joins)
			walk_guard_begin(&g, w, from, w->at);
		/* What is after || is reached where the rest does not hold. */
		if (*op == '|' && joins)
			walk_guard_else(&g, w);
		w->at += strlen(op);
		w->conditions += joins;
		b = binary_from(w, precedence + 1);
		b = walk_use(w, &b);
		w->conditions -= joins;
		if (joins)
			walk_guard_end(&g, w);
		a = apply(w, &a, op, &b);
	}
	return a;
}

static struct value conditional(struct walk *w)
{
	size_t from = w->at;
	struct value v = binary_from(w, 1), other;
	struct walk_guard g;

	if (!walk_is(w, w->at, "?"))
		return v;
	walk_use(w, &v);
	walk_guard_begin(&g, w, from, w->at);
	w->conditions++;
	w->at++;
	v = walk_expression(w);
	v = walk_use(w, &v);
	v.p = walk_guard_wide(&g, w, &v.p);
	walk_guard_else(&g, w);
	if (walk_take(w, ":")) {
		other = walk_assignment(w);
		other = walk_use(w, &other);
		other.p = walk_guard_wide(&g, w, &other.p);
	} else {
		other = v;
	}
	w->conditions--;
	walk_guard_end(&g, w);
	v.of = other.of |= v.of;
	v.ended_by = other.ended_by |= v.ended_by;
	return walk_choose(w, &v, &other);
}

static void assign(struct walk *w, const struct value *to, const char op,
		   const struct value *v)
{
	struct binding *b = to->binding < w->n ? &w->binding[to->binding]
					       : NULL;

	if (!b && to->place)
		walk_change_member(w, to, v);
	walk_note_sum(w, to, op, v);
	if (to->is_element)
		walk_note_copy(w, to->tensor, v->of);
	if (b && (op != '=' || b->fixed)) {
		b->v.of |= v->of;
		b->v.ended_by |= v->ended_by;
	}
	if (b && op != '=')
		b->v.chosen |= walk_is_chosen(w);
	if (!b || b->walks || b->fixed)
		return;
	if (op == '=')
		b->v = *v;
	else if (op == '+' || op == '-')
		b->v = apply(w, &b->v, op == '+' ? "+" : "-", v);
	else
		b->v = value_unknown();
	b->v.binding = SIZE_MAX;
}

struct value walk_place(struct walk *w)
{
	struct value v = value_unknown();

	if (walk_enter(w))
		v = conditional(w);
	walk_leave(w);
	return v;
}

struct value walk_assignment(struct walk *w)
{
	enum access_kind kind;
	struct value to, v;
	char op;

	if (!walk_enter(w)) {
		walk_leave(w);
		return value_unknown();
	}
	to = conditional(w);
	if (!is_assign(w, w->at) && !is_compound(w, w->at)) {
		walk_leave(w);
		return walk_use(w, &to);
	}
	kind = kind_here(w);
	op = *w->token[w->at].at;
	/* "<<=" has two characters before its last one. */
	while (!walk_is(w, w->at, "="))
		w->at++;
	w->at++;
	v = walk_assignment(w);
	/* Only now: what is right of it is read first. */
	use_as(w, &to, kind);
	assign(w, &to, op, &v);
	walk_leave(w);
	return v;
}

struct value walk_expression(struct walk *w)
{
	struct value v = walk_assignment(w);

	while (walk_take(w, ","))
		v = walk_assignment(w);
	return v;
}

struct value walk_range(struct walk *w, size_t from, size_t to)
{
	size_t at = w->at, end = w->end;
	struct value v;

	w->at = from;
	w->end = to;
	v = walk_expression(w);
	w->at = at;
	w->end = end;
	return v;
}
