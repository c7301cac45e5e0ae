/* Algorithms of C's and C++'s libraries that put elements in order, or search what is
 * in order: which elements they read and write, and what they compare. */
#include "core/task/walk.h"

/* What the arguments are, a letter each: a range of elements that are read begins at
 * `f`, has `m` within it and ends at `l`; at `F`, `M` and `L` one that changes; at `w`
 * and `x` one that is written. `o`: where as many are written as there are in the
 * ranges; `v`: a value that the elements are compared with; `c`: what compares, which
 * may be left out. */
struct algorithm {
	const char *name, *arguments;
	bool finds;    /* it returns a place in the first range */
	bool in_order; /* the ranges that it reads are, before it */
};

static const struct algorithm algorithms[] = {
	{"sort", "FLc", false, false},
	{"stable_sort", "FLc", false, false},
	{"partial_sort", "FMLc", false, false},
	{"nth_element", "FMLc", false, false},
	{"inplace_merge", "FMLc", false, true},
	{"make_heap", "FLc", false, false},
	{"push_heap", "FLc", false, false},
	{"pop_heap", "FLc", false, false},
	{"sort_heap", "FLc", false, false},
	{"next_permutation", "FLc", false, false},
	{"prev_permutation", "FLc", false, false},
	{"max_element", "flc", true, false},
	{"min_element", "flc", true, false},
	{"minmax_element", "flc", false, false},
	{"is_sorted", "flc", false, false},
	{"is_sorted_until", "flc", true, false},
	{"is_heap", "flc", false, false},
	{"lower_bound", "flvc", true, true},
	{"upper_bound", "flvc", true, true},
	{"equal_range", "flvc", false, true},
	{"binary_search", "flvc", false, true},
	{"merge", "flfloc", false, true},
	{"set_union", "flfloc", false, true},
	{"set_intersection", "flfloc", false, true},
	{"set_difference", "flfloc", false, true},
	{"set_symmetric_difference", "flfloc", false, true},
	{"includes", "flflc", false, true},
	{"lexicographical_compare", "flflc", false, false},
	{"partial_sort_copy", "flwxc", false, false},
};

const struct algorithm *walk_algorithm_named(const struct walk *w, size_t name)
{
	for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++)
		if (token_is(w->token[name], algorithms[i].name))
			return &algorithms[i];
	return NULL;
}

/* What an algorithm is at work on. */
struct at_work {
	struct walk *w;
	const struct value *argument;
	size_t n;
	/* An element of the last range, and one of what that is compared with. */
	struct value element, other;
	struct poly elements; /* of all ranges */
	uint32_t ranges;      /* of which arrays they are; a bit for each */
	struct value found;   /* a place in the first one; else unknown */
};

/* So many elements from *first on. */
static void record_range(struct walk *w, const struct value *first,
			 const struct poly *many, enum access_kind kind)
{
	struct poly zero = poly_constant(0), one = poly_constant(1);
	struct poly end = poly_sub(many, &one);
	struct value v = *first;

	end = poly_loop(&w->atoms, &zero, &end);
	v.p = poly_add(&v.p, &end);
	v.is_element = true;
	walk_record(w, &v, kind);
}

static void write_range(struct at_work *a, const struct value *first,
			const struct value *last)
{
	struct poly many = poly_sub(&last->p, &first->p);

	if (first->tensor < 0)
		return;
	record_range(a->w, first, &many, ACCESS_WRITE);
	walk_note_copy(a->w, first->tensor, a->element.of);
}

/* The elements [first, last) of one array. */
static void use_range(struct at_work *a, const struct value *first,
		      const struct value *last, enum access_kind kind)
{
	struct walk *w = a->w;
	struct poly many = poly_sub(&last->p, &first->p), within;
	struct poly zero = poly_constant(0), one = poly_constant(1);

	a->other = a->element;
	a->element = value_unknown();
	if (first->tensor < 0 || first->tensor != last->tensor) {
		a->element.of = first->of | last->of;
		a->elements = poly_unknown;
		for (int i = 0; i < 2; i++)
			if ((i ? last : first)->tensor >= 0)
				walk_escape(w, i ? last : first);
		return;
	}
	record_range(w, first, &many, kind);
	a->ranges |= UINT32_C(1) << first->tensor;
	a->element = walk_element(w, first->tensor);
	a->elements = poly_add(&a->elements, &many);
	if (a->found.tensor >= 0)
		return;
	/* At its end nothing is found. */
	within = poly_sub(&many, &one);
	within = poly_loop(&w->atoms, &zero, &within);
	a->found = *first;
	a->found.p = poly_add(&first->p, &within);
	a->found.binding = SIZE_MAX;
}

/* As many as there are from here on, or fewer: which, the elements say. */
static void use_output(struct at_work *a, const struct value *to)
{
	if (to->tensor < 0)
		return;
	record_range(a->w, to, &a->elements, ACCESS_WRITE);
	walk_note_copy(a->w, to->tensor, a->element.of | a->other.of);
}

/* Two are compared, by `<` or by what the caller has for it. */
static void compare(struct walk *w, const struct value *x,
		    const struct value *y, const struct value *by)
{
	struct value both[2] = {*x, *y};

	if (by && by->callee) {
		walk_call_value(w, by, both, 2);
		return;
	}
	w->ordered |= x->of | y->of;
	if (by && !by->is_order)
		w->handed |= x->of | y->of;
}

/* Where the ranges stand for themselves, as in std::ranges: both ends of each. */
static size_t with_ends(struct value *out, struct walk *w,
			const struct value *argument, size_t n)
{
	size_t m = 0;

	for (size_t i = 0; i < n && m + 1 < TASK_MAX_ARGS; i++) {
		int tensor = argument[i].tensor;

		out[m++] = argument[i];
		if (tensor < 0 || !w->prototype ||
		    w->prototype->parameter[tensor].held != HELD_VECTOR)
			continue;
		out[m] = argument[i];
		out[m].p = poly_add(&argument[i].p, &w->argument[tensor + 1].p);
		m++;
	}
	return m;
}

/* The arguments one by one, and then what is compared. */
static void do_work(struct at_work *a, const char *letter)
{
	const struct value *first = NULL, *by = NULL, *value = NULL, *to = NULL;

	for (size_t i = 0; i < a->n && letter[i]; i++) {
		const struct value *v = &a->argument[i];
		char is = letter[i];

		if (is == 'f' || is == 'F')
			first = v;
		else if (first && (is == 'l' || is == 'L'))
			use_range(a, first, v,
				  is == 'L' ? ACCESS_BOTH : ACCESS_READ);
		else if (is == 'w')
			to = v;
		else if (to && is == 'x')
			write_range(a, to, v);
		else if (is == 'o')
			use_output(a, v);
		else if (is == 'v')
			value = v;
		else if (is == 'c')
			by = v;
	}
	if (a->other.of)
		value = &a->other;
	compare(a->w, &a->element, value ? value : &a->element, by);
}

struct value walk_algorithm(struct walk *w, const struct algorithm *of,
			    const struct value *argument, size_t n, bool whole)
{
	struct value ends[TASK_MAX_ARGS];
	struct at_work a = {.w = w,
			    .argument = argument,
			    .n = n,
			    .element = value_unknown(),
			    .other = value_unknown(),
			    .elements = poly_constant(0),
			    .found = value_unknown()};

	if (!argument)
		return value_unknown();
	if (whole) {
		a.n = with_ends(ends, w, argument, n);
		a.argument = ends;
	}
	/* How it is executed comes before the first range. */
	if (a.n > 2 && a.argument[0].tensor < 0 && a.argument[1].tensor >= 0) {
		a.argument++;
		a.n--;
	}
	do_work(&a, of->arguments);
	w->searched |= of->in_order ? a.ranges : 0;
	if (!of->finds || a.found.tensor < 0)
		return value_unknown();
	a.found.ended_by |= UINT32_C(1) << a.found.tensor;
	return a.found;
}

/* ---- C: qsort and bsearch ------------------------------------------------------ */

/* `n` elements of `bytes` from *base on; what compares gets their addresses. */
static struct value use_array(struct walk *w, const struct value *base,
			      const struct value *n, const struct value *bytes,
			      enum access_kind kind)
{
	struct value v = *base;
	struct poly end, size;

	if (v.tensor < 0)
		return v;
	size = poly_constant((int64_t)w->bytes[v.tensor]);
	end = poly_mul(&n->p, &bytes->p);
	/* sizeof(struct pair) is not known here: whole ones. */
	if (!poly_divide(&end, &end, &size)) {
		w->access[v.tensor].unsure = true;
		end = n->p;
	}
	record_range(w, &v, &end, kind);
	v.binding = SIZE_MAX;
	return v;
}

bool walk_c_algorithm(struct value *out, struct walk *w, struct token name,
		      const struct value *argument, size_t n)
{
	bool sorts = token_is(name, "qsort") && n == 4;
	bool finds = token_is(name, "bsearch") && n == 5;
	struct value both[2];

	if (!sorts && !finds)
		return false;
	both[0] = both[1] = use_array(w, &argument[finds], &argument[finds + 1],
				      &argument[finds + 2],
				      sorts ? ACCESS_BOTH : ACCESS_READ);
	if (finds)
		both[0] = argument[0];
	if (finds && both[1].tensor >= 0)
		w->searched |= UINT32_C(1) << both[1].tensor;
	if (argument[n - 1].callee)
		walk_call_value(w, &argument[n - 1], both, 2);
	else
		for (int i = 0; i < 2; i++)
			if (both[i].tensor >= 0)
				walk_escape(w, &both[i]);
	*out = finds ? both[1] : value_unknown();
	if (finds && both[1].tensor >= 0)
		out->ended_by |= UINT32_C(1) << both[1].tensor;
	return true;
}
