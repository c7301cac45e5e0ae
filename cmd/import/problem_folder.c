#include "cmd/import/problem_folder.h"

#include <inttypes.h>
#include <math.h>

#include "cmd/ui/out.h"
#include "core/base/file.h"

#define DESCRIPTION   "problem.yaml"
#define REFERENCE     "reference.py"
#define SHAPES	      "shapes.py"
#define FORMULA_LIMIT 400
#define MOST_SYMBOL   INT64_C(1000000000000)
#define OWN_RULE      "allclose, with the tolerance of problem.yaml or 1e-2"

void problem_folder_release(struct problem_folder *f)
{
	free(f->name);
	free(f->flops);
	free(f->bytes);
	document_free(f->all);
	buf_release(&f->reference);
	buf_release(&f->shapes);
	buf_release(&f->task_cases);
	buf_release(&f->task_forbidden);
	forbidden_names_release(&f->forbidden);
	strvec_release(&f->not_taken);
}

const char *problem_folder_rule(void)
{
	return OWN_RULE;
}

/* ---- problem.yaml ------------------------------------------------------------ */

/* The keys that are carried over, told by name, or words for people. */
static bool is_read(const char *key)
{
	static const char *const known[] = {
		"name",	     "display_name",  "precision",     "regime",
		"tolerance", "flops_formula", "bytes_formula", "forbidden",
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (str_eq(known[i], key))
			return true;
	return false;
}

static const char *text_of(const struct yaml *all, const char *key)
{
	const struct yaml *y = document_get(all, key);

	return y && y->kind == YAML_SCALAR ? y->text : NULL;
}

static const char *formula_of(const struct yaml *all, const char *key)
{
	const char *text = text_of(all, key);

	return text && strlen(text) <= FORMULA_LIMIT ? text : NULL;
}

static bool read_error(double *out, const struct yaml *y)
{
	char *end;

	if (!y || y->kind != YAML_SCALAR || !*y->text)
		return false;
	*out = strtod(y->text, &end);
	return *end == '\0' && isfinite(*out) && *out >= 0;
}

/* A number, or {atol: A, rtol: R} of which one may be missing. */
static bool read_rule(double *rtol, double *atol, const struct yaml *y)
{
	const struct yaml *a = document_get(y, "atol"),
			  *r = document_get(y, "rtol");

	*rtol = *atol = 0;
	if (y->kind == YAML_SCALAR) {
		if (!read_error(atol, y))
			return false;
		*rtol = *atol;
		return true;
	}
	return (a || r) && (!a || read_error(atol, a)) &&
	       (!r || read_error(rtol, r));
}

/* "torch.bfloat16", "bfloat16" or "fp8_e4m3fn". */
static bool read_torch_type(enum dtype *out, const char *name)
{
	static const struct {
		const char *name;
		enum dtype dtype;
	} types[] = {
		{"float32", DTYPE_F32},	      {"float64", DTYPE_F64},
		{"float16", DTYPE_F16},	      {"bfloat16", DTYPE_BF16},
		{"int8", DTYPE_I8},	      {"int16", DTYPE_I16},
		{"int32", DTYPE_I32},	      {"int64", DTYPE_I64},
		{"uint8", DTYPE_U8},	      {"float8_e4m3fn", DTYPE_F8E4M3},
		{"fp8_e4m3fn", DTYPE_F8E4M3}, {"float8_e5m2", DTYPE_F8E5M2},
		{"fp8_e5m2", DTYPE_F8E5M2},
	};

	if (starts_with(name, "torch."))
		name += strlen("torch.");
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (str_eq(types[i].name, name)) {
			*out = types[i].dtype;
			return true;
		}
	return false;
}

static void set_rule(struct problem_question *q, enum dtype t, double rtol,
		     double atol)
{
	q->has_tolerance[t] = true;
	q->rtol[t] = rtol;
	q->atol[t] = atol;
}

static void leave_out(struct problem_folder *f, const char *what,
		      const char *text, const char *why)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&clean, text);
	strvec_pushf(&f->not_taken, "%s %.600s: %s", what, clean.data, why);
}

static void read_tolerance(struct problem_folder *f, const struct yaml *y)
{
	struct problem_question *q = &f->question;
	double rtol, atol;
	enum dtype t;

	if (!y)
		return;
	if (read_rule(&rtol, &atol, y)) {
		for (int i = 0; i < DTYPE_COUNT; i++)
			if (dtype_is_float((enum dtype)i))
				set_rule(q, (enum dtype)i, rtol, atol);
		return;
	}
	for (size_t i = 0; y->kind == YAML_MAPPING && i < y->n; i++)
		if (!read_torch_type(&t, y->key[i]))
			leave_out(f, "tolerance of", y->key[i],
				  "it is of no type that a task has");
		else if (!read_rule(&rtol, &atol, &y->item[i]))
			leave_out(f, "tolerance of", y->key[i],
				  "it is neither a number nor atol and rtol");
		else
			set_rule(q, t, rtol, atol);
}

static void say_list(struct problem_folder *f, const char *what,
		     struct buf *list, const char *why)
{
	if (list->len)
		leave_out(f, what, list->data, why);
}

static void add_to_list(struct buf *list, const char *item)
{
	if (list->len)
		buf_adds(list, ", ");
	buf_adds(list, item);
}

static void read_forbidden(struct problem_folder *f, const struct yaml *y)
{
	cleanup_buf struct buf list = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; y && i < y->n; i++)
		if (y->item[i].kind == YAML_SCALAR &&
		    !forbidden_take(&f->forbidden, y->item[i].text))
			add_to_list(&list, y->item[i].text);
	say_list(f, "forbidden", &list,
		 "a task forbids operators of PyTorch and whole packages");
	f->question.calls = &f->forbidden.calls;
}

static struct error *read_description(struct problem_folder *f)
{
	cleanup_free char *path = xasprintf("%s/" DESCRIPTION, f->path);
	cleanup_buf struct buf text = BUF_INIT(YAML_MAX_BYTES);
	const char *name;

	TRY(file_read(&text, path));
	TRY(document_parse(&f->all, path, text.data, text.len));
	if (f->all->kind != YAML_MAPPING)
		return error_new(ERROR_TASK, "%s: it is not a mapping", path);
	name = text_of(f->all, "name");
	f->name = name && *name ? xstrdup(name) : NULL;
	f->question.flops = formula_of(f->all, "flops_formula");
	f->question.bytes = formula_of(f->all, "bytes_formula");
	read_tolerance(f, document_get(f->all, "tolerance"));
	read_forbidden(f, document_get(f->all, "forbidden"));
	return NULL;
}

struct error *problem_folder_read(struct problem_folder *out, const char *path)
{
	cleanup_free char *reference = xasprintf("%s/" REFERENCE, path),
			  *shapes = xasprintf("%s/" SHAPES, path);

	*out = (struct problem_folder){.path = path,
				       .reference = BUF_INIT(PROBLEM_LIMIT),
				       .shapes = BUF_INIT(PROBLEM_LIMIT),
				       .task_cases = BUF_INIT(BUF_LIMIT_TEXT),
				       .task_forbidden =
					       BUF_INIT(BUF_LIMIT_TEXT)};
	TRY(read_description(out));
	if (!file_exists(reference))
		return error_new(ERROR_TASK,
				 "%s has no " REFERENCE ", whose Model is the "
				 "task: take a folder that has one",
				 path);
	TRY(file_read(&out->reference, reference));
	if (!file_exists(shapes))
		return NULL;
	out->question.shapes = &out->shapes;
	return file_read(&out->shapes, shapes);
}

/* ---- sizes --------------------------------------------------------------------- */

static bool is_constant(const int64_t *value, size_t n)
{
	for (size_t c = 1; c < n; c++)
		if (value[c] != value[0])
			return false;
	return true;
}

/* The size that is `value` plus `more` in every case; NULL: none. */
static const char *size_of(const struct problem *p, const int64_t *value,
			   int64_t more)
{
	for (size_t i = 0; i < p->n_sizes; i++) {
		size_t c = 0;

		while (c < p->n_cases && p->size[i].value[c] == value[c] + more)
			c++;
		if (c == p->n_cases)
			return p->size[i].name;
	}
	return NULL;
}

static bool is_taken(const struct problem *p, const char *name)
{
	const struct problem_tensor *all[] = {p->input, p->state, p->output};
	const size_t n[] = {p->n_inputs, p->n_state, p->n_outputs};

	for (size_t i = 0; i < p->n_sizes; i++)
		if (str_eq(p->size[i].name, name))
			return true;
	for (size_t k = 0; k < ARRAY_SIZE(all); k++)
		for (size_t i = 0; i < n[k]; i++)
			if (str_eq(all[k][i].name, name))
				return true;
	return false;
}

/* A symbol of the task for what no size says; NULL: there are too many, or a case
 * cannot have such a value. */
static const char *add_size(struct problem *p, const int64_t *value,
			    const char *wish)
{
	struct problem_size *s = &p->size[p->n_sizes];

	if (p->n_sizes == PROBLEM_SIZES)
		return NULL;
	for (size_t c = 0; c < p->n_cases; c++)
		if (value[c] < 0 || value[c] > MOST_SYMBOL)
			return NULL;
	*s = (struct problem_size){0};
	snprintf(s->name, sizeof s->name, "d_%.24s", wish);
	for (int i = 2; is_taken(p, s->name); i++)
		snprintf(s->name, sizeof s->name, "d%d_%.24s", i, wish);
	memcpy(s->value, value, p->n_cases * sizeof *value);
	p->n_sizes++;
	return s->name;
}

static bool name_dims(struct problem *p, struct problem_tensor *t)
{
	for (size_t d = 0; d < t->n_dims; d++) {
		char wish[PROBLEM_NAME + 8];
		int64_t value[PROBLEM_CASES] = {0};

		for (size_t c = 0; c < p->n_cases; c++)
			value[c] = t->shapes[c][d];
		t->shape[d] = value[0];
		t->dim[d] = size_of(p, value, 0);
		if (t->dim[d] || is_constant(value, p->n_cases))
			continue;
		snprintf(wish, sizeof wish, "%.20s_%zu", t->name, d);
		t->dim[d] = add_size(p, value, wish);
		if (!t->dim[d])
			return false;
	}
	return true;
}

/* A bound of integers, which may be the last index of what has a size. */
static void name_bound(char *text, size_t size, int64_t *bound,
		       struct problem *p, const int64_t *value,
		       const char *name, const char *which)
{
	char wish[PROBLEM_NAME + 8];
	const char *found;

	*bound = value[0];
	if (is_constant(value, p->n_cases))
		return;
	found = size_of(p, value, 0);
	if (!found && (found = size_of(p, value, 1))) {
		snprintf(text, size, "%s - 1", found);
		return;
	}
	snprintf(wish, sizeof wish, "%.18s_%s", name, which);
	if (!found)
		found = add_size(p, value, wish);
	if (found)
		snprintf(text, size, "%s", found);
	else /* a range that every case has */
		for (size_t c = 0; c < p->n_cases; c++)
			*bound = str_eq(which, "low") ? MAX(*bound, value[c])
						      : MIN(*bound, value[c]);
}

static bool name_tensors(struct problem *p, struct problem_tensor *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (t[i].value[0])
			continue;
		if (!name_dims(p, &t[i]))
			return false;
		if (dtype_is_float(t[i].dtype))
			continue;
		name_bound(t[i].low_text, sizeof t[i].low_text, &t[i].low, p,
			   t[i].lows, t[i].name, "low");
		name_bound(t[i].high_text, sizeof t[i].high_text, &t[i].high, p,
			   t[i].highs, t[i].name, "high");
		t[i].high = MAX(t[i].low, t[i].high);
	}
	return true;
}

static void add_cases(struct problem_folder *f, const struct problem *p)
{
	for (size_t c = 0; c < p->n_cases; c++) {
		buf_adds(&f->task_cases, "  - {");
		for (size_t i = 0; i < p->n_sizes; i++)
			buf_addf(&f->task_cases, "%s%s: %" PRId64,
				 i ? ", " : "", p->size[i].name,
				 p->size[i].value[c]);
		buf_adds(&f->task_cases, "}\n");
	}
}

/* ---- formulas ------------------------------------------------------------------ */

/* The whole division of Python is that of the task file. */
static char *task_formula(const char *text)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	for (; *text; text++)
		if (text[0] != '/' || text[1] != '/')
			buf_addc(&out, *text == '\n' ? ' ' : *text);
	return buf_take(&out);
}

/* Does it say the same as Python, in every case? */
static bool says_the_same(const char *text, const struct problem *p,
			  const double *right)
{
	char *name[PROBLEM_SIZES];
	int64_t value[PROBLEM_SIZES], made;
	struct symbols symbols = {
		.name = name, .value = value, .n = p->n_sizes};
	cleanup_expr struct expr *e = NULL;
	cleanup_error struct error *err = expr_parse(&e, text);

	for (size_t c = 0; !err && c < p->n_cases; c++) {
		for (size_t i = 0; i < p->n_sizes; i++) {
			name[i] = (char *)p->size[i].name;
			value[i] = p->size[i].value[c];
		}
		err = expr_eval(&made, e, &symbols);
		if (err || (double)made != right[c] || made < 1)
			return false;
	}
	return !err;
}

static void take_formula(char **out, struct problem_folder *f,
			 const struct problem *p, const char *key,
			 const double *right)
{
	const char *text = text_of(f->all, key);

	if (!text)
		return;
	if (right) {
		*out = task_formula(text);
		if (says_the_same(*out, p, right))
			return;
		free(*out);
		*out = NULL;
	}
	leave_out(f, key, text, "no expression of a task says the same");
}

/* ---- what is carried over ---------------------------------------------------- */

static bool lacks_double(const struct problem *p)
{
	for (size_t i = 0; i < p->n_weak; i++)
		if (p->weak[i].kind == WEAK_NO_DOUBLE ||
		    p->weak[i].kind == WEAK_DOUBLE_DIFFERS)
			return true;
	return false;
}

void problem_folder_tolerance(struct problem *p, struct problem_folder *f)
{
	const struct problem_question *q = &f->question;
	bool weak = problem_check_is_weak(p), left = false;

	p->own_precision = true;
	for (size_t i = 0; i < p->n_outputs; i++) {
		struct problem_tensor *t = &p->output[i];

		t->has_tolerance = q->has_tolerance[t->dtype] && !weak;
		t->rtol = q->rtol[t->dtype];
		t->atol = q->atol[t->dtype];
		left |= q->has_tolerance[t->dtype] && weak;
		if (dtype_is_float(t->dtype) && !t->has_tolerance)
			p->own_precision = false;
	}
	p->own_precision = p->own_precision && lacks_double(p);
	if (left)
		strvec_push(&f->not_taken,
			    "tolerance: a kernel that is wrong passes by it");
	if (p->own_precision)
		strvec_push(&f->not_taken,
			    "a reference in double: it computes in its own "
			    "precision, whatever its inputs are");
}

/* A task that names what is no operator could score nothing. */
static void drop_no_operators(struct problem_folder *f, const struct problem *p)
{
	cleanup_strvec struct strvec calls = f->forbidden.calls;
	cleanup_buf struct buf list = BUF_INIT(BUF_LIMIT_TEXT);

	f->forbidden.calls = (struct strvec)STRVEC_INIT;
	for (size_t i = 0; i < calls.n; i++)
		if (i < PROBLEM_CALLS && !p->is_no_operator[i])
			strvec_push(&f->forbidden.calls, calls.v[i]);
		else
			add_to_list(&list, calls.v[i]);
	say_list(f, "forbidden", &list,
		 "the PyTorch here has no operators of these names, and a task "
		 "forbids operators");
}

static void apply_forbidden(struct problem_folder *f, const struct problem *p)
{
	drop_no_operators(f, p);
	forbidden_print(&f->task_forbidden, &f->forbidden);
}

static void say_other_keys(struct problem_folder *f, const struct problem *p)
{
	cleanup_buf struct buf keys = BUF_INIT(BUF_LIMIT_TEXT),
			       sizes = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < p->n_passed_over; i++)
		add_to_list(&sizes, p->passed_over[i]);
	for (size_t i = 0; i < f->all->n; i++)
		if (!is_read(f->all->key[i]))
			add_to_list(&keys, f->all->key[i]);
	say_list(f, "sizes", &sizes, "reference.py has no such numbers");
	say_list(f, "keys", &keys, "a task has nothing like them");
}

struct error *problem_folder_apply(struct problem *p, struct problem_folder *f)
{
	const char *regime = text_of(f->all, "regime");

	if (!name_tensors(p, p->input, p->n_inputs) ||
	    !name_tensors(p, p->state, p->n_state) ||
	    !name_tensors(p, p->output, p->n_outputs))
		return error_new(ERROR_TASK,
				 "%s: its shapes differ in more ways than the "
				 "%d sizes that a task may have",
				 f->path, PROBLEM_SIZES);
	add_cases(f, p);
	take_formula(&f->flops, f, p, "flops_formula",
		     p->has_flops ? p->flops : NULL);
	take_formula(&f->bytes, f, p, "bytes_formula",
		     p->has_bytes ? p->bytes : NULL);
	apply_forbidden(f, p);
	say_other_keys(f, p);
	p->cases = f->task_cases.data;
	p->flops_text = f->flops;
	p->bytes_text = f->bytes;
	p->forbidden = f->task_forbidden.data;
	p->counts_bytes = f->flops && regime && str_eq(regime, "memory");
	return NULL;
}
