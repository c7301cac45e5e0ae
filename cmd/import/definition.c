#include "cmd/import/definition.h"

#include <ctype.h>
#include <inttypes.h>

#include "cmd/import/values.h"
#include "core/base/file.h"

void definition_release(struct bench_definition *d)
{
	json_free(d->all);
	json_free(d->first);
	json_free(d->cases);
	buf_release(&d->task_cases);
}

static struct error *wrong(const struct bench_definition *d, const char *what)
{
	return error_new(ERROR_TASK, "%s: %s", d->path, what);
}

/* A name of C and of Python. */
static bool is_name(const char *s)
{
	if (!s || !isalpha((unsigned char)*s) || strlen(s) >= PROBLEM_NAME)
		return false;
	for (; *s; s++)
		if (!is_word_char(*s))
			return false;
	return true;
}

/* ---- axes ------------------------------------------------------------------- */

static bool axis_varies(const struct json *axis)
{
	const char *type;

	return json_get_string(axis, "type", &type) && str_eq(type, "var");
}

/* The size in a case; false: it has none. */
static bool axis_size(int64_t *out, const struct bench_definition *d,
		      const char *name, const struct json *values)
{
	const struct json *axis = json_get(json_get(d->all, "axes"), name);

	return (axis_varies(axis) ? json_get_int(values, name, out)
				  : json_get_int(axis, "value", out)) &&
	       *out > 0;
}

static struct error *check_axes(const struct bench_definition *d)
{
	const struct json *axes = json_get(d->all, "axes");

	if (!axes || json_is_array(axes))
		return wrong(d, "it is not a Definition: it has no axes");
	for (size_t i = 0; i < json_len(axes); i++)
		if (!is_name(json_key(json_at(axes, i))))
			return wrong(d, "the name of an axis is not a word");
	return NULL;
}

/* ---- tensors ---------------------------------------------------------------- */

static const struct {
	const char *name;
	enum dtype dtype;
} types[] = {
	{"float32", DTYPE_F32},	       {"float16", DTYPE_F16},
	{"bfloat16", DTYPE_BF16},      {"float8_e4m3fn", DTYPE_F8E4M3},
	{"float8_e5m2", DTYPE_F8E5M2}, {"int8", DTYPE_I8},
	{"int16", DTYPE_I16},	       {"int32", DTYPE_I32},
	{"int64", DTYPE_I64},	       {"bool", DTYPE_U8},
};

static bool read_type(enum dtype *out, const struct json *tensor)
{
	const char *name;

	if (!json_get_string(tensor, "dtype", &name))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (str_eq(types[i].name, name)) {
			*out = types[i].dtype;
			return true;
		}
	return false;
}

static bool is_scalar(const struct json *tensor)
{
	return json_is_null(json_get(tensor, "shape"));
}

static struct error *check_tensor(const struct bench_definition *d,
				  const struct json *tensor, bool is_output)
{
	const struct json *shape = json_get(tensor, "shape");
	const char *name = json_key(tensor), *type = "none";
	enum dtype dtype;

	if (!is_name(name))
		return wrong(d, "the name of a tensor is not a word");
	if (is_scalar(tensor) && !is_output)
		return NULL;
	json_get_string(tensor, "dtype", &type);
	if (!read_type(&dtype, tensor))
		return error_new(ERROR_TASK,
				 "%s: `%s` is of type %.30s, which import does "
				 "not read",
				 d->path, name, is_name(type) ? type : "?");
	if (!json_is_array(shape) || json_len(shape) > TASK_MAX_DIMS)
		return error_new(ERROR_TASK, "%s: `%s` has no shape", d->path,
				 name);
	for (size_t i = 0; i < json_len(shape); i++) {
		const char *axis = json_string(json_at(shape, i));

		if (!axis || !json_get(json_get(d->all, "axes"), axis))
			return error_new(ERROR_TASK,
					 "%s: `%s` has a dimension that is not "
					 "an axis",
					 d->path, name);
	}
	return NULL;
}

static struct error *check_tensors(const struct bench_definition *d,
				   const char *key)
{
	const struct json *all = json_get(d->all, key);

	if (!all || json_is_array(all) || !json_len(all) ||
	    json_len(all) > TASK_MAX_ARGS)
		return error_new(ERROR_TASK,
				 "%s: it is not a Definition: it has no %s, or "
				 "too many",
				 d->path, key);
	for (size_t i = 0; i < json_len(all); i++)
		TRY(check_tensor(d, json_at(all, i), str_eq(key, "outputs")));
	return NULL;
}

/* ---- Workloads -------------------------------------------------------------- */

static struct error *check_workload(const struct bench_definition *d,
				    const struct json *workload)
{
	const struct json *inputs = json_get(workload, "inputs");

	for (size_t i = 0; i < json_len(inputs); i++) {
		const struct json *one = json_at(inputs, i);
		const char *type = "";

		json_get_string(one, "type", &type);
		if (!str_eq(type, "random") && !str_eq(type, "scalar"))
			return error_new(
				ERROR_TASK,
				"%s: a Workload takes `%.60s` from a "
				"file (safetensors), which import does "
				"not read: give Workloads whose inputs "
				"are random, or sizes by --values",
				d->path,
				is_name(json_key(one)) ? json_key(one)
						       : "an input");
	}
	return NULL;
}

/* {"M": 256} of the axes that vary. */
static struct error *read_case(struct json **out,
			       const struct bench_definition *d,
			       const struct json *values)
{
	const struct json *axes = json_get(d->all, "axes");

	*out = json_object();
	for (size_t i = 0; i < json_len(axes); i++) {
		const char *name = json_key(json_at(axes, i));
		int64_t size;

		if (!axis_size(&size, d, name, values))
			return error_new(
				ERROR_TASK,
				"%s: the axis %s has no size: give the "
				"file of its Workloads, too, or its size by "
				"--values",
				d->path, name);
		if (axis_varies(json_at(axes, i)))
			json_set_int(*out, name, size);
	}
	return NULL;
}

static void add_case(struct bench_definition *d, const struct json *one)
{
	cleanup_free char *text = json_print(one);

	for (size_t i = 0; i < json_len(d->cases); i++) {
		cleanup_free char *other = json_print(json_at(d->cases, i));

		if (str_eq(text, other))
			return;
	}
	if (json_len(d->cases) < DEFINITION_CASES)
		json_push(d->cases, json_dup(one));
	else
		d->left_out++;
}

static struct error *add_workload(struct bench_definition *d,
				  const struct json *workload)
{
	cleanup_json struct json *one = NULL;

	TRY(check_workload(d, workload));
	TRY(read_case(&one, d, json_get(workload, "axes")));
	add_case(d, one);
	if (!d->first && json_get(workload, "inputs"))
		d->first = json_dup(json_get(workload, "inputs"));
	return NULL;
}

static struct error *read_line(struct bench_definition *d, const char *line,
			       size_t len)
{
	cleanup_json struct json *j = NULL;
	const struct json *workload;
	const char *name = "", *mine = "";

	TRY(error_wrap(json_parse(&j, line, len), "a Workload of %s", d->path));
	json_get_string(j, "definition", &name);
	json_get_string(d->all, "name", &mine);
	workload = json_get(j, "workload");
	if (!workload || !str_eq(name, mine))
		return wrong(d, "its Workloads are of another Definition");
	return add_workload(d, workload);
}

static struct error *add_values(struct bench_definition *d, const char *values)
{
	cleanup_json struct json *all = NULL;

	TRY(values_read(&all, values, json_get(d->all, "axes"),
			json_get(d->all, "inputs")));
	for (size_t i = 0; i < json_len(all); i++)
		TRY(add_workload(d, json_at(all, i)));
	return NULL;
}

static struct error *read_workloads(struct bench_definition *d,
				    const char *path, const char *values)
{
	cleanup_buf struct buf text = BUF_INIT(PROBLEM_LIMIT);

	if (!path)
		return add_values(d, values ? values : "");
	TRY(file_read(&text, path));
	for (const char *p = text.data; *p;) {
		size_t len = strcspn(p, "\n");

		if (len)
			TRY(read_line(d, p, len));
		p += len + (p[len] != '\0');
	}
	return json_len(d->cases) ? NULL
				  : wrong(d, "its file of Workloads has none");
}

struct error *definition_read(struct bench_definition *out, const char *path,
			      const char *workloads, const char *values)
{
	cleanup_buf struct buf text = BUF_INIT(PROBLEM_LIMIT);
	const char *reference;

	*out = (struct bench_definition){
		.path = path, .task_cases = BUF_INIT(BUF_LIMIT_TEXT)};
	TRY(file_read(&text, path));
	TRY(error_wrap(json_parse(&out->all, text.data, text.len), "%s", path));
	TRY(check_axes(out));
	TRY(check_tensors(out, "inputs"));
	TRY(check_tensors(out, "outputs"));
	if (!json_get_string(out->all, "reference", &reference))
		return wrong(out, "it is not a Definition: it has no "
				  "reference");
	out->cases = json_array();
	return read_workloads(out, workloads, values);
}

/* ---- as a problem ------------------------------------------------------------ */

static struct error *add_number(struct buf *out,
				const struct bench_definition *d,
				const char *name)
{
	const struct json *input = json_get(d->first, name);
	double value;
	bool truth;

	if (json_get_bool(input, "value", &truth))
		buf_adds(out, truth ? "True" : "False");
	else if (json_number(json_get(input, "value"), &value))
		buf_addf(out, "%.17g", value);
	else
		return error_new(ERROR_TASK,
				 "%s: the number `%s` has no value: give the "
				 "file of its Workloads, too, or its value by "
				 "--values",
				 d->path, name);
	return NULL;
}

/* The range of --values; false: there is none. */
static bool given_range(int64_t *low, int64_t *high,
			const struct bench_definition *d, const char *name)
{
	const struct json *one = json_get(d->first, name);

	return json_get_int(one, "low", low) && json_get_int(one, "high", high);
}

/* As FlashInfer-Bench draws it, but for a range that was given. */
static void add_draw(struct buf *out, const struct bench_definition *d,
		     enum dtype t, const char *name)
{
	int64_t low = -1024, high = 1023;

	if (dtype_is_float(t)) {
		buf_adds(out, "_torch.randn((");
		return;
	}
	if (t == DTYPE_U8)
		low = 0, high = 1;
	else if (t == DTYPE_I8)
		low = -128, high = 127;
	given_range(&low, &high, d, name);
	buf_addf(out, "_torch.randint(%" PRId64 ", %" PRId64 ", (", low,
		 high + 1);
}

static struct error *add_input(struct buf *out,
			       const struct bench_definition *d,
			       const struct json *tensor)
{
	const struct json *shape = json_get(tensor, "shape");
	const char *type = "";
	enum dtype dtype = DTYPE_F32;
	int64_t size;

	if (is_scalar(tensor))
		return add_number(out, d, json_key(tensor));
	json_get_string(tensor, "dtype", &type);
	if (!read_type(&dtype, tensor))
		return wrong(d, "a type");
	add_draw(out, d, dtype, json_key(tensor));
	for (size_t i = 0; i < json_len(shape); i++) {
		const char *axis = json_string(json_at(shape, i));

		if (!axis_size(&size, d, axis, json_at(d->cases, 0)))
			return wrong(d, "an axis has no size");
		buf_addf(out, "%" PRId64 ",", size);
	}
	buf_addf(out, ")).to(_torch.%s)", type);
	return NULL;
}

const char *definition_any_integers(const struct bench_definition *d)
{
	const struct json *inputs = json_get(d->all, "inputs");

	for (size_t i = 0; i < json_len(inputs); i++) {
		const struct json *one = json_at(inputs, i);
		enum dtype dtype;

		if (!is_scalar(one) && read_type(&dtype, one) &&
		    !dtype_is_float(dtype) && dtype != DTYPE_U8)
			return json_key(one);
	}
	return NULL;
}

static void add_inputs(struct buf *out, const struct json *inputs)
{
	for (size_t i = 0; i < json_len(inputs); i++)
		buf_addf(out, "%s%s", i ? ", " : "",
			 json_key(json_at(inputs, i)));
}

struct error *definition_problem(struct buf *out,
				 const struct bench_definition *d)
{
	const struct json *inputs = json_get(d->all, "inputs");
	const char *reference = "";

	json_get_string(d->all, "reference", &reference);
	buf_addf(out,
		 "%s\n\n\nimport torch as _torch\n\n\n"
		 "class Model(_torch.nn.Module):\n    def forward(self, ",
		 reference);
	add_inputs(out, inputs);
	buf_adds(out, "):\n        return run(");
	add_inputs(out, inputs);
	buf_adds(out, ")\n\n\ndef get_inputs():\n    return [\n");
	for (size_t i = 0; i < json_len(inputs); i++) {
		buf_adds(out, "        ");
		TRY(add_input(out, d, json_at(inputs, i)));
		buf_adds(out, ",\n");
	}
	buf_adds(out, "    ]\n\n\ndef get_init_inputs():\n    return []\n");
	return NULL;
}

/* ---- what was read of it ------------------------------------------------------ */

/* Is the tensor as the Definition has it? Then its dimensions have names. */
static bool name_dims(struct problem_tensor *t,
		      const struct bench_definition *d,
		      const struct json *tensor)
{
	const struct json *shape = json_get(tensor, "shape");
	enum dtype dtype;
	int64_t size;

	if (t->value[0] || is_scalar(tensor))
		return t->value[0] && is_scalar(tensor);
	if (!read_type(&dtype, tensor) || dtype != t->dtype ||
	    (dtype == DTYPE_U8) != t->truth || json_len(shape) != t->n_dims)
		return false;
	for (size_t i = 0; i < t->n_dims; i++) {
		const char *axis = json_string(json_at(shape, i));

		if (!axis_size(&size, d, axis, json_at(d->cases, 0)) ||
		    size != t->shape[i])
			return false;
		if (axis_varies(json_get(json_get(d->all, "axes"), axis)))
			t->dim[i] = axis;
	}
	return true;
}

static struct error *name_all(struct problem_tensor *t, size_t n,
			      const struct bench_definition *d, const char *key)
{
	const struct json *all = json_get(d->all, key);

	if (json_len(all) != n)
		return wrong(d, "its reference returns another number of "
				"outputs than it says");
	for (size_t i = 0; i < n; i++)
		if (!name_dims(&t[i], d, json_at(all, i)))
			return error_new(ERROR_TASK,
					 "%s: `%s` is of another shape or type "
					 "than the Definition says",
					 d->path, json_key(json_at(all, i)));
	return NULL;
}

/* Ends that no draw saw are in the range, too. */
static void apply_ranges(struct problem *p, const struct bench_definition *d)
{
	const struct json *all = json_get(d->all, "inputs");

	for (size_t i = 0; i < p->n_inputs; i++)
		given_range(&p->input[i].low, &p->input[i].high, d,
			    json_key(json_at(all, i)));
}

struct error *definition_apply(struct problem *p, struct bench_definition *d)
{
	TRY(name_all(p->input, p->n_inputs, d, "inputs"));
	apply_ranges(p, d);
	TRY(name_all(p->output, p->n_outputs, d, "outputs"));
	for (size_t i = 0; i < json_len(d->cases); i++) {
		const struct json *one = json_at(d->cases, i);

		buf_adds(&d->task_cases, "  - {");
		for (size_t k = 0; k < json_len(one); k++) {
			const char *axis = json_key(json_at(one, k));
			int64_t size = 0;

			json_get_int(one, axis, &size);
			buf_addf(&d->task_cases, "%s%s: %" PRId64,
				 k ? ", " : "", axis, size);
		}
		buf_adds(&d->task_cases, "}\n");
	}
	p->cases = d->task_cases.data;
	return NULL;
}
