/* The sizes of a first task: those that are timed, and those that are drawn. */
#include "core/task/template_cases.h"

#include "core/task/token.h"

#define SMALL	    8	 /* where a size has to be small beside the others */
#define MOST_HIDDEN 4096 /* of one that is drawn, but for ODD */
#define MOST_TURNS  16	 /* of a loop over nothing that has a size */
#define MOST_CASES  4
#define ODD	    3
#define WIDE	    256 /* two blocks of 128, and a rest */

/* Did the loops say how large something is? */
static bool has_shapes(const struct prototype *p)
{
	for (size_t i = 0; i < prototype_all(p); i++)
		if (p->parameter[i].shape &&
		    (!p->parameter[i].state ||
		     p->parameter[i].held == HELD_PLAIN))
			return true;
	return false;
}

bool template_is_symbol(const struct prototype *p, const struct parameter *a)
{
	return a->known && !a->is_pointer && *a->name &&
	       !dtype_is_float(a->dtype) &&
	       (a->is_size || a->n_values || !has_shapes(p));
}

const char *template_symbol(const struct prototype *p, size_t i)
{
	for (size_t j = 0; j < prototype_all(p); j++)
		if (template_is_symbol(p, &p->parameter[j]) && i-- == 0)
			return p->parameter[j].name;
	for (size_t j = 0; j < prototype_all(p); j++)
		if (p->parameter[j].contents && i-- == 0)
			return p->parameter[j].contents;
	return NULL;
}

/* ---- their names ------------------------------------------------------------- */

/* Of a parameter that cases cannot have: `n`, which only the first one of them
 * gets, or one made of its own. */
static void add_other_name(struct buf *out, const struct prototype *p,
			   size_t which)
{
	bool first = !prototype_has(p, "n");
	cleanup_free char *own = xasprintf("n_%.20s", p->parameter[which].name);

	for (size_t i = 0; i < which; i++)
		first = first && (!template_is_symbol(p, &p->parameter[i]) ||
				  task_can_be_symbol(p->parameter[i].name));
	if (first)
		buf_addc(out, 'n');
	else if (strlen(own) < 22 && !prototype_has(p, own))
		buf_adds(out, own);
	else
		buf_addf(out, "%s_%zu", own, which + 1);
}

void template_add_expression(struct buf *out, const struct prototype *p,
			     const char *text)
{
	const char *at = text;
	struct token t;

	while ((t = token_next(&at)).len) {
		buf_add(out, text, (size_t)(t.at - text));
		text = at;
		for (size_t i = 0; t.len && i < prototype_all(p); i++) {
			const char *name = p->parameter[i].name;

			if (!token_is(t, name) || task_can_be_symbol(name) ||
			    !template_is_symbol(p, &p->parameter[i]))
				continue;
			add_other_name(out, p, i);
			t.len = 0;
		}
		buf_add(out, t.at, t.len);
	}
	buf_adds(out, text);
}

static void add_text(struct buf *out, const char *before,
		     const struct prototype *p, const char *text)
{
	buf_adds(out, before);
	template_add_expression(out, p, text);
}

static size_t n_symbols(const struct prototype *p)
{
	size_t n = 0;

	while (template_symbol(p, n))
		n++;
	return n;
}

/* A power of two for each symbol, so that the largest tensor has about 2^most
 * elements, and the loops 2^(most + 4) turns. */
static unsigned long symbol_size(const struct prototype *p, size_t most)
{
	size_t tensor = MAX(p->tensor_degree, (size_t)1);
	size_t work = MAX(p->work_degree - MIN(p->work_degree, p->work_counts),
			  tensor);
	size_t bits = MIN(most / tensor, (most + 4) / work);

	return 1UL << MAX(bits, (size_t)3);
}

/* In one dimension or two, about a million elements; sixteen million for a
 * GPU. */
static unsigned long blind_size(const struct prototype *p, bool small_case)
{
	static const unsigned long sizes[][2][2] = {
		{{1000000, 65536}, {1024, 256}},
		{{16777216, 1048576}, {4096, 1024}},
	};

	return sizes[p->language == LANGUAGE_CUDA][n_symbols(p) > 1]
		    [small_case];
}

/* The parameter that is this symbol; NULL: the symbol is none. */
static const struct parameter *find(const struct prototype *p, const char *name)
{
	for (size_t k = 0; k < prototype_all(p); k++)
		if (!p->parameter[k].is_pointer &&
		    str_eq(p->parameter[k].name, name))
			return &p->parameter[k];
	return NULL;
}

/* How often something is done to each element, a few times. */
static bool is_count(const struct prototype *p, const struct parameter *a)
{
	return a && prototype_is_count(p, a);
}

/* Of what sizes are to be multiples of. */
static int64_t round_down(int64_t size, const struct parameter *a)
{
	int64_t of = a ? MAX(a->multiple, INT64_C(1)) : 1;

	return MAX(size / of, INT64_C(1)) * of;
}

/* Of loops whose bounds are in an array, a few turns each. */
static bool is_of_bounds(const struct prototype *p, const char *name)
{
	for (size_t i = 0; i < prototype_all(p); i++)
		if (p->parameter[i].ascends &&
		    str_eq(p->parameter[i].contents ? p->parameter[i].contents
						    : p->parameter[i].high,
			   name))
			return true;
	return false;
}

/* The greatest of the few values first, and the least in the last case; but of two
 * first that which the class gives it: a flag may leave out all work. */
static int64_t value_of(const struct parameter *a, size_t number, size_t cases)
{
	size_t last = a->n_values - 1;

	if (last == 1 && a->initial &&
	    strtoll(a->initial, NULL, 10) == a->value[0])
		number = cases - 1 - number;
	return a->value[last - number * last / (cases - 1)];
}

/* Two, or more where a number is one of more values. */
static size_t n_cases(const struct prototype *p)
{
	size_t most = 2;

	for (size_t i = 0; i < prototype_all(p); i++)
		if (template_is_symbol(p, &p->parameter[i]))
			most = MAX(most, p->parameter[i].n_values);
	return MIN(most, (size_t)MOST_CASES);
}

static int64_t case_size(const struct template *t, const char *name,
			 bool small_case)
{
	const struct prototype *p = t->prototype;
	const struct parameter *a = find(p, name);
	int64_t size;

	if (a && a->size)
		return a->size;
	size = (int64_t)(has_shapes(p) ? symbol_size(p, small_case ? 16 : 20)
				       : blind_size(p, small_case));
	if (is_count(p, a) || (t->small && str_eq(t->small, name)))
		size = SMALL;
	else if (is_of_bounds(p, name))
		size *= SMALL;
	size = round_down(a ? MAX(size, a->least) : size, a);
	return a && size < a->least ? size + a->multiple : size;
}

static void add_sizes(struct buf *out, const struct template *t, size_t number)
{
	const struct prototype *p = t->prototype;
	size_t n = n_symbols(p);

	buf_adds(out, "  - {");
	for (size_t j = 0; j < MAX(n, 1); j++) {
		const char *name = n ? template_symbol(p, j) : "n";
		const struct parameter *a = find(p, name);

		add_text(out, j ? ", " : "", p, name);
		buf_addf(out, ": %jd",
			 (intmax_t)(a && a->n_values
					    ? value_of(a, number, n_cases(p))
					    : case_size(t, name, number > 0)));
	}
	buf_adds(out, "}\n");
}

/* Is there another size than those that are declared? */
static bool sizes_are_free(const struct prototype *p)
{
	bool any = !has_shapes(p);

	for (size_t i = 0; i < prototype_all(p); i++)
		any = any || (template_is_symbol(p, &p->parameter[i]) &&
			      !p->parameter[i].size);
	return any;
}

/* ---- sizes that are drawn ---------------------------------------------------- */

/* Of nothing but strides. */
static bool is_stride(const struct prototype *p, const char *name)
{
	bool found = false;

	for (size_t i = 0; i < prototype_all(p); i++) {
		found = found || token_occurs(p->parameter[i].strides, name);
		if (token_occurs(p->parameter[i].shape, name))
			return false;
	}
	return found;
}

/* So that a block of a usual size has others beside it, and a rest, where one
 * launch with all symbols so large is still a small one. */
static int64_t widened(const struct prototype *p, int64_t high)
{
	return p->tensor_degree <= 2 && p->work_degree <= 3 ? MAX(high, WIDE)
							    : high;
}

/* Up to the small case, for these are launched beside it, and a little more. */
static int64_t highest(const struct template *t)
{
	int64_t high = 0;

	for (size_t i = 0; template_symbol(t->prototype, i); i++) {
		const char *name = template_symbol(t->prototype, i);
		const struct parameter *a = find(t->prototype, name);

		if (!a || !a->n_values)
			high = MAX(high, case_size(t, name, true));
	}
	return widened(t->prototype, MIN(high, MOST_HIDDEN)) + ODD;
}

/* Odd ones too, and such as are smaller than what a loop takes at a time, unless
 * the kernel's own loops or checks are against it. */
static void add_range(struct buf *out, const struct template *t,
		      const char *name)
{
	const struct parameter *a = find(t->prototype, name);
	int64_t of = a ? MAX(a->multiple, INT64_C(1)) : 1;
	int64_t low = a ? MAX(a->least, INT64_C(1)) : 1, high = highest(t);

	if (a && a->size) {
		buf_addf(out, "%jd..%jd", (intmax_t)a->size, (intmax_t)a->size);
		return;
	}
	if (a && a->n_values) {
		buf_addf(out, "%jd..%jd", (intmax_t)a->value[0],
			 (intmax_t)a->value[a->n_values - 1] + a->any_value);
		return;
	}
	low += t->above_least;
	if (is_count(t->prototype, a)) {
		high = MOST_TURNS;
	} else if (is_stride(t->prototype, name)) {
		low = high;
		high += 2 * ODD;
	} else if (t->small && str_eq(t->small, name)) {
		high = SMALL;
	} else if (t->small) {
		low = MAX(low, INT64_C(2) * SMALL);
	}
	high = MAX(high, low);
	if (of == 1) {
		buf_addf(out, "%jd..%jd", (intmax_t)low, (intmax_t)high);
		return;
	}
	low = (low + of - 1) / of * of;
	high = MAX(high / of * of, low + 3 * of);
	buf_addf(out, "{low: %jd, high: %jd, step: %jd}", (intmax_t)low,
		 (intmax_t)high, (intmax_t)of);
}

/* What not every size is drawn for. */
static void add_steps(struct buf *out, const struct prototype *p)
{
	size_t n = 0;
	const char *name;

	for (size_t i = 0; (name = template_symbol(p, i)); i++) {
		const struct parameter *a = find(p, name);

		if (!a || a->multiple <= 1)
			continue;
		add_text(out, n++ ? ", " : "# The kernel takes ", p, name);
		buf_addf(out, " %jd at a time", (intmax_t)a->multiple);
	}
	if (n)
		buf_adds(out, ".\n");
}

/* Are there others between them, that the source has nothing for? */
static bool has_gaps(const struct parameter *a)
{
	return a->n_values && !a->any_value &&
	       a->value[a->n_values - 1] - a->value[0] + 1 >
		       (int64_t)a->n_values;
}

/* `bpp == 1 || bpp == 3`, for each such number. */
static void add_require(struct buf *out, const struct prototype *p)
{
	size_t n = 0;
	const char *name;

	for (size_t i = 0; (name = template_symbol(p, i)); i++) {
		const struct parameter *a = find(p, name);

		if (!a || !has_gaps(a))
			continue;
		buf_adds(out, n++ ? " && (" : ", require: \"(");
		for (size_t k = 0; k < a->n_values; k++) {
			add_text(out, k ? " || " : "", p, name);
			buf_addf(out, " == %jd", (intmax_t)a->value[k]);
		}
		buf_addc(out, ')');
	}
	if (n)
		buf_addc(out, '"');
}

static void add_hidden(struct buf *out, const struct template *t)
{
	const struct prototype *p = t->prototype;
	const char *name;

	if (!n_symbols(p) || !sizes_are_free(p) || t->no_hidden) {
		buf_addf(out,
			 "# GUESS: no other sizes are drawn, for %s.\n"
			 "# hidden: {count: 3, n: 1..300}\n",
			 t->no_hidden ? "not all go with each other"
				      : "no size of the kernel was found to be "
					"free");
		return;
	}
	buf_adds(out, "# Drawn for every scoring, checked and not timed: what "
		      "is right at the sizes above\n"
		      "# only does not pass. LOW..HIGH, or {low, high, "
		      "step}.\n");
	add_steps(out, p);
	buf_adds(out, "hidden: {count: 3");
	for (size_t i = 0; (name = template_symbol(p, i)); i++) {
		add_text(out, ", ", p, name);
		buf_adds(out, ": ");
		add_range(out, t, name);
	}
	add_require(out, p);
	buf_adds(out, "}  # GUESS: sizes that it has to be right for\n");
}

void template_add_cases(struct buf *out, const struct template *t)
{
	const struct prototype *p = t->prototype;
	bool constant = has_shapes(p) && !n_symbols(p);

	buf_addf(out, "cases:  # GUESS%s\n",
		 constant ? ": every size is a constant, and n is of no use"
			  : "");
	for (size_t i = 0; i < (sizes_are_free(p) ? n_cases(p) : 1); i++)
		add_sizes(out, t, i);
	add_hidden(out, t);
}
