#include "cmd/export/binding.h"

/* binding_begin.cpp; image.S */
extern const char export_binding_begin[];

static bool is_written(const struct argument *a)
{
	return a->kind == ARGUMENT_TENSOR && a->direction != DIRECTION_IN;
}

static bool is_test(const struct torch_binding *b)
{
	return b->kind == BINDING_PLAIN || b->kind == BINDING_REFERENCE;
}

bool binding_takes(const struct export_source *s, const struct torch_binding *b,
		   size_t argument)
{
	const struct argument *a = &s->task->argument[argument];

	if (a->kind == ARGUMENT_PREPARED)
		return b->kind == BINDING_ENTRY;
	if (a->kind != ARGUMENT_TENSOR || a->direction == DIRECTION_OUT)
		return false;
	return b->kind != BINDING_PREPARE || a->is_static;
}

bool binding_returns(const struct export_source *s,
		     const struct torch_binding *b, size_t argument)
{
	const struct argument *a = &s->task->argument[argument];

	if (b->kind == BINDING_PREPARE)
		return a->kind == ARGUMENT_PREPARED;
	return is_written(a) && (a->direction == DIRECTION_OUT || is_test(b));
}

bool binding_finds(size_t *argument, size_t *dim, const struct export_source *s,
		   const struct torch_binding *b, const char *symbol)
{
	const struct task *t = s->task;

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->kind != ARGUMENT_TENSOR || !binding_takes(s, b, i))
			continue;
		for (size_t d = 0; d < a->n_dims; d++) {
			const char *only = expr_only_symbol(a->shape[d]);

			if (!only || !str_eq(only, symbol))
				continue;
			*argument = i;
			*dim = d;
			return true;
		}
	}
	return false;
}

struct error *binding_check(const struct export_source *s)
{
	const struct torch_binding entry = {.kind = BINDING_ENTRY};
	const struct torch_binding prepare = {.kind = BINDING_PREPARE};
	bool some = false, some_static = !s->prepare.name;

	TRY(code_check(s));
	if (s->task->project.object || s->task->project.generate.n)
		return error_new(
			ERROR_REFUSED,
			"export: the task's own build.%s cannot run in "
			"another build: use --as header",
			s->task->project.object ? "command" : "generate");
	for (size_t i = 0; i < s->task->n_arguments; i++) {
		bool tensor = s->task->argument[i].kind == ARGUMENT_TENSOR;

		some = some || (tensor && binding_takes(s, &entry, i));
		some_static = some_static ||
			      (tensor && binding_takes(s, &prepare, i));
	}
	if (some && some_static)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "export: `%s` reads no tensor, so that PyTorch could "
			 "not tell its device: use --as header",
			 some ? s->prepare.name : s->entry.name);
}

/* ---- parts of the code --------------------------------------------------- */

static void add_expr(struct buf *out, const struct expr *e)
{
	expr_code(out, e, "s_", "LL");
}

static void add_shape(struct buf *out, struct expr *const *dim, size_t n)
{
	buf_adds(out, "{");
	for (size_t i = 0; i < n; i++) {
		buf_adds(out, i ? ", " : "");
		add_expr(out, dim[i]);
	}
	buf_adds(out, "}");
}

/* {} : row-major. */
static void add_strides(struct buf *out, const struct argument *a)
{
	add_shape(out, a->stride, a->has_strides ? a->n_dims : 0);
}

/* The names of PyTorch; those that older versions lack are macros of
 * binding_begin.cpp, which say what is needed. */
static const char *torch_type(enum dtype t)
{
	static const char *const names[DTYPE_COUNT] = {
		[DTYPE_F32] = "at::kFloat",	[DTYPE_F64] = "at::kDouble",
		[DTYPE_F16] = "at::kHalf",	[DTYPE_BF16] = "at::kBFloat16",
		[DTYPE_I8] = "at::kChar",	[DTYPE_I16] = "at::kShort",
		[DTYPE_I32] = "at::kInt",	[DTYPE_I64] = "at::kLong",
		[DTYPE_U8] = "at::kByte",	[DTYPE_U16] = "TYPE_U16",
		[DTYPE_U32] = "TYPE_U32",	[DTYPE_U64] = "TYPE_U64",
		[DTYPE_F8E4M3] = "TYPE_F8E4M3", [DTYPE_F8E5M2] = "TYPE_F8E5M2",
	};

	return names[t];
}

/* What the operator makes it of. */
static const char *made_type(const struct torch_binding *b,
			     const struct argument *a)
{
	return b->kind == BINDING_REFERENCE && is_written(a) &&
			       dtype_is_float(a->dtype)
		       ? "at::kDouble"
		       : torch_type(a->dtype);
}

static void add_parameters(struct buf *out, const struct export_source *s,
			   const struct torch_binding *b)
{
	const struct task *t = s->task;
	const char *between = "";
	size_t argument, dim;

	for (int prepared = 0; prepared < 2; prepared++) {
		for (size_t i = 0; i < t->n_arguments; i++) {
			const struct argument *a = &t->argument[i];
			bool is_prepared = a->kind == ARGUMENT_PREPARED;

			if (!binding_takes(s, b, i) || is_prepared != prepared)
				continue;
			buf_addf(out, "%sconst at::Tensor &t_%s", between,
				 a->name);
			between = ", ";
		}
		for (size_t i = 0; !prepared && i < t->symbols.n; i++) {
			if (binding_finds(&argument, &dim, s, b,
					  t->symbols.v[i]))
				continue;
			buf_addf(out, "%sint64_t s_%s", between,
				 t->symbols.v[i]);
			between = ", ";
		}
	}
}

static size_t count_returned(const struct export_source *s,
			     const struct torch_binding *b)
{
	size_t n = 0;

	for (size_t i = 0; i < s->task->n_arguments; i++)
		n += binding_returns(s, b, i);
	return n;
}

static void add_result_type(struct buf *out, const struct export_source *s,
			    const struct torch_binding *b)
{
	size_t n = count_returned(s, b);

	if (n < 2) {
		buf_adds(out, n ? "at::Tensor" : "void");
		return;
	}
	buf_adds(out, "std::tuple<");
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%sat::Tensor", i ? ", " : "");
	buf_adds(out, ">");
}

/* ---- the body ------------------------------------------------------------ */

static void add_symbols(struct buf *out, const struct export_source *s,
			const struct torch_binding *b)
{
	const struct task *t = s->task;
	size_t argument, dim;

	for (size_t i = 0; i < t->symbols.n; i++)
		if (binding_finds(&argument, &dim, s, b, t->symbols.v[i]))
			buf_addf(out,
				 "\tconst int64_t s_%s = size_of(t_%s, \"%s\", "
				 "%zu, %zu);\n",
				 t->symbols.v[i], t->argument[argument].name,
				 t->argument[argument].name,
				 t->argument[argument].n_dims, dim);
	buf_adds(out, "\tcheck_sizes(");
	for (size_t i = 0; i < t->symbols.n; i++)
		buf_addf(out, "%ss_%s", i ? ", " : "", t->symbols.v[i]);
	buf_adds(out, ");\n");
}

static void add_checks(struct buf *out, const struct export_source *s,
		       const struct torch_binding *b, const char *first)
{
	const struct task *t = s->task;

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (!binding_takes(s, b, i))
			continue;
		buf_addf(out, "\tcheck(t_%s, \"%s\", t_%s, %s, ", a->name,
			 a->name, first,
			 a->kind == ARGUMENT_TENSOR ? torch_type(a->dtype)
						    : "at::kByte");
		if (a->kind == ARGUMENT_TENSOR) {
			add_shape(out, a->shape, a->n_dims);
			buf_adds(out, ", ");
			add_strides(out, a);
		} else {
			buf_adds(out, "{");
			add_expr(out, a->bytes);
			buf_adds(out, "}, {}");
		}
		buf_addf(out, ", %zu);\n", a->alignment ? a->alignment : 64);
	}
}

void binding_new_tensor(struct buf *out, const struct argument *a)
{
	buf_addf(out, "tensor_like(at::empty({0}), %s, ", torch_type(a->dtype));
	add_shape(out, a->shape, a->n_dims);
	buf_adds(out, ", ");
	add_strides(out, a);
	buf_adds(out, ")");
}

/* Buffers that the operator makes. */
static void add_made(struct buf *out, const struct export_source *s,
		     const struct torch_binding *b)
{
	const struct task *t = s->task;

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];
		bool tensor = a->kind == ARGUMENT_TENSOR;

		if (a->kind == ARGUMENT_WORKSPACE ||
		    (a->kind == ARGUMENT_PREPARED &&
		     b->kind == BINDING_PREPARE)) {
			buf_addf(out, "\tat::Tensor m_%s = bytes_like(first, ",
				 a->name);
			add_expr(out, a->bytes);
			buf_addf(out, ", %s);\n", a->zeroed ? "true" : "false");
		} else if (tensor && binding_returns(s, b, i)) {
			buf_addf(out,
				 "\tat::Tensor m_%s = tensor_like(first, "
				 "%s, ",
				 a->name, made_type(b, a));
			add_shape(out, a->shape, a->n_dims);
			buf_adds(out, ", ");
			add_strides(out, a);
			buf_adds(out, ");\n");
			if (a->direction == DIRECTION_INOUT)
				buf_addf(out, "\tm_%s.copy_(t_%s);\n", a->name,
					 a->name);
		}
	}
}

/* "t_x": an argument, "m_x": one that was made; NULL: there is none. */
static char *buffer_of(const struct export_source *s,
		       const struct torch_binding *b, size_t i)
{
	const struct argument *a = &s->task->argument[i];

	if (a->kind == ARGUMENT_WORKSPACE || binding_returns(s, b, i))
		return xasprintf("m_%s", a->name);
	return binding_takes(s, b, i) ? xasprintf("t_%s", a->name) : NULL;
}

static void add_value(struct buf *out, const struct export_source *s,
		      const struct torch_binding *b, const struct scalar *m)
{
	if (m->tensor) {
		cleanup_free char *name = buffer_of(s, b, m->tensor_index);

		buf_addf(out, "%s%s", name ? name : "nullptr",
			 name ? ".data_ptr()" : "");
		return;
	}
	buf_addf(out, "(%s)", code_type(s->task, m->dtype));
	if (m->value)
		add_expr(out, m->value);
	else
		buf_addf(out, "(%.17g)", m->constant);
}

static void add_structs(struct buf *out, const struct export_source *s,
			const struct torch_binding *b)
{
	for (size_t i = 0; i < s->task->n_arguments; i++) {
		const struct argument *a = &s->task->argument[i];

		if (a->kind != ARGUMENT_STRUCT)
			continue;
		buf_addf(out, "\tstruct %s_%s v_%s = {", s->package, a->name,
			 a->name);
		for (size_t m = 0; m < a->n_members; m++) {
			buf_adds(out, m ? ", " : "");
			add_value(out, s, b, &a->members[m]);
		}
		buf_adds(out, "};\n");
	}
}

static void add_passed(struct buf *out, const struct export_source *s,
		       const struct torch_binding *b, size_t i)
{
	const struct argument *a = &s->task->argument[i];
	cleanup_free char *name = NULL;

	if (a->kind == ARGUMENT_SCALAR) {
		add_value(out, s, b, &a->members[0]);
		return;
	}
	if (a->kind == ARGUMENT_STRUCT) {
		buf_addf(out, "%sv_%s", a->by_pointer ? "&" : "", a->name);
		return;
	}
	name = buffer_of(s, b, i);
	buf_adds(out, name ? "pointer(" : "nullptr");
	if (name)
		buf_addf(out, "%s)", name);
}

/* The row numbers of a reference: all rows of the first dimension. */
static void add_rows(struct buf *out, const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++) {
		if (!is_written(&t->argument[i]))
			continue;
		buf_adds(out, "(int64_t)0, (int64_t)");
		add_expr(out, t->argument[i].shape[0]);
		return;
	}
}

static void add_call(struct buf *out, const struct export_source *s,
		     const struct torch_binding *b)
{
	const struct task *t = s->task;
	const char *between = "";

	buf_adds(out, "\t");
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].kind == ARGUMENT_TENSOR &&
		    t->argument[i].passing == PASSED_BACK &&
		    b->kind != BINDING_PREPARE)
			buf_addf(out, "const auto result = ");
	buf_addf(out, "c_%s(", b->name);
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->passing != PASSED_AS_POINTER)
			continue;
		buf_adds(out, between);
		add_passed(out, s, b, i);
		between = ", ";
	}
	if (t->reference_rows && is_test(b)) {
		buf_adds(out, between);
		add_rows(out, t);
		between = ", ";
	}
	if (t->language == LANGUAGE_CUDA)
		buf_addf(out, "%sc10::cuda::getCurrentCUDAStream().stream()",
			 between);
	buf_adds(out, ");\n");
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].kind == ARGUMENT_TENSOR &&
		    t->argument[i].passing == PASSED_BACK &&
		    b->kind != BINDING_PREPARE)
			buf_addf(out,
				 "\tmemcpy(m_%s.data_ptr(), &result, sizeof "
				 "result);\n",
				 t->argument[i].name);
}

static void add_return(struct buf *out, const struct export_source *s,
		       const struct torch_binding *b)
{
	size_t n = count_returned(s, b);
	const char *between = "";

	if (!n)
		return;
	buf_adds(out, n > 1 ? "\treturn std::make_tuple(" : "\treturn ");
	for (size_t i = 0; i < s->task->n_arguments; i++) {
		if (!binding_returns(s, b, i))
			continue;
		buf_addf(out, "%sm_%s", between, s->task->argument[i].name);
		between = ", ";
	}
	buf_adds(out, n > 1 ? ");\n" : ";\n");
}

/* The first tensor, whose device is that of the call. */
static const char *first_tensor(const struct export_source *s,
				const struct torch_binding *b)
{
	const struct task *t = s->task;

	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].kind == ARGUMENT_TENSOR &&
		    binding_takes(s, b, i))
			return t->argument[i].name;
	return "";
}

static void declare(struct buf *out, const struct export_source *s,
		    const struct torch_binding *b)
{
	static const enum code_function kinds[] = {
		[BINDING_ENTRY] = CODE_ENTRY,
		[BINDING_PREPARE] = CODE_PREPARE,
		[BINDING_PLAIN] = CODE_PLAIN,
		[BINDING_REFERENCE] = CODE_REFERENCE,
	};
	cleanup_free char *name = xasprintf("c_%s", b->name);

	buf_adds(out, "extern \"C\" ");
	code_prototype(out, s, name, kinds[b->kind]);
	buf_addf(out, "\n\t__asm__(\"%s\");\n\n", b->symbol);
}

void binding_function(struct buf *out, const struct export_source *s,
		      const struct torch_binding *b)
{
	const char *first = first_tensor(s, b);

	declare(out, s, b);
	buf_adds(out, "namespace {\n");
	add_result_type(out, s, b);
	buf_addf(out, " op_%s(", b->name);
	add_parameters(out, s, b);
	buf_adds(out, ")\n{\n");
	add_symbols(out, s, b);
	add_checks(out, s, b, first);
	buf_addf(out, "\t[[maybe_unused]] const at::Tensor &first = t_%s;\n",
		 first);
	if (s->task->language == LANGUAGE_CUDA)
		buf_adds(out, "\tconst c10::cuda::CUDAGuard "
			      "guard(first.device());\n");
	buf_adds(out, "\tset_up();\n");
	add_made(out, s, b);
	add_structs(out, s, b);
	add_call(out, s, b);
	add_return(out, s, b);
	buf_adds(out, "}\n} // namespace\n\n");
}

/* ---- the beginning ------------------------------------------------------- */

static void add_case_test(struct buf *out, const struct task *t, size_t i)
{
	for (size_t k = 0; k < t->symbols.n; k++)
		buf_addf(out, "%ss_%s == %lldLL", k ? " && " : "(",
			 t->symbols.v[k], (long long)t->cases[i].value[k]);
	buf_adds(out, t->symbols.n ? ")" : "true");
}

static void add_hidden_test(struct buf *out, const struct task *t)
{
	buf_adds(out, "(");
	for (size_t k = 0; k < t->symbols.n; k++)
		buf_addf(out, "%swithin(s_%s, %lldLL, %lldLL, %lldLL)",
			 k ? " && " : "", t->symbols.v[k],
			 (long long)t->hidden[k].low,
			 (long long)t->hidden[k].high,
			 (long long)t->hidden[k].step);
	if (t->hidden_require) {
		buf_adds(out, " && is_true(");
		add_expr(out, t->hidden_require);
		buf_adds(out, ")");
	}
	buf_adds(out, t->symbols.n ? ")" : "true)");
}

static void add_check_sizes(struct buf *out, const struct export_source *s)
{
	const struct task *t = s->task;

	buf_adds(out, "// The sizes that the kernel was made for and checked "
		      "at.\nvoid check_sizes(");
	for (size_t i = 0; i < t->symbols.n; i++)
		buf_addf(out, "%sint64_t s_%s", i ? ", " : "", t->symbols.v[i]);
	buf_adds(out, ")\n{\n\tTORCH_CHECK(");
	for (size_t i = 0; i < t->n_cases; i++) {
		buf_adds(out, i ? " ||\n\t\t" : "");
		add_case_test(out, t, i);
	}
	if (t->hidden) {
		buf_adds(out, " ||\n\t\t");
		add_hidden_test(out, t);
	}
	buf_addf(out, ",\n\t\t\"%s was not checked at this size:\"",
		 s->function);
	for (size_t i = 0; i < t->symbols.n; i++)
		buf_addf(out, ", \" %s=\", s_%s", t->symbols.v[i],
			 t->symbols.v[i]);
	buf_adds(out, ");\n}\n");
}

void binding_begin(struct buf *out, const struct export_source *s,
		   const char *setup)
{
	if (s->task->language == LANGUAGE_CUDA)
		buf_adds(out, "#include <c10/cuda/CUDAGuard.h>\n"
			      "#include <c10/cuda/CUDAStream.h>\n"
			      "#include <cuda_fp16.h>\n"
			      "#include <cuda_bf16.h>\n"
			      "#include <cuda_fp8.h>\n"
			      "#define DEVICE_OF_KERNEL at::kCUDA\n");
	else
		buf_adds(out, "#define DEVICE_OF_KERNEL at::kCPU\n");
	buf_adds(out, export_binding_begin);
	buf_adds(out, "\nnamespace {\n");
	add_check_sizes(out, s);
	buf_adds(out, "} // namespace\n\nextern \"C\" {\n");
	code_structs(out, s);
	buf_adds(out, "}\n\n");
	if (setup)
		buf_addf(out,
			 "extern \"C\" void c_setup(void) __asm__(\"%s\");\n",
			 setup);
	buf_addf(out, "namespace {\nvoid set_up()\n{\n%s}\n} // namespace\n\n",
		 setup ? "\tstatic const bool done = (c_setup(), true);\n"
			 "\t(void)done;\n"
		       : "");
}

/* ---- the schema ---------------------------------------------------------- */

void binding_schema(struct buf *out, const struct export_source *s,
		    const struct torch_binding *b)
{
	const struct task *t = s->task;
	const char *between = "";
	size_t argument, dim, n = count_returned(s, b);

	buf_addf(out, "%s(", b->name);
	for (int prepared = 0; prepared < 2; prepared++) {
		for (size_t i = 0; i < t->n_arguments; i++) {
			const struct argument *a = &t->argument[i];
			cleanup_free char *name = code_name(a->name);
			bool is_prepared = a->kind == ARGUMENT_PREPARED;

			if (!binding_takes(s, b, i) || is_prepared != prepared)
				continue;
			if (is_written(a) && b->kind == BINDING_ENTRY)
				buf_addf(out, "%sTensor(a%zu!) %s", between, i,
					 name);
			else
				buf_addf(out, "%sTensor %s", between, name);
			between = ", ";
		}
		for (size_t i = 0; !prepared && i < t->symbols.n; i++) {
			if (binding_finds(&argument, &dim, s, b,
					  t->symbols.v[i]))
				continue;
			buf_addf(out, "%sint size_%s", between,
				 t->symbols.v[i]);
			between = ", ";
		}
	}
	buf_adds(out, n == 1 ? ") -> Tensor" : ") -> (");
	for (size_t i = 0; n != 1 && i < n; i++)
		buf_addf(out, "%sTensor", i ? ", " : "");
	buf_adds(out, n == 1 ? "" : ")");
}
