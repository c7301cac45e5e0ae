#include "cmd/export/code.h"

struct error *code_check(const struct export_source *s)
{
	const struct task *t = s->task;

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		for (size_t m = 0; m < a->n_members; m++)
			if (!a->members[m].tensor &&
			    !code_type(t, a->members[m].dtype))
				return error_new(
					ERROR_REFUSED,
					"export: `%s` is a value of type %s, "
					"which C++ has no portable type for: "
					"pass it as f32",
					a->name,
					dtype_name(a->members[m].dtype));
	}
	return NULL;
}

bool code_is_keyword(const char *name)
{
	static const char words[] =
		" alignas alignof and and_eq as asm assert async auto await "
		"bitand bitor bool break case catch char class co_await "
		"co_return co_yield compl concept const const_cast consteval "
		"constexpr constinit continue decltype def default del delete "
		"do double dynamic_cast elif else enum except explicit export "
		"extern False finally float for friend from global goto if "
		"import in inline int is lambda long mutable namespace new "
		"noexcept None nonlocal not not_eq nullptr operator or or_eq "
		"pass private protected public raise register "
		"reinterpret_cast requires restrict return self short signed "
		"sizeof static static_assert static_cast struct switch "
		"template this thread_local throw True try typedef typeid "
		"typename union unsigned using virtual void volatile wchar_t "
		"while with xor xor_eq yield ";
	cleanup_free char *word = xasprintf(" %s ", name);

	return strstr(words, word) != NULL;
}

char *code_name(const char *name)
{
	return xasprintf("%s%s", name, code_is_keyword(name) ? "_" : "");
}

const char *code_type(const struct task *t, enum dtype dtype)
{
	static const char *const c[DTYPE_COUNT] = {
		[DTYPE_F32] = "float",	  [DTYPE_F64] = "double",
		[DTYPE_I8] = "int8_t",	  [DTYPE_I16] = "int16_t",
		[DTYPE_I32] = "int32_t",  [DTYPE_I64] = "int64_t",
		[DTYPE_U8] = "uint8_t",	  [DTYPE_U16] = "uint16_t",
		[DTYPE_U32] = "uint32_t", [DTYPE_U64] = "uint64_t",
	};
	static const char *const cuda[DTYPE_COUNT] = {
		[DTYPE_F16] = "__half",
		[DTYPE_BF16] = "__nv_bfloat16",
		[DTYPE_F8E4M3] = "__nv_fp8_e4m3",
		[DTYPE_F8E5M2] = "__nv_fp8_e5m2",
	};

	return c[dtype]			      ? c[dtype]
	       : t->language == LANGUAGE_CUDA ? cuda[dtype]
					      : NULL;
}

/* ---- prototypes ---------------------------------------------------------- */

void code_structs(struct buf *out, const struct export_source *s)
{
	const struct task *t = s->task;

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->kind != ARGUMENT_STRUCT)
			continue;
		buf_addf(out, "struct %s_%s {\n", s->package, a->name);
		for (size_t m = 0; m < a->n_members; m++) {
			cleanup_free char *name = code_name(a->members[m].name);
			const char *type =
				a->members[m].tensor
					? "void *"
					: code_type(t, a->members[m].dtype);

			buf_addf(out, "\t%s %s;\n", type, name);
		}
		buf_adds(out, "};\n\n");
	}
}

static void add_pointer(struct buf *out, const struct task *t,
			const struct argument *a, enum code_function kind)
{
	const char *type = a->kind == ARGUMENT_TENSOR ? code_type(t, a->dtype)
						      : NULL;

	if (kind == CODE_REFERENCE && a->kind == ARGUMENT_TENSOR &&
	    a->direction != DIRECTION_IN && dtype_is_float(a->dtype))
		type = "double";
	buf_addf(out, "%s%s *",
		 a->kind == ARGUMENT_TENSOR && a->direction == DIRECTION_IN
			 ? "const "
			 : "",
		 type ? type : "void");
}

static void add_parameter(struct buf *out, const struct export_source *s,
			  const struct argument *a, enum code_function kind)
{
	cleanup_free char *name = code_name(a->name);

	if (a->kind == ARGUMENT_SCALAR)
		buf_addf(out, "%s ", code_type(s->task, a->members[0].dtype));
	else if (a->kind == ARGUMENT_STRUCT)
		buf_addf(out, "struct %s_%s %s", s->package, a->name,
			 a->by_pointer ? "*" : "");
	else
		add_pointer(out, s->task, a, kind);
	buf_adds(out, name);
}

/* The type of what is returned: "void" if it is nothing of the task. */
static const char *result_type(const struct task *t, enum code_function kind)
{
	for (size_t i = 0; kind != CODE_PREPARE && i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->kind == ARGUMENT_TENSOR && a->passing == PASSED_BACK)
			return kind == CODE_REFERENCE &&
					       dtype_is_float(a->dtype)
				       ? "double"
				       : code_type(t, a->dtype);
	}
	return "void";
}

void code_prototype(struct buf *out, const struct export_source *s,
		    const char *name, enum code_function kind)
{
	const struct task *t = s->task;
	const char *between = "";

	if (kind == CODE_SETUP) {
		buf_addf(out, "void %s(void)", name);
		return;
	}
	buf_addf(out, "%s %s(", result_type(t, kind), name);
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->passing != PASSED_AS_POINTER)
			continue;
		buf_adds(out, between);
		add_parameter(out, s, a, kind);
		between = ", ";
	}
	if (t->reference_rows &&
	    (kind == CODE_REFERENCE || kind == CODE_PLAIN)) {
		buf_addf(out, "%sint64_t row_begin, int64_t row_end", between);
		between = ", ";
	}
	if (t->language == LANGUAGE_CUDA)
		buf_addf(out, "%scudaStream_t stream", between);
	buf_adds(out, ")");
}

/* ---- compiling ----------------------------------------------------------- */

static void add_cuda_words(struct strvec *command,
			   const struct export_source *s)
{
	const struct cuda_build *cuda = &s->task->cuda;

	strvec_pushl(command, "nvcc", "-Xcompiler=-fPIC", NULL);
	strvec_pushf(command, "-gencode=arch=compute_%s,code=%s", s->arch + 3,
		     s->arch);
	for (size_t i = 0; i < cuda->also.n; i++)
		if (!arch_same_number(cuda->also.v[i], s->arch))
			strvec_pushf(command,
				     "-gencode=arch=compute_%s,code=%s",
				     cuda->also.v[i] + 3, cuda->also.v[i]);
	if (cuda->rdc)
		strvec_push(command, "-rdc=true");
}

static void begin_words(struct strvec *command, const struct export_source *s,
			const char *folder)
{
	const struct task *t = s->task;

	if (t->language == LANGUAGE_CUDA)
		add_cuda_words(command, s);
	else
		strvec_pushl(command, t->compiler, "-fPIC", NULL);
	for (size_t i = 0; i < t->include.n; i++) {
		cleanup_free char *path = task_path(t, t->include.v[i]);

		strvec_pushf(command, "-I%s%s", folder, path);
	}
}

void code_compile_words(struct strvec *command, const struct export_source *s,
			const char *folder)
{
	begin_words(command, s, folder);
	strvec_extend(command, &s->flags);
}

static void add_flags(struct strvec *command, const struct strvec *flags)
{
	for (size_t i = 0; i < flags->n; i++)
		if (!starts_with(flags->v[i], "-l"))
			strvec_push(command, flags->v[i]);
}

void code_reference_words(struct strvec *command, const struct export_source *s,
			  const char *folder)
{
	begin_words(command, s, folder);
	add_flags(command, &s->task->flags);
	add_flags(command, &s->task->reference.flags);
}
