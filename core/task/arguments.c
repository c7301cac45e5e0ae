/* The list under `arguments:`, in the order of the C signature. */
#include "core/task/reader.h"

#include <math.h>

const char *fill_name(enum fill f)
{
	static const char *const names[] = {
		"mixed",      "normal",	    "uniform",	  "large",
		"tiny",	      "small_ints", "sparse",	  "range",
		"generator",  "outliers",   "shifted",	  "by_row",
		"stray_rows", "all_high",   "all_low",	  "mostly_high",
		"mostly_low", "ends",	    "ends_by_row"};

	return names[f];
}

static struct error *read_dtype(enum dtype *out, const struct task_reader *r,
				const struct yaml *y, const char *where)
{
	bool known = y->kind == YAML_SCALAR && dtype_parse(out, y->text);

	/* C has no such type, and a right value may equal poison of one
	 * byte. */
	if (known && dtype_bytes(*out) == 1 && dtype_is_float(*out) &&
	    r->task->language != LANGUAGE_CUDA)
		return reader_refuse(
			r, y, where,
			"floats of 8 bits are for a GPU: language: "
			"cuda, or python with device: cuda");
	if (known)
		return NULL;
	return reader_refuse(r, y, where,
			     "allowed are: "
#define X(id, name, bytes, floating) name " "
			     DTYPES(X)
#undef X
	);
}

static struct error *read_exprs(struct expr **out, size_t *n,
				const struct task_reader *r,
				const struct yaml *y, const char *where)
{
	if (y->kind != YAML_SEQUENCE || y->n == 0 || y->n > TASK_MAX_DIMS)
		return reader_refuse(r, y, where,
				     "it must be a list of 1 to 8 sizes such "
				     "as [m, k]");
	for (*n = 0; *n < y->n; ++*n)
		TRY(reader_expr(&out[*n], r, &y->item[*n], where));
	return NULL;
}

static struct error *read_fill(struct argument *a, const struct task_reader *r,
			       const struct yaml *y, const char *where)
{
	int choice = 0;

	if (!y) {
		if (dtype_is_float(a->dtype) || a->direction == DIRECTION_OUT)
			return NULL;
		a->fill = FILL_SMALL_INTS;
		return NULL;
	}
	if (y->kind != YAML_MAPPING) {
		TRY(reader_choice(&choice, r, y, where, WORDS_FILL));
		if (choice >= FILL_RANGE)
			choice += FILL_OUTLIERS - FILL_RANGE;
		a->fill = (enum fill)choice;
		return NULL;
	}
	TRY(reader_keys(r, y, where, keys_fill, 0));
	if (document_get(y, "generator")) {
		if (y->n > 1)
			return reader_refuse(r, y, where,
					     "it needs low and high, or "
					     "generator, not both");
		a->fill = FILL_GENERATOR;
		return reader_function(&a->generator, r,
				       document_get(y, "generator"), where);
	}
	a->fill = FILL_RANGE;
	TRY(reader_expr(&a->low, r, document_get(y, "low"), where));
	TRY(reader_expr(&a->high, r, document_get(y, "high"), where));
	TRY(reader_bool(&a->only_uniform, r, document_get(y, "uniform"),
			where));
	return a->low && a->high
		       ? NULL
		       : reader_refuse(r, y, where,
				       "it needs low and high, or generator");
}

static struct error *read_alignment(struct argument *a,
				    const struct task_reader *r,
				    const struct yaml *y, const char *where)
{
	int64_t align = 64;

	TRY(reader_int(&align, r, y, where, task_key(keys_tensor, 0, "align")));
	if (align & (align - 1))
		return reader_refuse(r, y, where, "it must be a power of two");
	a->alignment = (size_t)align;
	return NULL;
}

static struct error *read_own_tolerance(struct argument *a,
					const struct task_reader *r,
					const struct yaml *y, const char *where)
{
	if (!y)
		return NULL;
	if (a->direction == DIRECTION_IN)
		return reader_refuse(r, y, where,
				     "a tolerance is for outputs only");
	TRY(reader_keys(r, y, where, keys_own_tolerance, 0));
	if (!y->n)
		return reader_refuse(r, y, where,
				     "a tolerance needs rtol, atol or both");
	a->has_tolerance = true;
	return task_read_rtol_atol(&a->rtol, &a->atol, r, y, where);
}

static struct error *read_tensor(struct argument *a,
				 const struct task_reader *r,
				 const struct yaml *y, const char *where)
{
	const struct yaml *strides = document_get(y, "strides");
	int direction = DIRECTION_IN;
	bool varies = true;
	size_t n = 0;

	a->kind = ARGUMENT_TENSOR;
	TRY(reader_keys(r, y, where, keys_tensor, 0));
	if (!document_get(y, "dtype"))
		return reader_missing(r, y, where, "dtype");
	TRY(read_dtype(&a->dtype, r, document_get(y, "dtype"), where));
	TRY(read_exprs(a->shape, &a->n_dims, r, document_get(y, "shape"),
		       where));
	TRY(reader_choice(&direction, r, document_get(y, "direction"), where,
			  WORDS_DIRECTION));
	a->direction = (enum direction)direction;
	TRY(reader_bool(&a->is_static, r, document_get(y, "static"), where));
	if (a->is_static && (a->direction != DIRECTION_IN || !r->task->prepare))
		return reader_refuse(r, document_get(y, "static"), where,
				     "static is for inputs of a task with "
				     "`prepare: FUNCTION`");
	if (strides) {
		a->has_strides = true;
		TRY(read_exprs(a->stride, &n, r, strides, where));
		if (n != a->n_dims)
			return reader_refuse(r, strides, where,
					     "strides need one a dimension");
	}
	TRY(read_alignment(a, r, document_get(y, "align"), where));
	if (a->alignment < dtype_bytes(a->dtype))
		return reader_refuse(r, document_get(y, "align"), where,
				     "align is less than an element");
	TRY(read_own_tolerance(a, r, document_get(y, "tolerance"), where));
	TRY(reader_bool(&varies, r, document_get(y, "vary"), where));
	a->may_not_vary = !varies;
	return read_fill(a, r, document_get(y, "fill"), where);
}

/* What the function returns: an output of one element. */
static struct error *read_returned(struct argument *a,
				   const struct task_reader *r,
				   const struct yaml *y, const char *where)
{
	const struct yaml *dtype = document_get(y, "dtype");
	bool varies = true;

	a->kind = ARGUMENT_TENSOR;
	TRY(reader_keys(r, y, where, keys_returned, 0));
	if (r->task->language == LANGUAGE_CUDA)
		return reader_refuse(r, document_get(y, "direction"), where,
				     "a host function of CUDA must return "
				     "nothing");
	if (!dtype)
		return reader_missing(r, y, where, "dtype");
	TRY(read_dtype(&a->dtype, r, dtype, where));
	if (dtype_is_float(a->dtype) && dtype_bytes(a->dtype) < 4)
		return reader_refuse(r, dtype, where,
				     "f16 and bf16 cannot be returned");
	a->direction = DIRECTION_OUT;
	a->passing = PASSED_BACK;
	a->alignment = 64;
	a->n_dims = 1;
	TRY(expr_parse(&a->shape[0], "1"));
	TRY(reader_bool(&varies, r, document_get(y, "vary"), where));
	a->may_not_vary = !varies;
	return read_own_tolerance(a, r, document_get(y, "tolerance"), where);
}

static bool is_returned(const struct yaml *y)
{
	const struct yaml *direction = document_get(y, "direction");

	return direction && direction->kind == YAML_SCALAR &&
	       str_eq(direction->text, "return");
}

#define MAX_EXACT 0x1p53 /* beyond, a double skips integers */

static bool holds(enum dtype dtype, double v)
{
	uint64_t place = 0;
	double held;

	if (!isfinite(v))
		return false;
	dtype_store(dtype, &place, 0, v);
	held = dtype_load(dtype, &place, 0);
	if (dtype_is_float(dtype))
		return isfinite(held);
	return fabs(v) < MAX_EXACT && !(held < v) && !(held > v);
}

static struct error *read_constant(struct scalar *s, bool *is_constant,
				   const struct task_reader *r,
				   const struct yaml *y, const char *where)
{
	double v;
	char *end;

	*is_constant = false;
	if (y->kind != YAML_SCALAR || !*y->text ||
	    !strchr("+-.0123456789", *y->text))
		return NULL;
	v = strtod(y->text, &end);
	if (*end)
		return NULL;
	if (!holds(s->dtype, v))
		return reader_refuse(r, y, where,
				     "it must be a number that its dtype "
				     "holds");
	s->constant = v;
	*is_constant = true;
	return NULL;
}

/* A value is an expression over the symbols, or a constant like 0.5. */
static struct error *read_scalar(struct scalar *s, const struct task_reader *r,
				 const struct yaml *y, const char *where)
{
	const struct yaml *value = document_get(y, "value");
	bool constant;

	TRY(reader_keys(r, y, where, keys_scalar, 0));
	if (!value || !document_get(y, "dtype"))
		return reader_missing(r, y, where, value ? "dtype" : "value");
	TRY(reader_identifier(&s->name, r, document_get(y, "name"), where));
	TRY(read_dtype(&s->dtype, r, document_get(y, "dtype"), where));
	TRY(read_constant(s, &constant, r, value, where));
	if (constant)
		return NULL;
	return reader_expr(&s->value, r, value, where);
}

/* A member of a struct: a number, or a pointer to a tensor of the task. */
static struct error *read_member(struct scalar *s, const struct task_reader *r,
				 const struct yaml *y, const char *where)
{
	static const struct key *const kinds[] = {keys_member, keys_pointer,
						  NULL};
	const struct yaml *tensor = document_get(y, "tensor");

	TRY(reader_keys_among(r, y, where, kinds));
	if (!tensor)
		return read_scalar(s, r, y, where);
	if (r->task->language == LANGUAGE_CUDA)
		return reader_refuse(r, tensor, where,
				     "pointers in a struct are for c and c++ "
				     "only");
	if (document_get(y, "value") || document_get(y, "dtype"))
		return reader_refuse(r, tensor, where,
				     "a member is a tensor, or a number with "
				     "dtype and value");
	s->dtype = DTYPE_U64; /* a pointer's size, and passed as one is */
	TRY(reader_identifier(&s->tensor, r, tensor, where));
	return reader_identifier(&s->name, r, document_get(y, "name"), where);
}

/* The last member has a name that no other has. */
static struct error *check_member(const struct argument *a,
				  const struct task_reader *r,
				  const struct yaml *y, const char *where)
{
	const char *name = a->members[a->n_members - 1].name;

	if (!name)
		return reader_missing(r, y, where, "name");
	for (size_t i = 0; i + 1 < a->n_members; i++)
		if (str_eq(a->members[i].name, name))
			return reader_refuse(r, y, where,
					     "two members have this name");
	return NULL;
}

static struct error *read_struct(struct argument *a,
				 const struct task_reader *r,
				 const struct yaml *y, const char *where)
{
	const struct yaml *members = document_get(y, "struct");

	a->kind = ARGUMENT_STRUCT;
	TRY(reader_keys(r, y, where, keys_struct, 0));
	if (members->kind != YAML_SEQUENCE || !members->n ||
	    members->n > MAX_MEMBERS)
		return reader_refuse(
			r, members, where,
			"struct must be a list of 1 to 32 members "
			"with name, and dtype and value or tensor");
	if (document_get(y, "pointer") && r->task->language == LANGUAGE_CUDA)
		return reader_refuse(r, document_get(y, "pointer"), where,
				     "it is for c and c++ only");
	TRY(reader_bool(&a->by_pointer, r, document_get(y, "pointer"), where));
	a->members = xcalloc(members->n, sizeof *a->members);
	for (size_t i = 0; i < members->n; i++) {
		a->n_members = i + 1;
		TRY(read_member(&a->members[i], r, &members->item[i], where));
		TRY(check_member(a, r, &members->item[i], where));
	}
	return NULL;
}

static struct error *read_workspace(struct argument *a,
				    const struct task_reader *r,
				    const struct yaml *y, const char *where)
{
	a->kind = ARGUMENT_WORKSPACE;
	TRY(reader_keys(r, y, where, keys_workspace, 0));
	TRY(reader_expr(&a->bytes, r, document_get(y, "workspace"), where));
	TRY(reader_bool(&a->zeroed, r, document_get(y, "zeroed"), where));
	return read_alignment(a, r, document_get(y, "align"), where);
}

static struct error *read_prepared(struct argument *a,
				   const struct task_reader *r,
				   const struct yaml *y, const char *where)
{
	const struct yaml *bytes = document_get(y, "prepared");

	a->kind = ARGUMENT_PREPARED;
	TRY(reader_keys(r, y, where, keys_prepared, 0));
	if (!r->task->prepare)
		return reader_refuse(r, bytes, where,
				     "prepared is for a task with `prepare: "
				     "FUNCTION`, which fills it");
	TRY(reader_expr(&a->bytes, r, bytes, where));
	return read_alignment(a, r, document_get(y, "align"), where);
}

static struct error *read_argument(struct argument *a,
				   const struct task_reader *r,
				   const struct yaml *y)
{
	cleanup_free char *where = NULL;

	TRY(reader_keys_among(r, y, "arguments", keys_arguments));
	if (!document_get(y, "name"))
		return reader_missing(r, y, "arguments", "name");
	TRY(reader_identifier(&a->name, r, document_get(y, "name"),
			      "arguments"));
	where = xasprintf("arguments.%s", a->name);
	if (is_returned(y))
		return read_returned(a, r, y, where);
	if (document_get(y, "shape"))
		return read_tensor(a, r, y, where);
	if (document_get(y, "workspace"))
		return read_workspace(a, r, y, where);
	if (document_get(y, "prepared"))
		return read_prepared(a, r, y, where);
	if (document_get(y, "struct"))
		return read_struct(a, r, y, where);
	if (!document_get(y, "value"))
		return reader_refuse(r, y, where,
				     "it needs shape (a tensor), value (a "
				     "scalar), struct, workspace or prepared");
	a->kind = ARGUMENT_SCALAR;
	a->members = xcalloc(1, sizeof *a->members);
	a->n_members = 1;
	return read_scalar(&a->members[0], r, y, where);
}

static bool has_static(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].is_static)
			return true;
	return false;
}

static bool has_output(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].kind == ARGUMENT_TENSOR &&
		    t->argument[i].direction != DIRECTION_IN)
			return true;
	return false;
}

static bool has_varying_output(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (task_is_output(t, i) && !t->argument[i].may_not_vary)
			return true;
	return false;
}

/* Finds the tensors that members of this struct point to. */
static struct error *resolve_members(struct argument *a,
				     const struct task_reader *r,
				     const struct yaml *y)
{
	struct task *t = r->task;

	for (size_t i = 0; i < a->n_members; i++) {
		struct scalar *m = &a->members[i];
		struct argument *to = NULL;

		for (size_t j = 0; m->tensor && j < t->n_arguments; j++)
			if (str_eq(t->argument[j].name, m->tensor)) {
				to = &t->argument[j];
				m->tensor_index = j;
			}
		if (m->tensor &&
		    (!to || to->kind == ARGUMENT_SCALAR ||
		     to->kind == ARGUMENT_STRUCT || to->passing == PASSED_BACK))
			return reader_refuse(r, y, a->name,
					     "a member's tensor is the name of "
					     "a tensor or workspace among the "
					     "arguments");
		if (m->tensor)
			to->passing = PASSED_IN_STRUCT;
	}
	return NULL;
}

static struct error *check_returned(const struct task_reader *r,
				    const struct yaml *list)
{
	const struct task *t = r->task;
	size_t n = 0;

	for (size_t i = 0; i < t->n_arguments; i++)
		n += t->argument[i].passing == PASSED_BACK;
	return n > 1 ? reader_refuse(r, list, "arguments",
				     "a function returns one value: one "
				     "direction: return")
		     : NULL;
}

struct error *task_read_arguments(struct task_reader *r,
				  const struct yaml *list)
{
	struct task *t = r->task;

	if (list->kind != YAML_SEQUENCE || !list->n || list->n > TASK_MAX_ARGS)
		return reader_refuse(r, list, "arguments",
				     "it must be a list of 1 to 32 arguments");
	for (size_t i = 0; i < list->n; i++) {
		t->n_arguments = i + 1;
		TRY(read_argument(&t->argument[i], r, &list->item[i]));
		for (size_t j = 0; j < i; j++)
			if (str_eq(t->argument[i].name, t->argument[j].name))
				return reader_refuse(r, &list->item[i],
						     t->argument[i].name,
						     "two arguments have this "
						     "name");
	}
	for (size_t i = 0; i < list->n; i++)
		TRY(resolve_members(&t->argument[i], r, &list->item[i]));
	TRY(check_returned(r, list));
	if (!has_output(t))
		return reader_refuse(r, list, "arguments",
				     "one must have direction out, inout or "
				     "return, or nothing can be checked");
	if (!has_varying_output(t))
		return reader_refuse(
			r, list, "arguments",
			"with `vary: false` on every output no "
			"kernel differs from one that does nothing");
	if (t->prepare && !has_static(t))
		return reader_refuse(r, list, "arguments",
				     "with `prepare` at least one input must "
				     "be static: true");
	return NULL;
}
