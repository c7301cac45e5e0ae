/* The Definition of FlashInfer-Bench. */
#include "cmd/export/flashinfer.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/task/hidden.h"

extern const char export_flashinfer_reference[],
	export_flashinfer_reference_built[],
	export_flashinfer_reference_python[];

/* NULL: there is no such type in FlashInfer-Bench. */
static const char *type_name(enum dtype t)
{
	static const char *const names[DTYPE_COUNT] = {
		[DTYPE_F32] = "float32",
		[DTYPE_F16] = "float16",
		[DTYPE_BF16] = "bfloat16",
		[DTYPE_I8] = "int8",
		[DTYPE_I16] = "int16",
		[DTYPE_I32] = "int32",
		[DTYPE_I64] = "int64",
		[DTYPE_F8E4M3] = "float8_e4m3fn",
		[DTYPE_F8E5M2] = "float8_e5m2",
	};

	return names[t];
}

/* ---- what has no Definition ------------------------------------------------ */

static struct error *refuse(const struct argument *a, const char *why)
{
	return error_new(ERROR_REFUSED,
			 "export: `%s` %s, which FlashInfer-Bench has no word "
			 "for: use --as torch",
			 a->name, why);
}

static struct error *check_tensor(const struct argument *a)
{
	cleanup_free char *type =
		xasprintf("is of type %s", dtype_name(a->dtype));

	if (!type_name(a->dtype))
		return refuse(a, type);
	if (a->direction == DIRECTION_INOUT)
		return refuse(a, "is input and output");
	if (a->has_strides)
		return refuse(a, "has strides of its own");
	if (a->direction == DIRECTION_IN && a->fill == FILL_RANGE)
		return refuse(a, "holds integers of a range");
	if (a->direction == DIRECTION_IN && a->fill == FILL_GENERATOR)
		return refuse(a, "is filled by a function of the task");
	return NULL;
}

struct error *flashinfer_check(const struct export_source *s)
{
	const struct task *t = s->task;

	if (s->prepare.name)
		return error_new(ERROR_REFUSED,
				 "export: `%s` is called once before the "
				 "kernel, and a Solution of FlashInfer-Bench "
				 "is one call: use --as torch",
				 s->prepare.name);
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].kind == ARGUMENT_TENSOR)
			TRY(check_tensor(&t->argument[i]));
	return binding_check(s);
}

/* ---- names ----------------------------------------------------------------- */

void flashinfer_inputs(struct buf *out, const struct export_source *s)
{
	const struct torch_binding entry = package_entry(s);
	const char *between = "";

	for (size_t i = 0; i < s->task->n_arguments; i++) {
		cleanup_free char *name = code_name(s->task->argument[i].name);

		if (!binding_takes(s, &entry, i))
			continue;
		buf_addf(out, "%s%s", between, name);
		between = ", ";
	}
}

void flashinfer_operands(struct buf *out, const struct export_source *s)
{
	const struct torch_binding entry = package_entry(s);
	const struct task *t = s->task;
	size_t argument, dim;

	flashinfer_inputs(out, s);
	for (size_t i = 0; i < t->symbols.n; i++)
		if (!binding_finds(&argument, &dim, s, &entry, t->symbols.v[i]))
			buf_addf(out, ", %lld",
				 (long long)t->cases[0].value[i]);
}

/* ---- the reference --------------------------------------------------------- */

/* The text as strings of Python, a line of it a line. */
static void add_python(struct buf *out, const char *text)
{
	buf_adds(out, "\n        \"");
	for (const char *p = text; *p; p++) {
		if (*p == '\n' && p[1])
			buf_adds(out, "\\n\"\n        \"");
		else if (*p == '\n')
			buf_adds(out, "\\n");
		else if (*p == '\\' || *p == '"')
			buf_addf(out, "\\%c", *p);
		else if ((unsigned char)*p < ' ' && *p != '\t')
			buf_addf(out, "\\x%02x", (unsigned)*p);
		else
			buf_addc(out, *p);
	}
	buf_adds(out, "\"\n");
}

static struct error *check_text(const struct file_entry *f)
{
	for (size_t at = 0, n; at < f->len; at += n) {
		n = utf8_len(f->data + at, f->len - at);
		if (!n || !f->data[at])
			return error_new(ERROR_REFUSED,
					 "export: %s is not text in UTF-8, "
					 "which a Solution and a Definition of "
					 "FlashInfer-Bench must be",
					 f->path);
	}
	return NULL;
}

struct error *flashinfer_check_text(const struct export_source *s)
{
	for (size_t i = 0; i < s->out.n; i++)
		TRY(check_text(&s->out.file[i]));
	return NULL;
}

static void add_outputs(struct buf *out, const struct export_source *s)
{
	const struct torch_binding entry = package_entry(s);

	buf_adds(out, "OUTPUTS = (");
	for (size_t i = 0; i < s->task->n_arguments; i++)
		if (binding_returns(s, &entry, i))
			buf_addf(out, "\"%s\",",
				 type_name(s->task->argument[i].dtype));
	buf_addf(out, ")\nNAMESPACE = \"%s_reference\"\nIS_CUDA = %s\n",
		 s->space,
		 s->task->language == LANGUAGE_CUDA ? "True" : "False");
}

/* Python that brings the task's reference along and calls it. */
static struct error *add_reference(struct buf *out, struct export_source *s)
{
	buf_addf(out, "%s\n\n", export_flashinfer_reference);
	buf_adds(out, s->task->reference.torch
			      ? export_flashinfer_reference_python
			      : export_flashinfer_reference_built);
	buf_adds(out, "\n\n");
	add_outputs(out, s);
	buf_adds(out, "FILES = {\n");
	for (size_t i = 0; i < s->out.n; i++) {
		const struct file_entry *f = &s->out.file[i];

		buf_addf(out, "    \"%s\": (", f->path);
		add_python(out, f->data);
		buf_adds(out, "    ),\n");
	}
	buf_adds(out, "}\n\n\ndef run(");
	flashinfer_inputs(out, s);
	buf_adds(out, "):\n    return _narrow(_load().reference(");
	flashinfer_operands(out, s);
	buf_adds(out, "))\n");
	if (out->truncated)
		return error_new(ERROR_TOO_BIG,
				 "export: the task's reference is too long for "
				 "a Definition");
	return NULL;
}

/* ---- shapes ---------------------------------------------------------------- */

static struct json *axes_json(const struct axes *axes)
{
	struct json *j = json_object();

	for (size_t i = 0; i < axes->n; i++) {
		const struct axis *a = &axes->axis[i];
		struct json *one = json_object();

		json_set_string(one, "type", a->varies ? "var" : "const");
		if (!a->varies)
			json_set_int(one, "value", a->value);
		if (a->dim)
			json_set_string(one, "description", expr_text(a->dim));
		json_set(j, a->name, one);
	}
	return j;
}

static struct json *tensors_json(const struct export_source *s,
				 const struct axes *axes,
				 enum direction direction)
{
	struct json *j = json_object();

	for (size_t i = 0; i < s->task->n_arguments; i++) {
		const struct argument *a = &s->task->argument[i];
		cleanup_free char *name = code_name(a->name);
		struct json *one, *shape;

		if (a->kind != ARGUMENT_TENSOR || a->direction != direction)
			continue;
		one = json_object();
		shape = json_array();
		for (size_t d = 0; d < a->n_dims; d++)
			json_push_string(shape,
					 axes->axis[axes->of[i][d]].name);
		json_set(one, "shape", shape);
		json_set_string(one, "dtype", type_name(a->dtype));
		json_set(j, name, one);
	}
	return j;
}

/* "rows in (64, 128) or 1 <= rows <= 4096 and rows % 8 == 0" of one symbol; the
 * kernel was checked at no other sizes. */
static char *constraint(const struct task *t, const struct axis *a)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	const struct hidden_range *h = t->hidden ? &t->hidden[a->symbol] : NULL;

	buf_addf(&out, "%s in (", a->name);
	for (size_t i = 0; i < t->n_cases; i++)
		buf_addf(&out, "%lld,",
			 (long long)t->cases[i].value[a->symbol]);
	buf_adds(&out, ")");
	if (h)
		buf_addf(&out, " or %lld <= %s <= %lld", (long long)h->low,
			 a->name, (long long)h->high);
	if (h && h->step > 1)
		buf_addf(&out, " and %s %% %lld == 0", a->name,
			 (long long)h->step);
	return buf_take(&out);
}

/* What sizes that go together meet, if the cases do, too. */
static void add_require(struct json *list, const struct task *t)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	if (!t->hidden_require)
		return;
	for (size_t i = 0; i < t->n_cases; i++)
		if (!hidden_meets(t, &t->cases[i]))
			return;
	expr_python(&text, t->hidden_require);
	json_push_string(list, text.data);
}

static struct json *constraints_json(const struct export_source *s,
				     const struct axes *axes)
{
	struct json *j = json_array();

	for (size_t i = 0; i < axes->n; i++) {
		const struct axis *a = &axes->axis[i];

		if (a->varies && !a->dim) {
			cleanup_free char *text = constraint(s->task, a);

			json_push_string(j, text);
		}
	}
	add_require(j, s->task);
	return j;
}

struct error *flashinfer_definition(struct json **out, struct export_source *s,
				    const struct axes *axes)
{
	cleanup_buf struct buf reference = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *description =
		xasprintf("The task %s of avogit, at commit %s.", s->task->name,
			  s->pick.base.hex);
	struct json *j;

	TRY(flashinfer_check_text(s));
	TRY(add_reference(&reference, s));
	j = json_object();
	json_set_string(j, "name", s->function);
	json_set_string(j, "op_type", FLASHINFER_OP_TYPE);
	json_set_string(j, "description", description);
	json_set(j, "axes", axes_json(axes));
	json_set(j, "constraints", constraints_json(s, axes));
	json_set(j, "inputs", tensors_json(s, axes, DIRECTION_IN));
	json_set(j, "outputs", tensors_json(s, axes, DIRECTION_OUT));
	json_set_string(j, "reference", reference.data);
	*out = j;
	return NULL;
}
