/* _task.py: what a package in Python knows of its task. */
#include "cmd/export/package.h"

extern const char export_arithmetic[];

/* ---- values -------------------------------------------------------------- */

static const char *torch_name(enum dtype t)
{
	static const char *const names[DTYPE_COUNT] = {
		[DTYPE_F32] = "float32",
		[DTYPE_F64] = "float64",
		[DTYPE_F16] = "float16",
		[DTYPE_BF16] = "bfloat16",
		[DTYPE_I8] = "int8",
		[DTYPE_I16] = "int16",
		[DTYPE_I32] = "int32",
		[DTYPE_I64] = "int64",
		[DTYPE_U8] = "uint8",
		[DTYPE_U16] = "uint16",
		[DTYPE_U32] = "uint32",
		[DTYPE_U64] = "uint64",
		[DTYPE_F8E4M3] = "float8_e4m3fn",
		[DTYPE_F8E5M2] = "float8_e5m2",
	};

	return names[t];
}

static void add_expr(struct buf *out, const struct expr *e)
{
	expr_code(out, e, "s_", "");
}

static void add_tuple(struct buf *out, struct expr *const *dim, size_t n)
{
	buf_adds(out, "(");
	for (size_t i = 0; i < n; i++) {
		add_expr(out, dim[i]);
		buf_adds(out, ",");
	}
	buf_adds(out, ")");
}

static void add_tensor(struct buf *out, const struct argument *a)
{
	if (a->kind == ARGUMENT_PREPARED) {
		buf_adds(out, "(");
		add_expr(out, a->bytes);
		buf_adds(out, ",), None, \"uint8\"");
		return;
	}
	add_tuple(out, a->shape, a->n_dims);
	buf_adds(out, ", ");
	if (a->has_strides)
		add_tuple(out, a->stride, a->n_dims);
	else
		buf_adds(out, "None");
	buf_addf(out, ", \"%s\"", torch_name(a->dtype));
}

/* ---- functions ----------------------------------------------------------- */

/* "def NAME(*, s_m ...)": sizes by keyword, as sizes() names them. */
static void begin_of_sizes(struct buf *out, const struct task *t,
			   const char *name)
{
	buf_addf(out, "\n\ndef %s(**sizes):\n", name);
	for (size_t i = 0; i < t->symbols.n; i++)
		buf_addf(out, "    s_%s = sizes[\"%s\"]\n", t->symbols.v[i],
			 t->symbols.v[i]);
}

static void add_sizes(struct buf *out, const struct export_source *s,
		      const struct torch_binding *b, const char *name)
{
	const struct task *t = s->task;
	size_t argument, dim, n = 0, at[TASK_MAX_ARGS] = {0};

	buf_addf(out, "\n\ndef %s(*arguments):\n", name);
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].kind == ARGUMENT_TENSOR &&
		    binding_takes(s, b, i))
			at[i] = n++;
	buf_adds(out, "    return {\n");
	for (size_t i = 0; i < t->symbols.n; i++) {
		buf_addf(out, "        \"%s\": ", t->symbols.v[i]);
		if (binding_finds(&argument, &dim, s, b, t->symbols.v[i]))
			buf_addf(out, "arguments[%zu].shape[%zu],\n",
				 at[argument], dim);
		else
			buf_addf(out, "arguments[%zu],\n", n++);
	}
	buf_adds(out, "    }\n");
}

static void add_made(struct buf *out, const struct export_source *s,
		     const struct torch_binding *b, const char *name)
{
	begin_of_sizes(out, s->task, name);
	buf_adds(out, "    return [\n");
	for (size_t i = 0; i < s->task->n_arguments; i++) {
		if (!binding_returns(s, b, i))
			continue;
		buf_adds(out, "        (");
		add_tensor(out, &s->task->argument[i]);
		buf_adds(out, "),\n");
	}
	buf_adds(out, "    ]\n");
}

/* Shapes and contents of what a test gives to the operator. */
static void add_inputs(struct buf *out, const struct export_source *s,
		       const struct torch_binding *b)
{
	begin_of_sizes(out, s->task, "inputs");
	buf_adds(out, "    return {\n");
	for (size_t i = 0; i < s->task->n_arguments; i++) {
		const struct argument *a = &s->task->argument[i];

		if (a->kind != ARGUMENT_TENSOR || !binding_takes(s, b, i))
			continue;
		buf_addf(out, "        \"%s\": (", a->name);
		add_tensor(out, a);
		buf_addf(out, ", \"%s\"",
			 a->fill == FILL_RANGE	     ? "range"
			 : a->fill == FILL_GENERATOR ? "generator"
						     : fill_name(a->fill));
		if (a->fill == FILL_RANGE) {
			buf_adds(out, ", ");
			add_expr(out, a->low);
			buf_adds(out, ", ");
			add_expr(out, a->high);
			buf_adds(out, "),\n");
		} else {
			buf_adds(out, ", None, None),\n");
		}
	}
	buf_adds(out, "    }\n");
}

/* Which of the entry's arguments `prepare` takes. */
static void add_prepare_arguments(struct buf *out,
				  const struct export_source *s,
				  const struct torch_binding *entry,
				  const struct torch_binding *prepare)
{
	const struct task *t = s->task;
	size_t argument, dim, n = 0;

	buf_adds(out, "\n\ndef prepare_arguments(*arguments):\n"
		      "    size = sizes(*arguments)\n    return [\n");
	for (size_t i = 0; i < t->n_arguments; i++) {
		if (t->argument[i].kind != ARGUMENT_TENSOR ||
		    !binding_takes(s, entry, i))
			continue;
		if (binding_takes(s, prepare, i))
			buf_addf(out, "        arguments[%zu],\n", n);
		n++;
	}
	for (size_t i = 0; i < t->symbols.n; i++)
		if (!binding_finds(&argument, &dim, s, prepare,
				   t->symbols.v[i]))
			buf_addf(out, "        size[\"%s\"],\n",
				 t->symbols.v[i]);
	buf_adds(out, "    ]\n");
}

/* ---- what a function in Python is called with ---------------------------- */

/* Integers as they are; others as the type rounds them. */
static void add_value(struct buf *out, const struct scalar *m)
{
	double rounded = 0;

	if (m->value) {
		buf_adds(out, dtype_is_float(m->dtype) ? "float(" : "int(");
		add_expr(out, m->value);
		buf_adds(out, ")");
		return;
	}
	dtype_store(m->dtype, &rounded, 0, m->constant);
	buf_addf(out, "%s(\"%.17g\")",
		 dtype_is_float(m->dtype) ? "float" : "int",
		 dtype_load(m->dtype, &rounded, 0));
}

/* Where the argument is among those of the operator: tensors, sizes, and what
 * is prepared last. */
static size_t index_of(const struct export_source *s,
		       const struct torch_binding *b, size_t argument)
{
	const struct task *t = s->task;
	bool prepared = t->argument[argument].kind == ARGUMENT_PREPARED;
	size_t n = 0, of, dim;

	for (size_t i = 0; i < t->n_arguments; i++) {
		bool is = t->argument[i].kind == ARGUMENT_PREPARED;

		if (binding_takes(s, b, i) &&
		    (is ? prepared && i < argument : prepared || i < argument))
			n++;
	}
	for (size_t i = 0; prepared && i < t->symbols.n; i++)
		n += !binding_finds(&of, &dim, s, b, t->symbols.v[i]);
	return n;
}

static void add_taken(struct buf *out, const struct export_source *s,
		      const struct torch_binding *b, size_t i)
{
	const struct argument *a = &s->task->argument[i];
	bool copied = binding_returns(s, b, i);

	buf_addf(out, "        (\"%s\", %zu, ", copied ? "copied" : "taken",
		 index_of(s, b, i));
	if (!copied)
		buf_addf(out, "\"%s\", ", a->name);
	add_tensor(out, a);
	if (!copied)
		buf_addf(out, ", %zu", a->alignment ? a->alignment : 64);
	buf_adds(out, "),\n");
}

static void add_passed(struct buf *out, const struct export_source *s,
		       const struct torch_binding *b, size_t i)
{
	const struct argument *a = &s->task->argument[i];

	if (binding_takes(s, b, i)) {
		add_taken(out, s, b, i);
	} else if (binding_returns(s, b, i)) {
		buf_adds(out, "        (\"made\", ");
		add_tensor(out, a);
		buf_adds(out, "),\n");
	} else if (a->kind == ARGUMENT_WORKSPACE) {
		buf_adds(out, "        (\"scratch\", ");
		add_expr(out, a->bytes);
		buf_addf(out, ", %s),\n", a->zeroed ? "True" : "False");
	} else {
		buf_adds(out, "        (\"value\", ");
		if (a->kind == ARGUMENT_SCALAR)
			add_value(out, &a->members[0]);
		else
			buf_adds(out, "None");
		buf_adds(out, "),\n");
	}
}

/* The arguments of the function that the binding stands for, in the task's
 * order. */
static void add_call(struct buf *out, const struct export_source *s,
		     const struct torch_binding *b, const char *name)
{
	begin_of_sizes(out, s->task, name);
	buf_adds(out, "    return [\n");
	for (size_t i = 0; i < s->task->n_arguments; i++)
		add_passed(out, s, b, i);
	buf_adds(out, "    ]\n");
}

static void add_python(struct buf *out, const struct export_source *s)
{
	const struct task *t = s->task;
	const struct torch_binding prepare = package_prepare(s);

	buf_addf(out,
		 "\n# The kernel's files, and functions in them\nENTRY = "
		 "\"%s\"\nPREPARE_ENTRY = \"%s\"\nSOURCES = (",
		 t->entry, t->prepare ? t->prepare : "");
	for (size_t i = 0; i < s->sources.n; i++)
		buf_addf(out, "\"%s\",", s->sources.v[i] + strlen(t->prefix));
	buf_adds(out, ")\nPREPARE_DOC = \"\"\"");
	if (t->prepare)
		binding_schema(out, s, &prepare);
	buf_adds(out, "\"\"\"\n");
}

static void add_reference(struct buf *out, const struct task *t)
{
	if (t->reference.torch)
		buf_addf(out,
			 "# The reference, of the test\nREFERENCE_FILE = "
			 "\"%s\"\nREFERENCE = \"%s\"\nPLAIN = \"%s\"\n",
			 t->reference.torch, t->reference.entry,
			 t->plain ? t->plain : "");
}

static void add_python_calls(struct buf *out, const struct export_source *s)
{
	const struct torch_binding entry = package_entry(s);
	const struct torch_binding prepare = package_prepare(s);
	const struct torch_binding reference = {.kind = BINDING_REFERENCE};

	if (s->task->python)
		add_call(out, s, &entry, "passed");
	if (s->task->python && s->task->prepare)
		add_call(out, s, &prepare, "prepare_passed");
	if (s->task->reference.torch)
		add_call(out, s, &reference, "reference_passed");
}

/* ---- constants ----------------------------------------------------------- */

static void add_require(struct buf *out, const struct task *t)
{
	const struct expr *e = t->hidden_require;

	buf_adds(out, "\n\ndef go_together(");
	for (size_t i = 0; i < t->symbols.n; i++)
		buf_addf(out, "s_%s, ", t->symbols.v[i]);
	buf_adds(out, "*_):\n    return ");
	if (e)
		add_expr(out, e);
	else
		buf_adds(out, "True");
	buf_adds(out, "\n\n\nREQUIRE = ");
	if (e) {
		cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

		expr_python(&text, e);
		buf_addf(out, "\"%s\"\n", text.data);
	} else {
		buf_adds(out, "None\n");
	}
}

static void add_cases(struct buf *out, const struct task *t)
{
	buf_adds(out, "SYMBOLS = (");
	for (size_t i = 0; i < t->symbols.n; i++)
		buf_addf(out, "\"%s\",", t->symbols.v[i]);
	buf_adds(out, ")\nCASES = (\n");
	for (size_t i = 0; i < t->n_cases; i++) {
		buf_adds(out, "    (");
		for (size_t k = 0; k < t->symbols.n; k++)
			buf_addf(out, "%lld,", (long long)t->cases[i].value[k]);
		buf_adds(out, "),\n");
	}
	buf_adds(out, ")\n# lowest, highest, a multiple of\nHIDDEN = ");
	buf_adds(out, t->hidden ? "(" : "None");
	for (size_t i = 0; t->hidden && i < t->symbols.n; i++)
		buf_addf(out, "(%lld, %lld, %lld),",
			 (long long)t->hidden[i].low,
			 (long long)t->hidden[i].high,
			 (long long)t->hidden[i].step);
	buf_adds(out, t->hidden ? ")\n" : "\n");
	add_require(out, t);
}

static void add_extra(struct buf *out, const struct export_source *s,
		      const struct torch_binding *b)
{
	const struct task *t = s->task;
	size_t argument, dim;

	for (size_t i = 0; i < t->symbols.n; i++)
		if (!binding_finds(&argument, &dim, s, b, t->symbols.v[i]))
			buf_addf(out, "\"%s\",", t->symbols.v[i]);
}

static void add_arguments(struct buf *out, const struct export_source *s,
			  const struct torch_binding *b)
{
	const struct task *t = s->task;

	buf_adds(out, "ARGUMENTS = (");
	for (int prepared = 0; prepared < 2; prepared++) {
		for (size_t i = 0; i < t->n_arguments; i++) {
			bool is = t->argument[i].kind == ARGUMENT_PREPARED;

			if (binding_takes(s, b, i) && is == prepared)
				buf_addf(out, "\"%s\",", t->argument[i].name);
		}
		if (!prepared)
			add_extra(out, s, b);
	}
	buf_adds(out, ")\nTAKES = len(ARGUMENTS)\nEXTRA = (");
	add_extra(out, s, b);
	buf_adds(out, ")\n");
}

/* For the test: which tensor of the call each output of the reference is. */
static void add_written(struct buf *out, const struct export_source *s,
			const struct torch_binding *b)
{
	const struct task *t = s->task;
	int n = 0;

	buf_adds(out, "# Of what the reference returns: which argument it is; "
		      "-1: an output\nWRITTEN = (");
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];
		bool taken = a->kind == ARGUMENT_TENSOR &&
			     binding_takes(s, b, i);

		if (a->kind == ARGUMENT_TENSOR && a->direction != DIRECTION_IN)
			buf_addf(out, "%d,", taken ? n : -1);
		n += taken;
	}
	buf_adds(out, ")\n");
}

static void add_rules(struct buf *out, const struct task *t)
{
	const struct tolerance *all = &t->tolerance;

	buf_addf(out,
		 "# The allowed error: absolute, relative; None: FACTOR times "
		 "that of `plain`,\n# and none for integers\nFACTOR = %.17g\n"
		 "HAS_PLAIN = %s\nRULES = (",
		 all->factor, t->plain ? "True" : "False");
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];
		bool absolute = all->absolute &&
				(dtype_is_float(a->dtype) || all->atol > 0 ||
				 all->rtol > 0);

		if (a->kind != ARGUMENT_TENSOR || a->direction == DIRECTION_IN)
			continue;
		if (a->has_tolerance)
			buf_addf(out, "(%.17g, %.17g),", a->atol, a->rtol);
		else if (absolute)
			buf_addf(out, "(%.17g, %.17g),", all->atol, all->rtol);
		else
			buf_adds(out, "None,");
	}
	buf_adds(out, ")\n");
}

static void add_names(struct buf *out, const struct export_source *s,
		      const struct torch_binding *entry,
		      const struct torch_binding *prepare)
{
	size_t prepared = 0;

	for (size_t i = 0; i < s->task->n_arguments; i++)
		prepared += s->task->argument[i].kind == ARGUMENT_PREPARED;
	buf_addf(out,
		 "NAME = \"%s\"\nPREPARE = \"%s\"\nNAMESPACE = \"%s\"\n"
		 "PREPARED = %zu\nIS_CUDA = %s\nDOC = \"\"\"",
		 entry->name, prepare->name, s->space, prepared,
		 s->task->language == LANGUAGE_CUDA ? "True" : "False");
	binding_schema(out, s, entry);
	buf_adds(out, "\"\"\"\n");
}

struct error *package_put_task(struct export_source *s, const char *path)
{
	const struct torch_binding entry = package_entry(s);
	const struct torch_binding prepare = package_prepare(s);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	export_facts(&out, s, "# ");
	add_names(&out, s, &entry, &prepare);
	add_arguments(&out, s, &entry);
	add_cases(&out, s->task);
	add_written(&out, s, &entry);
	add_rules(&out, s->task);
	if (s->task->python)
		add_python(&out, s);
	add_reference(&out, s->task);
	buf_adds(&out, "\n\n");
	buf_adds(&out, export_arithmetic);
	add_sizes(&out, s, &entry, "sizes");
	add_made(&out, s, &entry, "outputs");
	add_inputs(&out, s, &entry);
	if (s->prepare.name) {
		add_sizes(&out, s, &prepare, "prepare_sizes");
		add_made(&out, s, &prepare, "prepared");
		add_prepare_arguments(&out, s, &entry, &prepare);
	}
	add_python_calls(&out, s);
	return export_put(s, path, &out);
}
