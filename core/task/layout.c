#include "core/task/layout.h"

#define REGION_MAX ((size_t)4 << 30)

static struct error *eval_size(int64_t *out, const struct expr *e,
			       const struct symbols *symbols, int64_t least)
{
	TRY(expr_eval(out, e, symbols));
	if (*out < least)
		return error_new(ERROR_TASK,
				 "'%s' is %jd, and must be %jd or "
				 "more",
				 expr_text(e), (intmax_t)*out, (intmax_t)least);
	return NULL;
}

static struct error *fill_shape(struct tensor_layout *t,
				const struct argument *a,
				const struct symbols *symbols)
{
	t->n_dims = a->n_dims;
	t->elements = 1;
	for (size_t d = 0; d < a->n_dims; d++) {
		TRY(eval_size(&t->shape[d], a->shape[d], symbols, 1));
		if (__builtin_mul_overflow(t->elements, t->shape[d],
					   &t->elements))
			return error_new(ERROR_TASK,
					 "it has too many elements");
	}
	return NULL;
}

/* Elements must not overlap: in order of the strides, each one must step beyond
 * all that the dimensions with smaller strides reach. */
static bool strides_overlap(const struct tensor_layout *t)
{
	size_t order[TASK_MAX_DIMS], n = 0;
	int64_t reach = 0;

	for (size_t d = 0; d < t->n_dims; d++) {
		size_t at = n;

		if (t->shape[d] == 1)
			continue;
		for (; at && t->stride[order[at - 1]] > t->stride[d]; at--)
			order[at] = order[at - 1];
		order[at] = d;
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		size_t d = order[i];

		if (t->stride[d] <= reach)
			return true;
		reach += (t->shape[d] - 1) * t->stride[d];
	}
	return false;
}

static struct error *fill_strides(struct tensor_layout *t,
				  const struct argument *a,
				  const struct symbols *symbols)
{
	int64_t step = 1, last = 0;

	for (size_t d = a->n_dims; d-- > 0;) {
		t->stride[d] = step;
		step *= t->shape[d];
		if (a->has_strides)
			TRY(eval_size(&t->stride[d], a->stride[d], symbols, 1));
	}
	for (size_t d = 0; d < a->n_dims; d++) {
		int64_t reach;

		if (__builtin_mul_overflow(t->shape[d] - 1, t->stride[d],
					   &reach) ||
		    __builtin_add_overflow(last, reach, &last))
			return error_new(ERROR_TASK, "it is too large");
	}
	if ((uint64_t)last >= REGION_MAX / dtype_bytes(t->dtype))
		return error_new(ERROR_TOO_BIG, "it is larger than 4 GiB");
	/* Only now is it sure that no sum of its steps can overflow. */
	if (a->has_strides && strides_overlap(t))
		return error_new(ERROR_TASK, "its strides make elements share "
					     "a place");
	t->bytes = ((size_t)last + 1) * dtype_bytes(t->dtype);
	return NULL;
}

static struct error *make_tensor(struct tensor_layout *t,
				 const struct argument *a,
				 const struct symbols *symbols)
{
	int64_t bytes;

	if (a->kind != ARGUMENT_TENSOR) {
		TRY(eval_size(&bytes, a->bytes, symbols, 0));
		if ((uint64_t)bytes > REGION_MAX)
			return error_new(ERROR_TOO_BIG,
					 "it is larger than 4 GiB");
		t->region = a->kind == ARGUMENT_PREPARED ? REGION_PREPARED
							 : REGION_WORKSPACE;
		t->bytes = (size_t)bytes;
		t->zeroed = a->zeroed;
		t->passing = a->passing;
		t->dtype = DTYPE_U8;
		t->elements = bytes;
		return NULL;
	}
	t->passing = a->passing;
	t->dtype = a->dtype;
	t->direction = a->direction;
	t->may_not_vary = a->may_not_vary;
	t->has_tolerance = a->has_tolerance;
	t->rtol = a->rtol;
	t->atol = a->atol;
	t->region = a->direction == DIRECTION_IN ? REGION_INPUT : REGION_OUTPUT;
	TRY(fill_shape(t, a, symbols));
	return fill_strides(t, a, symbols);
}

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* The runner in C maps each tensor by itself: what lies before its slot faults. What
 * is only written has poison there: a write is found, and told as one. */
static bool is_flush(const struct task *t, const struct argument *a)
{
	return (t->language == LANGUAGE_C || t->language == LANGUAGE_CXX) &&
	       a->kind == ARGUMENT_TENSOR && a->direction != DIRECTION_OUT;
}

/* Gives the tensor its slot at the end of its region. */
static struct error *place(struct layout *l, struct tensor_layout *t,
			   size_t alignment, bool end_aligned, bool flush)
{
	size_t *region = &l->region_bytes[t->region];
	size_t front = round_up(LAYOUT_GUARD, alignment), end;

	t->alignment = alignment;
	t->begin = *region;
	end = t->begin + round_up(front + t->bytes, LAYOUT_PAGE);
	t->offset = t->begin + (flush ? 0 : front);
	if (end_aligned)
		t->offset = (end - t->bytes) / alignment * alignment;
	t->end = end;
	if (end > REGION_MAX)
		return error_new(ERROR_TOO_BIG,
				 "the arguments are larger than 4 GiB");
	*region = end;
	return NULL;
}

static struct error *make_value(struct value_layout *v,
				const struct argument *a,
				const struct symbols *symbols)
{
	v->alignment = 1;
	v->by_pointer = a->by_pointer;
	for (size_t i = 0; i < a->n_members; i++) {
		const struct scalar *m = &a->members[i];
		size_t size = dtype_bytes(m->dtype);
		double value = m->constant;
		int64_t n;

		if (v->n_members >= ARRAY_SIZE(v->member) ||
		    round_up(v->bytes, size) + size > sizeof v->data)
			return error_new(ERROR_TASK, "the struct is too large");
		v->bytes = round_up(v->bytes, size);
		if (m->value) {
			TRY(expr_eval(&n, m->value, symbols));
			value = (double)n;
		}
		dtype_store(m->dtype, v->data + v->bytes, 0, value);
		v->bytes += size;
		v->alignment = MAX(v->alignment, size);
		if (m->tensor)
			v->tensor[v->n_members] =
				(unsigned char)(m->tensor_index + 1);
		v->member[v->n_members++] = m->dtype;
	}
	v->bytes = round_up(v->bytes, v->alignment);
	return NULL;
}

static int64_t common_rows(const struct layout *l)
{
	int64_t rows = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct tensor_layout *t = &l->arg[i].tensor;

		if (!l->arg[i].is_tensor || t->region != REGION_OUTPUT)
			continue;
		if (t->n_dims == 0 || (rows && rows != t->shape[0]))
			return 0;
		rows = t->shape[0];
	}
	return rows;
}

static struct error *add(struct layout *l, const struct argument *a,
			 const struct symbols *symbols, bool end_aligned,
			 bool flush)
{
	size_t i = l->n++;

	l->arg[i].is_tensor = a->kind != ARGUMENT_SCALAR &&
			      a->kind != ARGUMENT_STRUCT;
	if (!l->arg[i].is_tensor)
		return make_value(&l->arg[i].value, a, symbols);
	TRY(make_tensor(&l->arg[i].tensor, a, symbols));
	return place(l, &l->arg[i].tensor, MAX(a->alignment, 1), end_aligned,
		     flush);
}

struct error *layout_make(struct layout *out, const struct task *t,
			  const struct task_case *c, bool end_aligned)
{
	struct symbols symbols = task_symbols(t, c);
	struct layout *l = out;

	memset(l, 0, sizeof *l);
	for (size_t i = 0; i < t->n_arguments; i++)
		TRY(error_wrap(add(l, &t->argument[i], &symbols, end_aligned,
				   is_flush(t, &t->argument[i])),
			       "%s: case %s: argument %s", t->path, c->name,
			       t->argument[i].name));
	l->rows = common_rows(l);
	return NULL;
}
