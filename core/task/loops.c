#include "core/task/loops.h"

#include "core/task/expr.h"
#include "core/task/object.h"
#include "core/task/walk.h"

#define MAX_LOOKS ((size_t)4 << 20) /* for the classes of methods */

/* ---- functions ------------------------------------------------------------------- */

bool walk_parameter_name(const struct walk *w, size_t from, size_t to,
			 size_t *name)
{
	bool found = false;

	for (size_t i = from; i < to && !walk_is(w, i, "["); i++) {
		if (token_is_word(w->token[i]) &&
		    !walk_is_type_word(w->token[i])) {
			*name = i;
			found = true;
		}
	}
	return found;
}

bool walk_next_parameter(const struct walk *w, size_t *from, size_t *to,
			 size_t close)
{
	if (*to >= close)
		return false;
	*from = *to + 1;
	for (*to = *from; *to < close && !walk_is(w, *to, ",");)
		*to = source_closing(w->token[*to]) && w->partner[*to]
			      ? w->partner[*to] + 1
			      : *to + 1;
	*to = MIN(*to, close);
	return *from < *to;
}

/* Is it called by itself, and that again? Once more says no more. */
static bool is_recursive(const struct walk *w, const struct function_body *d)
{
	size_t n = 0;

	for (const struct walk_frame *f = w->frame; f; f = f->outer)
		n += f->body == d->body;
	return n > 1;
}

/* What such a call does with its arguments is done with others of them already, but how
 * far it goes is not known, nor what becomes of numbers. */
static void note_recursion(struct walk *w, const struct value *argument,
			   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		w->handed |= argument[i].of;
		walk_escape_object(w, argument[i].object);
		if (argument[i].tensor >= 0)
			w->access[argument[i].tensor].unsure = true;
	}
}

struct value walk_call(struct walk *w, const struct function_body *d,
		       const struct value *argument, size_t n)
{
	struct walk_frame frame = {.body = d->body, .outer = w->frame};
	struct value outer = w->returned, result = value_unknown();
	size_t returns = w->n_returns;
	size_t at = w->at, end = w->end, scope = w->scope, names = w->n;
	size_t from, to = d->parameters;
	size_t close = to ? w->partner[to] : 0;
	struct value none = value_unknown();

	if (is_recursive(w, d)) {
		note_recursion(w, argument, n);
		return result;
	}
	/* What the caller's loops know of a name is in its value. */
	if (!walk_enter(w)) {
		walk_leave(w);
		return result;
	}
	w->frame = &frame;
	w->n_returns = 0;
	w->end = w->partner[d->body];
	for (size_t i = 0; walk_next_parameter(w, &from, &to, close); i++) {
		size_t name;

		if (i < n && !argument[i].object &&
		    walk_is_reference(w, from, to))
			walk_lend(w, &argument[i]);
		if (walk_parameter_name(w, from, to, &name))
			walk_bind(w, w->token[name],
				  i < n ? &argument[i] : &none);
	}
	w->scope = MIN(names, w->n);
	w->at = d->body + 1;
	if (w->at < w->partner[d->body])
		walk_scope(w, w->partner[d->body]);
	w->scope = scope;
	w->n = MIN(w->n, names);
	w->at = at;
	w->end = end;
	if (w->n_returns == 1)
		result = w->returned;
	w->returned = outer;
	w->n_returns = returns;
	w->frame = frame.outer;
	walk_leave(w);
	return result;
}

/* The last words of "ns::K<float>::axpy<float>", [name, end), without its
 * arguments. */
static struct token plain_name(const char *name, const char *end)
{
	const char *at;

	if (end > name && end[-1] == '>') {
		size_t depth = 0;

		while (end > name) {
			end--;
			depth += *end == '>';
			if (*end == '<' && !--depth)
				break;
		}
	}
	for (at = end; at > name && at[-1] != ':'; at--)
		;
	return (struct token){at, (size_t)(end - at)};
}

/* "Particle" of "struct sim::Particle" */
static const char *last_word(const char *type)
{
	const char *end = type + strlen(type);

	while (end > type && end[-1] != ' ' && end[-1] != ':')
		end--;
	return end;
}

static size_t count_parameters(const struct walk *w,
			       const struct function_body *d)
{
	size_t from, to = d->parameters, n = 0;

	while (walk_next_parameter(w, &from, &to, w->partner[d->parameters]))
		n += to - from > 1 || !token_is(w->token[from], "void");
	return n;
}

/* "K" of "ns::K<float>::axpy<float>"; without a character: there is none. */
static struct token scope_name(const char *name)
{
	struct token last = plain_name(name, name + strlen(name));

	if (last.at < name + 2)
		return (struct token){name, 0};
	return plain_name(name, last.at - 2);
}

/* "K" where a definition is named `K<T>::axpy` at `at`, or is within `class K {`.
 * Without a character: neither. */
struct token walk_class_at(const struct walk *w, size_t at, size_t *looks)
{
	size_t i = at;

	if (at > 2 && walk_is(w, at - 2, "::")) {
		size_t name = at - 3, open;

		if (!walk_is(w, name, ">"))
			return w->token[name];
		open = token_other_angle(w->token, w->end, name);
		return open ? w->token[open - 1] : (struct token){"", 0};
	}
	while (i && ++*looks < MAX_LOOKS && !walk_is(w, --i, "{"))
		if (walk_is(w, i, "}") && w->partner[i])
			i = w->partner[i];
	while (i && ++*looks < MAX_LOOKS && !walk_is(w, --i, ";") &&
	       !walk_is(w, i, "{") && !walk_is(w, i, "}"))
		if (token_is(w->token[i], "class") ||
		    token_is(w->token[i], "struct"))
			return w->token[i + 1];
	return (struct token){"", 0};
}

/* How many parameters are declared with the type that they have: more than
 * of another function of the name. */
static size_t count_types(const struct walk *w, const struct function_body *d,
			  const struct prototype *p)
{
	size_t from, to = d->parameters, n = 0;

	for (size_t i = p->is_method;
	     walk_next_parameter(w, &from, &to, w->partner[d->parameters]) &&
	     i < p->n;
	     i++) {
		const struct parameter *a = &p->parameter[i];
		bool starred = false, named = false;

		for (size_t k = from; k < to; k++) {
			starred |= walk_is(w, k, "*") || walk_is(w, k, "[");
			named |= token_is_word(w->token[k]) &&
				 ((a->alias &&
				   token_is(w->token[k], a->alias)) ||
				  (a->type &&
				   token_is(w->token[k], last_word(a->type))));
		}
		n += named && starred == a->is_pointer;
	}
	return n;
}

/* Of functions that have the name, the one with the types; of methods, one of the
 * class; else the only one, which the class may have inherited. */
static const struct function_body *find(const struct walk *w,
					const struct prototype *p)
{
	struct token name = plain_name(p->name, p->name + strlen(p->name));
	struct token scope = scope_name(p->name);
	const struct function_body *found = NULL, *best = NULL;
	size_t n = 0, looks = 0, most = 0;

	for (size_t i = 0; i < w->n_definitions; i++) {
		const struct function_body *d = &w->definition[i];

		if (!walk_mentions(w, d->name, d->name + 1, name) ||
		    count_parameters(w, d) != p->n - p->is_method)
			continue;
		if (!p->is_method ||
		    walk_same(walk_class_at(w, d->name, &looks), scope)) {
			size_t types = count_types(w, d, p);

			if (!best || types > most)
				best = d;
			most = MAX(most, types);
		}
		found = d;
		n++;
	}
	return best ? best : n == 1 ? found : NULL;
}

/* ---- the result ------------------------------------------------------------------- */

/* All dimensions that the parameter is declared with. */
struct declared {
	struct poly dim[TASK_MAX_DIMS];
	size_t n;
};

static void read_declared(struct declared *out, struct walk *w, size_t from,
			  size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (!walk_is(w, i, "[") || !w->partner[i] ||
		    out->n == TASK_MAX_DIMS)
			continue;
		/* [restrict static n] */
		from = i + 1;
		while (walk_is_type_word(w->token[from]))
			from++;
		out->dim[out->n++] =
			from < w->partner[i]
				? walk_range(w, from, w->partner[i]).p
				: poly_unknown;
		i = w->partner[i];
	}
}

/* What the kernel does not write itself can be drawn so that it fits; and no type
 * holds more than it can. */
static struct poly greatest_element(struct walk *w, const struct prototype *p,
				    const struct parameter *a)
{
	cleanup_free char *name = walk_contents_name(p, a);
	bool is_const = a->is_const || (w->unchanged >> (a - p->parameter) & 1);
	bool is_narrow = a->dtype == DTYPE_U8 || a->dtype == DTYPE_U16;

	if ((!is_const && !is_narrow) || !name || a->is_nested || a->members)
		return poly_unknown;
	switch (a->dtype) {
	case DTYPE_U8:
		return poly_constant(UINT8_MAX);
	case DTYPE_U16:
		return poly_constant(UINT16_MAX);
	case DTYPE_I32:
	case DTYPE_U32:
	case DTYPE_I64:
	case DTYPE_U64:
		return poly_symbol(&w->atoms, name);
	default:
		return poly_unknown;
	}
}

static struct value first_value(struct walk *w, const struct prototype *p,
				size_t i)
{
	const struct parameter *a = &p->parameter[i];
	struct value v = value_unknown();

	if (a->is_pointer && a->known) {
		v = value_of(poly_constant(0));
		v.tensor = (int)i;
		w->bytes[i] = dtype_bytes(a->dtype) * MAX(a->members, 1);
		w->structure[i] = a->members > 0;
		w->arrays[i] = a->arrays;
		w->contents[i] = greatest_element(w, p, a);
	} else if (!a->is_pointer && a->known && !dtype_is_float(a->dtype) &&
		   *a->name) {
		v = value_of(poly_symbol(&w->atoms, a->name));
	}
	v.object = a->has_members ? i + 1 : 0;
	return v;
}

/* An array of the state of a function in C. */
static void bind_array(struct value *v, struct declared *declared,
		       struct walk *w, const struct parameter *a, size_t i)
{
	for (size_t k = 0; k < a->n_held; k++) {
		declared->dim[k] = poly_constant((int64_t)a->held_dim[k]);
		if (k)
			w->inner[i][w->n_inner[i]++] = declared->dim[k];
	}
	declared->n = a->n_held;
	v->inner = w->n_inner[i];
}

/* Sizes and members first: dimensions may be in front of the names that they
 * consist of. */
static void bind_arguments(struct value *v, struct declared *declared,
			   struct walk *w, const struct prototype *p,
			   const struct function_body *d)
{
	size_t from, to = d->parameters, close = w->partner[d->parameters];
	size_t n = w->n, name;

	for (size_t i = p->n; i < prototype_all(p); i++) {
		v[i] = first_value(w, p, i);
		bind_array(&v[i], &declared[i], w, &p->parameter[i], i);
	}
	if (p->is_method)
		v[0] = first_value(w, p, 0);
	for (size_t i = p->is_method;
	     walk_next_parameter(w, &from, &to, close) && i < p->n; i++) {
		v[i] = first_value(w, p, i);
		if (walk_parameter_name(w, from, to, &name))
			walk_bind(w, w->token[name], &v[i]);
	}
	to = d->parameters;
	for (size_t i = p->is_method;
	     walk_next_parameter(w, &from, &to, close) && i < p->n; i++) {
		read_declared(&declared[i], w, from, to);
		for (size_t k = 1; k < declared[i].n; k++)
			w->inner[i][w->n_inner[i]++] = declared[i].dim[k];
		v[i].inner = w->n_inner[i];
	}
	w->n = n;
}

/* What is written in part keeps the rest: it goes in, too. */
static void set_direction(struct parameter *a, const struct walk *w, size_t i,
			  const struct poly *extent)
{
	const struct accesses *x = &w->access[i];
	bool whole = x->unsure || !extent->ok ||
		     (x->from_start && poly_equal(extent, &x->written_to));

	a->has_direction = a->is_const || (x->any && !w->escapes[i]);
	a->direction = a->is_const || !x->written ? DIRECTION_IN
		       : x->read_first || !whole  ? DIRECTION_INOUT
						  : DIRECTION_OUT;
	a->is_partial = a->has_direction && a->direction == DIRECTION_OUT &&
			!(w->sure >> i & 1);
	if (a->is_partial)
		a->direction = DIRECTION_INOUT;
	/* No guess where it is the state that says which are written. */
	a->is_partial &= a->held != HELD_ARRAY;
	a->is_reread = a->direction == DIRECTION_INOUT && x->read_unsure;
	a->is_swapped = w->swapped[i] && !a->is_const;
	if (a->is_swapped)
		a->direction = DIRECTION_INOUT;
}

static bool declared_shape(struct buf *out, struct poly *extent,
			   const struct declared *d, const struct walk *w)
{
	struct poly all = poly_constant(1);

	for (size_t k = 0; k < d->n; k++) {
		buf_adds(out, k ? ", " : "");
		poly_print(out, &w->atoms, &d->dim[k]);
		all = poly_mul(&all, &d->dim[k]);
	}
	*extent = all;
	return d->n && all.ok;
}

/* Where the declaration has a number and the loops a name, the name is to be
 * that number. */
static void set_sizes(struct prototype *p, const struct walk *w, size_t i,
		      const struct declared *d)
{
	const struct accesses *x = &w->access[i];
	int64_t c;

	for (size_t k = 0; x->far.n_dims == d->n && k < d->n; k++) {
		const struct poly *dim = &x->far.dim[k];

		if (!poly_is_constant(&d->dim[k], &c) || !dim->ok ||
		    dim->n != 1 || dim->term[0].degree != 1)
			continue;
		for (size_t j = 0; j < prototype_all(p); j++)
			if (str_eq(p->parameter[j].name,
				   w->atoms.atom[dim->term[0].atom[0]].text))
				p->parameter[j].size = c;
	}
}

/* The numbers of a structure as the last dimension. */
static void add_members(struct buf *shape, struct buf *strides,
			const struct poly *extent, struct walk *w,
			size_t members)
{
	int64_t n;

	if (strides->len) {
		buf_clear(strides);
		buf_clear(shape);
		poly_print(shape, &w->atoms, extent);
	}
	if (poly_is_constant(extent, &n) && n == 1)
		buf_clear(shape);
	else
		buf_adds(shape, ", ");
	buf_addf(shape, "%zu", members);
}

/* A member that the kernel changes may be another number there. */
static bool has_changed(const struct prototype *p, const struct walk *w,
			const char *text)
{
	for (size_t i = p->n; i < prototype_all(p); i++)
		if (w->changed[i] && token_occurs(text, p->parameter[i].name))
			return true;
	return false;
}

static void set_shape(struct prototype *p, struct poly *extent, struct walk *w,
		      size_t i, const struct declared *d)
{
	cleanup_buf struct buf shape = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf strides = BUF_INIT(BUF_LIMIT_TEXT);
	struct parameter *a = &p->parameter[i];
	struct poly numbers;

	if (declared_shape(&shape, extent, d, w)) {
		set_sizes(p, w, i, d);
	} else {
		buf_clear(&shape);
		*extent = w->access[i].far.extent;
		a->shape_unsure = w->access[i].unsure;
		a->is_guarded = w->access[i].guarded || w->access[i].far_ahead;
		a->is_ahead = w->access[i].ahead;
		if (!accesses_shape(&shape, &strides, &w->access[i], &w->atoms))
			*extent = poly_unknown;
		a->shape_unsure |= has_changed(p, w, shape.data) ||
				   has_changed(p, w, strides.data);
	}
	/* A task may have no expression for the bound of a loop. */
	if (strchr(shape.data, '?') || strchr(strides.data, '?'))
		*extent = poly_unknown;
	if (!extent->ok)
		return;
	if (a->members)
		add_members(&shape, &strides, extent, w, a->members);
	a->shape = buf_take(&shape);
	a->strides = strides.len ? buf_take(&strides) : NULL;
	numbers = poly_constant((int64_t)MAX(a->members, 1));
	numbers = poly_mul(extent, &numbers);
	poly_print(&shape, &w->atoms, &numbers);
	a->extent = buf_take(&shape);
}

/* Of an array with one dimension: has it an element of this number? */
static bool has_place(const struct declared *d, int64_t number)
{
	int64_t elements;

	return d->n == 1 && poly_is_constant(&d->dim[0], &elements) &&
	       number < elements;
}

/* What an array declared with so many elements is indexed by has to fit, too. */
static void set_elements(struct prototype *p, const struct walk *w,
			 const struct declared *declared)
{
	uint32_t narrow = w->narrow;

	for (size_t i = 0; i < prototype_all(p); i++)
		if (declared[i].n && !has_place(&declared[i], w->greatest[i]))
			narrow |= w->indexed_by[i];
	for (size_t i = 0; i < prototype_all(p); i++) {
		p->parameter[i].elements_small = narrow >> i & 1;
		p->parameter[i].elements_seen = !w->escapes[i] &&
						w->steps < WALK_STEPS;
	}
}

static void forget_if(char **text, bool is_so)
{
	if (!is_so)
		return;
	free(*text);
	*text = NULL;
}

/* No task has this name: what was said by it is not known. */
static void forget_name(struct prototype *p, const char *name)
{
	for (size_t i = 0; i < prototype_all(p); i++) {
		struct parameter *a = &p->parameter[i];
		bool by_name = token_occurs(a->shape, name) ||
			       token_occurs(a->strides, name);

		forget_if(&a->shape, by_name);
		forget_if(&a->strides, by_name);
		forget_if(&a->extent, by_name);
		a->ascends &= !by_name;
	}
	forget_if(&p->bytes, token_occurs(p->bytes, name));
	forget_if(&p->flops, token_occurs(p->flops, name));
}

/* Several structures one after another are none that a task could have. */
static void drop_listed(struct prototype *p, struct walk *w)
{
	size_t kept = p->n, all = prototype_all(p);

	for (size_t i = p->n; i < all; i++) {
		cleanup_free char *contents =
			walk_contents_name(p, &p->parameter[i]);

		if (!w->listed[p->parameter[i].owner - 1])
			continue;
		forget_name(p, p->parameter[i].name);
		if (contents)
			forget_name(p, contents);
	}
	for (size_t i = p->n; i < all; i++) {
		struct parameter *a = &p->parameter[i];

		if (w->listed[a->owner - 1]) {
			parameter_release(a);
			continue;
		}
		/* What is known by their numbers goes with them. */
		w->changed[kept] = w->changed[i];
		w->kept[kept] = w->kept[i];
		p->parameter[kept++] = *a;
	}
	p->n_members = kept - p->n;
	for (size_t i = 0; i < p->n; i++)
		p->parameter[i].has_members &= !w->listed[i];
}

/* The arguments of the function, as its body has them. */
struct bound_arguments {
	struct value argument[TASK_MAX_ARGS];
	struct declared declared[TASK_MAX_ARGS];
	struct poly extent[TASK_MAX_ARGS];
};

static void begin(struct walk *w, const struct source_tokens *s,
		  uint32_t unchanged)
{
	*w = (struct walk){.token = s->token,
			   .partner = s->partner,
			   .end = s->n,
			   .n_tokens = s->n,
			   .definition = s->definition,
			   .n_definitions = s->n_definitions,
			   .unchanged = unchanged};
	w->turns = w->work = poly_constant(1);
}

static void walk_function(struct walk *w, struct prototype *p,
			  const struct function_body *d,
			  struct bound_arguments *b)
{
	struct value *argument = b->argument;

	w->of_class = scope_name(p->name);
	w->prototype = p;
	w->argument = argument;
	bind_arguments(argument, b->declared, w, p, d);
	walk_bound_state(argument, w, p, d);
	walk_bound_rings(argument, w, p, d);
	w->self = p->is_method && p->parameter[0].has_members;
	walk_call(w, d, argument + p->is_method, p->n - p->is_method);
	walk_note_unseen(w, p);
}

/* Arrays of integers that could be `const`; a bit for each. */
static uint32_t find_unchanged(const struct walk *w, const struct prototype *p)
{
	uint32_t found = 0;

	for (size_t i = 0; i < prototype_all(p); i++) {
		const struct parameter *a = &p->parameter[i];

		if (a->is_pointer && a->known && !a->is_const &&
		    a->held == HELD_PLAIN && !dtype_is_float(a->dtype) &&
		    w->access[i].any && !w->access[i].written &&
		    !w->escapes[i] && !w->swapped[i])
			found |= UINT32_C(1) << i;
	}
	return w->steps < WALK_STEPS ? found : 0;
}

/* A second time where more of them can be indices than are `const`. */
static void walk_twice(struct walk *w, const struct source_tokens *s,
		       struct prototype *p, const struct function_body *d,
		       struct bound_arguments *b)
{
	uint32_t unchanged;

	walk_function(w, p, d, b);
	unchanged = find_unchanged(w, p);
	if (!unchanged)
		return;
	free(w->binding);
	poly_table_release(&w->atoms);
	begin(w, s, unchanged);
	memset(b->declared, 0, sizeof b->declared);
	walk_function(w, p, d, b);
}

/* What the function at *d says of its arguments, which stay bound to *b. */
static void read_body(struct prototype *p, struct bound_arguments *b,
		      struct walk *w, const struct source_tokens *s,
		      const struct function_body *d)
{
	walk_take_bytes(p, w, d);
	w->of_class = scope_name(p->name);
	walk_choose_members(p, w, d);
	walk_twice(w, s, p, d, b);
	walk_settle_contents(w, p, d);
	walk_follow_copies(w);
	for (size_t i = 0; i < prototype_all(p); i++) {
		struct parameter *a = &p->parameter[i];

		if (!a->is_pointer || !a->known)
			continue;
		set_shape(p, &b->extent[i], w, i, &b->declared[i]);
		set_direction(a, w, i, &b->extent[i]);
	}
	walk_set_contents(p, w);
	walk_set_counts(p, w);
	set_elements(p, w, b->declared);
	walk_note_chosen(p, w, d);
	walk_note_returns(p, w, d);
	walk_find_values(p, w, d);
	p->is_status = p->has_result && w->returns && !w->result_varies &&
		       w->steps < WALK_STEPS;
	walk_set_work(p, w, b->extent);
	walk_set_ranges(p, w, d);
	drop_listed(p, w);
}

void loops_read(struct prototype *p, const char *text)
{
	cleanup_source_tokens struct source_tokens s = {0};
	cleanup_free struct walk *w = xcalloc(1, sizeof *w);
	cleanup_free struct bound_arguments *b = xcalloc(1, sizeof *b);
	struct state_use use = {0};
	const struct function_body *d;

	source_read(&s, text);
	begin(w, &s, 0);
	d = find(w, p);
	walk_choose_single(p, w, d);
	if (d)
		read_body(p, b, w, &s, d);
	for (size_t i = 0; i < prototype_all(p); i++) {
		walk_find_sizes(p, p->parameter[i].shape);
		walk_find_sizes(p, p->parameter[i].strides);
	}
	if (d)
		walk_read_state(&use, w, p, d);
	state_flatten(p, d ? &use : NULL);
	if (d && p->object && p->object->is_used && p->parameter[0].has_members)
		object_flatten(p, w->changed, w->kept);
	else if (p->object)
		p->object->is_used = false;
	free(w->binding);
	poly_table_release(&w->atoms);
}
