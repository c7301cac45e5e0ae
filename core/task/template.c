#include "core/task/template.h"

#include <ctype.h>

#include "core/task/template_cases.h"

static bool is_cuda(const struct prototype *p)
{
	return p->language == LANGUAGE_CUDA;
}

static bool is_cxx(const struct prototype *p)
{
	return p->language == LANGUAGE_CXX;
}

void template_release(struct template *t)
{
	strvec_release(&t->flags);
	strvec_release(&t->include);
	strvec_release(&t->files);
	strvec_release(&t->functions);
}

static bool is_float_pointer(const struct parameter *p)
{
	return p->is_pointer && p->known && dtype_is_float(p->dtype);
}

static bool is_output(const struct parameter *p)
{
	return p->is_pointer && !p->is_const &&
	       !(p->has_direction && p->direction == DIRECTION_IN);
}

static void add_name(struct buf *out, const struct prototype *p, size_t i)
{
	if (*p->parameter[i].name)
		buf_adds(out, p->parameter[i].name);
	else
		buf_addf(out, "argument%zu", i + 1);
}

/* The shape of a tensor: one dimension for each symbol, two at most. */
static void add_shape(struct buf *out, const struct prototype *p)
{
	const char *first = template_symbol(p, 0),
		   *second = template_symbol(p, 1);

	if (first && second)
		buf_addf(out, "[%s, %s]", first, second);
	else
		buf_addf(out, "[%s]", first ? first : "n");
}

static void add_tensor(struct buf *out, const struct prototype *p,
		       const struct parameter *a)
{
	static const char *const directions[] = {"in", "out", "inout"};

	buf_adds(out, "\n    shape: ");
	if (a->shape)
		buf_addf(out, "[%s]", a->shape);
	else
		add_shape(out, p);
	buf_adds(out, !a->shape		? "  # GUESS"
		      : a->shape_unsure ? "  # GUESS: some access is not "
					  "known"
		      : a->is_guarded	? "  # GUESS: an `if` may keep it from "
					  "going so far"
					: "");
	if (a->strides)
		buf_addf(out, "\n    strides: [%s]", a->strides);
	if (a->has_direction)
		buf_addf(out, "\n    direction: %s", directions[a->direction]);
	else
		buf_addf(out, "\n    direction: %s",
			 is_output(a) ? "out  # GUESS: or inout" : "in");
	if (a->contents && a->ascends)
		buf_addf(
			out,
			"\n    fill: {generator: %s_ascends}  # GUESS: it says "
			"where loops begin and end",
			a->name);
	else if (a->contents)
		buf_addf(out,
			 "\n    fill: {low: 0, high: %s}  # GUESS: it indexes "
			 "another array",
			 a->contents);
}

static void add_dtype(struct buf *out, const struct parameter *a)
{
	bool bytes = a->is_pointer && str_eq(a->type, "void");

	buf_addf(out, "\n    dtype: %s",
		 a->known ? dtype_name(a->dtype)
		 : bytes  ? "u8"
			  : "f32");
	if (bytes)
		buf_adds(out, "  # GUESS: what `void *` points to, as bytes");
	else if (!a->known)
		buf_addf(out, "  # GUESS: `%s%s` is not a type avogit knows",
			 a->type, a->is_pointer ? " *" : "");
}

static void add_argument(struct buf *out, const struct prototype *p, size_t i)
{
	const struct parameter *a = &p->parameter[i];

	buf_adds(out, "  - name: ");
	add_name(out, p, i);
	add_dtype(out, a);
	if (a->is_pointer)
		add_tensor(out, p, a);
	else if (template_is_symbol(p, a))
		buf_addf(out, "\n    value: %s", a->name);
	else
		buf_addf(out, "\n    value: %s  # GUESS",
			 a->known && !dtype_is_float(a->dtype) ? "1" : "1.0");
	buf_addc(out, '\n');
}

/* Every tensor once: the bytes of a kernel that only moves data. */
static void add_bytes(struct buf *out, const struct prototype *p)
{
	const char *first = template_symbol(p, 0),
		   *second = template_symbol(p, 1);
	size_t bytes = 0;

	if (p->flops)
		buf_addf(out, "flops: %s  # GUESS: turns of the loops\n",
			 p->flops);
	if (p->bytes) {
		buf_addf(out, "bytes: %s\n", p->bytes);
		return;
	}
	for (size_t i = 0; i < p->n; i++)
		if (p->parameter[i].is_pointer)
			bytes += p->parameter[i].known
					 ? dtype_bytes(p->parameter[i].dtype)
					 : 4;
	buf_addf(out, "bytes: \"%zu * %s%s%s\"  # GUESS\n", bytes,
		 first ? first : "n", first && second ? " * " : "",
		 first && second ? second : "");
}

/* A source may choose flags that change no result, or hardly. */
static const char cuda_build[] =
	"build:\n"
	"  # arch: sm_90a  # else that of the GPU that is there\n"
	"  flags: [-O3]\n"
	"  # What a line `// avogit-flags: -O3 | -maxrregcount=128` of the "
	"kernel may choose.\n"
	"  allow: [-O3, -maxrregcount=64, -maxrregcount=96, "
	"-maxrregcount=128]\n";

/* Words of the user's, quoted where YAML would read them otherwise. */
static void add_words(struct buf *out, const struct strvec *words)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./";

	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->v[i];
		bool quoted = !*word || word[strspn(word, plain)];

		buf_adds(out, i ? ", " : "");
		if (quoted)
			buf_addc(out, '"');
		for (; *word; word++)
			buf_addf(out, "%s%c",
				 *word == '"' || *word == '\\' ? "\\" : "",
				 *word);
		if (quoted)
			buf_addc(out, '"');
	}
}

/* Files beside the sources, the shim first; and what of all is compiled, where
 * that is not every source file. */
static void add_files(struct buf *out, const struct template *t)
{
	const char *alone = t->shim ? t->shim : t->alone ? t->kernel : NULL;
	cleanup_strvec struct strvec files = STRVEC_INIT, one = STRVEC_INIT;

	if (t->shim)
		strvec_push(&files, t->shim);
	strvec_extend(&files, &t->files);
	if (files.n) {
		buf_adds(out, "  files: [");
		add_words(out, &files);
		buf_adds(out, "]\n");
	}
	if (!alone)
		return;
	strvec_push(&one, alone);
	buf_addf(out, "  # Alone: it includes the %s.\n  compile: [",
		 t->shim ? "kernel" : "others");
	add_words(out, &one);
	buf_adds(out, "]\n");
}

static void add_build(struct buf *out, const struct template *t)
{
	bool cxx = t->prototype->language == LANGUAGE_CXX;

	if (is_cuda(t->prototype)) {
		buf_adds(out, cuda_build);
		return;
	}
	buf_addf(out, "build:\n  compiler: %s\n  flags: [",
		 t->compiler ? t->compiler
		 : cxx	     ? "c++"
			     : "cc");
	add_words(out, &t->flags);
	buf_addf(out, "%s]\n", t->flags.n ? "" : "-O2");
	buf_adds(out, "  # What a line `// avogit-flags: -O2 | -O3` of the "
		      "kernel may choose.\n"
		      "  allow: [-O2, -O3, -march=native, -funroll-loops]\n");
	add_files(out, t);
}

/* "ns::f_plain<float>" of "ns::f<float>", "ns::f_plain(int)" of "ns::f(int)" */
static char *plain_name(const char *name)
{
	size_t len = strcspn(name, "<(");

	return xasprintf("%.*s_plain%s", (int)len, name, name + len);
}

char *template_name(const struct prototype *p)
{
	const char *end = p->name + strcspn(p->name, "<"), *at = end;
	cleanup_buf struct buf name = BUF_INIT(200);

	while (at > p->name && at[-1] != ':')
		at--;
	for (; at < end; at++)
		buf_addc(&name, *at == ' ' || *at == '(' || *at == ')' ||
						*at == '&' || *at == '*' ||
						*at == ','
					? '_'
					: *at);
	return buf_take(&name);
}

static const char *language_word(enum language l)
{
	return l == LANGUAGE_CUDA ? "cuda" : l == LANGUAGE_CXX ? "c++" : "c";
}

static void add_head(struct buf *out, const struct template *t,
		     const char *name)
{
	const struct prototype *p = t->prototype;

	buf_addf(out,
		 "# What avogit is to make fast, and what right and fast mean. "
		 "docs/task.md has\n"
		 "# every key. GUESS marks what the kernel's source does not "
		 "say: look these over.\n");
	if (t->read_by)
		buf_addf(out,
			 "# Types are what %s takes them for; shapes and "
			 "directions without a GUESS are\n"
			 "# read from the loops.\n",
			 t->read_by);
	buf_addf(out,
		 "name: %s\n"
		 "language: %s\n"
		 "\n"
		 "# Files that a candidate may change.\n"
		 "sources: [",
		 name, language_word(p->language));
	add_words(out,
		  &(struct strvec){.v = (char *[]){(char *)t->kernel, NULL},
				   .n = 1});
	buf_adds(out, "]\n");
	if (t->include.n) {
		buf_adds(out, "include: [");
		add_words(out, &t->include);
		buf_adds(out, "]\n");
	}
}

void template_task(struct buf *out, const struct template *t)
{
	const struct prototype *p = t->prototype;
	cleanup_free char *name = template_name(p);

	add_head(out, t, name);
	buf_addf(out,
		 "\n"
		 "# The function and its arguments, in order%s.\n"
		 "# Shapes are expressions over the symbols of the cases.\n",
		 is_cuda(p) ? ", but for the stream" : "");
	if (t->shim)
		buf_addf(out,
			 "# %s has it: it calls %s, which no other file can.\n"
			 "entry: %s_entry\n",
			 t->shim, p->name, name);
	else
		buf_addf(out, "entry: %s\n",
			 t->declaration ? t->declaration : p->name);
	if (t->setup)
		buf_addf(out,
			 "# GUESS: to be called once before it? Then here and "
			 "in `reference`:\n# setup: %s\n",
			 t->setup);
	buf_adds(out, "arguments:\n");
	for (size_t i = 0; i < p->n; i++)
		add_argument(out, p, i);
	if (p->has_result)
		buf_addf(out,
			 "  - name: returned\n"
			 "    dtype: %s\n"
			 "    direction: return\n",
			 dtype_name(p->result_dtype));
	buf_adds(out, "\n# What is timed.\n");
	template_add_cases(out, t);
	buf_adds(out, "\n# Work of one launch: flops where arithmetic is the "
		      "limit, bytes where memory is.\n");
	add_bytes(out, p);
	buf_addf(out,
		 "\n"
		 "# What is right: computed in double precision, and plainly "
		 "in the kernel's own.\n"
		 "reference:\n"
		 "  source: %s\n"
		 "  entry: %s_reference\n"
		 "  plain: ",
		 t->reference, name);
	if (t->shim)
		buf_addf(out, "%s_entry_plain", name);
	else {
		cleanup_free char *plain =
			plain_name(t->declaration ? t->declaration : p->name);

		buf_adds(out, plain);
	}
	if (t->setup)
		buf_addf(out, "\n  # setup: %s", t->setup);
	buf_adds(out, "\n\n");
	add_build(out, t);
}

/* ---- the reference ------------------------------------------------------------ */

/* Of the reference: a floating value is double there. */
static const char *result_type(const struct prototype *p)
{
	if (!p->has_result)
		return "void";
	return dtype_is_float(p->result_dtype) ? "double" : p->result;
}

static void add_reference_prototype(struct buf *out, const struct prototype *p,
				    const char *name)
{
	buf_addf(out, "%s%s %s_reference(",
		 p->language != LANGUAGE_C ? "extern \"C\" " : "",
		 result_type(p), name);
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];
		bool widened = is_output(a) && is_float_pointer(a);

		buf_addf(out, "%s%s%s %s", i ? ", " : "",
			 a->is_pointer && a->is_const ? "const " : "",
			 widened ? "double" : a->type,
			 a->is_pointer ? "*" : "");
		add_name(out, p, i);
	}
	buf_adds(out, is_cuda(p) ? ", cudaStream_t stream)\n" : ")\n");
}

/* The floating type that all of its tensors of floating types have; NULL if
 * they have none, or several. */
static const char *float_type(const struct prototype *p, bool *several)
{
	enum dtype found = DTYPE_I8;
	size_t n = 0;

	*several = false;
	for (size_t i = 0; i < p->n; i++) {
		if (!is_float_pointer(&p->parameter[i]))
			continue;
		*several |= n++ && p->parameter[i].dtype != found;
		found = p->parameter[i].dtype;
	}
	*several |= n && found != DTYPE_F32 && found != DTYPE_F64;
	return !n || *several ? NULL : found == DTYPE_F32 ? "float" : "double";
}

bool template_can_widen(const struct prototype *p)
{
	bool several;

	if (is_cuda(p) || (p->result && !p->has_result))
		return false;
	float_type(p, &several);
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		if (!a->known || !*a->name ||
		    (is_float_pointer(a) && (!a->extent || !a->has_direction)))
			return false;
	}
	return !several;
}

/* Functions of math.h: of float, of double, of long double. */
static const char *const math_names[] = {
	"sqrt",	 "exp",	  "exp2", "expm1", "log",  "log2",  "log10",
	"log1p", "pow",	  "sin",  "cos",   "tan",  "asin",  "acos",
	"atan",	 "atan2", "sinh", "cosh",  "tanh", "erf",   "erfc",
	"fabs",	 "fmax",  "fmin", "fma",   "fmod", "floor", "ceil",
	"round", "trunc", "rint", "hypot", "cbrt"};

/* The typedefs that stand for the type, each once. */
static void add_wide_aliases(struct buf *out, const struct prototype *p,
			     bool of_float, bool define)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];
		bool again = !a->alias || !a->known ||
			     a->dtype != (of_float ? DTYPE_F32 : DTYPE_F64);

		for (size_t k = 0; !again && k < i; k++)
			again = p->parameter[k].alias &&
				str_eq(p->parameter[k].alias, a->alias);
		if (again)
			continue;
		buf_addf(out, "#%s %s", define ? "define" : "undef", a->alias);
		if (define)
			/* Which is another type itself below. */
			buf_adds(out, " double");
		buf_addc(out, '\n');
	}
}

static void add_wide_names(struct buf *out, const struct template *t,
			   bool of_float, bool define)
{
	for (size_t i = 0; i < ARRAY_SIZE(math_names); i++) {
		buf_addf(out, "#%s %s%s", define ? "define" : "undef",
			 math_names[i], of_float ? "f" : "");
		if (define)
			buf_addf(out, " %s%s", math_names[i],
				 of_float ? "" : "l");
		buf_addc(out, '\n');
	}
	add_wide_aliases(out, t->prototype, of_float, define);
	for (size_t i = 0; i < t->functions.n; i++)
		buf_addf(out, define ? "#define %s %s_wide\n" : "#undef %s\n",
			 t->functions.v[i], t->functions.v[i]);
	buf_addf(out, define ? "#define %s %s\n" : "#undef %s\n",
		 of_float ? "float" : "double",
		 of_float ? "double" : "long double");
}

/* "f_wide" of "f"; in C++ "wide::ns::f_wide<double, 3>" of "ns::f<float, 3>" */
static char *wide_name(const char *name, bool is_cxx, const char *type,
		       const char *wide)
{
	size_t len = strcspn(name, "<");
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&out, "%s%.*s_wide", is_cxx ? "wide::" : "", (int)len, name);
	for (name += len; *name;) {
		size_t word = 0;

		while (isalnum((unsigned char)name[word]) || name[word] == '_')
			word++;
		if (word && word == strlen(type) &&
		    memcmp(name, type, word) == 0)
			buf_adds(&out, wide);
		else
			buf_add(&out, name, MAX(word, (size_t)1));
		name += MAX(word, (size_t)1);
	}
	return buf_take(&out);
}

/* An array's greatest element, which sizes depend on: that of an array whose own
 * size does not come first. */
static void add_greatest(struct buf *out, const struct prototype *p)
{
	bool done[TASK_MAX_ARGS] = {false};

	for (size_t turn = 0; turn < p->n; turn++)
		for (size_t i = 0; i < p->n; i++) {
			const struct parameter *a = &p->parameter[i];
			bool waits = false;

			if (!a->contents || !a->extent || done[i])
				continue;
			for (size_t k = 0; k < p->n; k++)
				waits |= p->parameter[k].contents && !done[k] &&
					 strstr(a->extent,
						p->parameter[k].contents);
			if (waits)
				continue;
			done[i] = true;
			buf_addf(out,
				 "\tlong %s = 0;\n"
				 "\tfor (size_t wide_i = 0; wide_i < "
				 "(size_t)(%s); wide_i++)\n"
				 "\t\tif ((long)%s[wide_i] > %s)\n"
				 "\t\t\t%s = (long)%s[wide_i];\n",
				 a->contents, a->extent, a->name, a->contents,
				 a->contents, a->name);
		}
}

/* The generator that the task names for it: from 0 to the greatest in about even
 * steps. A generator gets every symbol of the cases. */
static void add_generator(struct buf *out, const struct prototype *p,
			  const struct parameter *a)
{
	const char *name;

	buf_addf(out,
		 "\n/* GUESS: %s ascends from 0 to %s. */\n"
		 "%svoid %s_ascends(%s *data, uint64_t seed",
		 a->name, a->contents, is_cxx(p) ? "extern \"C\" " : "",
		 a->name, a->type);
	for (size_t i = 0; (name = template_symbol(p, i)); i++)
		buf_addf(out, ", int64_t %s", name);
	buf_addf(out,
		 ")\n"
		 "{\n"
		 "\tint64_t last = (int64_t)(%s) - 1;\n\n"
		 "\tfor (int64_t i = 0; i <= last; i++)\n"
		 "\t\tdata[i] = (%s)(last ? %s * i / last : 0);\n"
		 "\tfor (int64_t i = 1; i < last; i++) {\n"
		 "\t\tseed = seed * 6364136223846793005u + "
		 "1442695040888963407u;\n"
		 "\t\tdata[i] += (%s)((seed >> 33) %%\n"
		 "\t\t\t(uint64_t)(data[i + 1] - data[i] + 1));\n"
		 "\t}\n"
		 "}\n",
		 a->extent, a->type, a->contents, a->type);
}

static void add_generators(struct buf *out, const struct prototype *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		if (!a->contents || !a->ascends || !a->extent)
			continue;
		buf_adds(out, any ? "" : "\n#include <stdint.h>\n");
		any = true;
		add_generator(out, p, a);
	}
}

/* Tensors in the wide type, the call, and what is right back to double. */
static void add_wide_body(struct buf *out, const struct prototype *p,
			  const char *type, const char *wide)
{
	cleanup_free char *called = wide_name(p->name, is_cxx(p), type, wide);

	buf_adds(out, "{\n");
	add_greatest(out, p);
	for (size_t i = 0; i < p->n; i++)
		if (is_float_pointer(&p->parameter[i]))
			buf_addf(out,
				 "\t%s *wide_%s = wide_memory((size_t)(%s));\n",
				 wide, p->parameter[i].name,
				 p->parameter[i].extent);
	buf_adds(out, "\n");
	for (size_t i = 0; i < p->n; i++)
		if (is_float_pointer(&p->parameter[i]) &&
		    p->parameter[i].direction != DIRECTION_OUT)
			buf_addf(out,
				 "\tfor (size_t wide_i = 0; wide_i < "
				 "(size_t)(%s); wide_i++)\n"
				 "\t\twide_%s[wide_i] = %s[wide_i];\n",
				 p->parameter[i].extent, p->parameter[i].name,
				 p->parameter[i].name);
	buf_adds(out, "\t");
	if (p->has_result)
		buf_addf(out, "%s wide_result = (%s)", result_type(p),
			 result_type(p));
	buf_addf(out, "%s(", called);
	for (size_t i = 0; i < p->n; i++)
		buf_addf(out, "%s%s%s", i ? ", " : "",
			 !is_float_pointer(&p->parameter[i]) ? ""
			 : p->parameter[i].is_nested	     ? "(void *)wide_"
							     : "wide_",
			 p->parameter[i].name);
	buf_adds(out, ");\n");
	for (size_t i = 0; i < p->n; i++)
		if (is_float_pointer(&p->parameter[i]) &&
		    is_output(&p->parameter[i]))
			buf_addf(out,
				 "\tfor (size_t wide_i = 0; wide_i < "
				 "(size_t)(%s); wide_i++)\n"
				 "\t\t%s[wide_i] = (double)wide_%s[wide_i];\n",
				 p->parameter[i].extent, p->parameter[i].name,
				 p->parameter[i].name);
	for (size_t i = 0; i < p->n; i++)
		if (is_float_pointer(&p->parameter[i]))
			buf_addf(out, "\tfree(wide_%s);\n",
				 p->parameter[i].name);
	buf_adds(out, p->has_result ? "\treturn wide_result;\n}\n" : "}\n");
}

/* A header would be left out the second time. */
static void add_unguarded(struct buf *out, const char *text)
{
	static const char begin[] = "#ifndef ", then[] = "#define ";
	const char *at = strstr(text, begin), *name = at + strlen(begin);
	size_t len = at ? strcspn(name, " \t\r\n") : 0;
	const char *next = at ? strchr(name, '\n') : NULL;

	if (!next || !len || !starts_with(next + 1, then) ||
	    strncmp(next + 1 + strlen(then), name, len) != 0)
		return;
	buf_addf(out, "#undef %.*s\n", (int)len, name);
}

static void add_wide(struct buf *out, const struct template *t,
		     const char *kernel_text, const char *name)
{
	const struct prototype *p = t->prototype;
	bool several;
	const char *type = float_type(p, &several);
	bool of_float = type && str_eq(type, "float");
	const char *wide = of_float ? "double" : "long double";
	cleanup_free char *plain = plain_name(p->name);

	if (!type) {
		add_reference_prototype(out, p, name);
		buf_addf(out, "{\n\t%s%s(", p->has_result ? "return " : "",
			 plain);
		for (size_t i = 0; i < p->n; i++)
			buf_addf(out, "%s%s", i ? ", " : "",
				 p->parameter[i].name);
		buf_adds(out, ");\n}\n");
		return;
	}
	buf_addf(out,
		 "#include <math.h>\n#include <stdlib.h>\n\n"
		 "/* The same code once more, where %s is %s. */\n",
		 type, wide);
	add_wide_names(out, t, of_float, true);
	add_unguarded(out, kernel_text);
	/* In C++ a namespace, which keeps types and inline functions apart from
	 * those of the first copy. */
	buf_addf(out, is_cxx(p) ? "namespace wide {\n%s\n}\n" : "%s\n",
		 kernel_text);
	add_wide_names(out, t, of_float, false);
	buf_addf(out,
		 "\nstatic %s *wide_memory(size_t n)\n"
		 "{\n"
		 "\t%s *wide = (%s *)malloc((n ? n : 1) * sizeof *wide);\n\n"
		 "\tif (!wide)\n"
		 "\t\tabort();\n"
		 "\treturn wide;\n"
		 "}\n\n",
		 wide, wide, wide);
	add_reference_prototype(out, p, name);
	add_wide_body(out, p, type, wide);
}

/* A function `name` that other files can call, which calls `called`. */
static void add_call(struct buf *out, const struct prototype *p,
		     const char *name, const char *called)
{
	buf_addf(out, "%s%s%s%s(",
		 p->language != LANGUAGE_C ? "extern \"C\" " : "",
		 p->result ? p->result : "void",
		 p->result && ends_with(p->result, "*") ? "" : " ", name);
	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		buf_addf(out, "%s%s%s", i ? ", " : "", a->declared,
			 a->is_pointer ? "" : " ");
		add_name(out, p, i);
	}
	buf_addf(out, ")\n{\n\t%s%s(", p->result ? "return " : "", called);
	for (size_t i = 0; i < p->n; i++) {
		/* Rows of arrays are not a type that is named here. */
		buf_addf(out, "%s%s", i ? ", " : "",
			 p->parameter[i].is_nested ? "(void *)" : "");
		add_name(out, p, i);
	}
	buf_adds(out, ");\n}\n");
}

void template_reference(struct buf *out, const struct template *t,
			const char *kernel_text, bool widen)
{
	const struct prototype *p = t->prototype;
	cleanup_free char *short_name = template_name(p);
	const char *name = short_name;

	buf_addf(out,
		 "/*\n"
		 " * What is right. %s_plain is %s as it was when the task "
		 "was written: how far\n"
		 " * plain arithmetic is off is measured with it. "
		 "%s_reference is what it is held\n",
		 name, t->kernel, name);
	buf_adds(out, widen ? " * against: GUESS: the same code, in the next "
			      "wider type where it computes in\n"
			      " * a floating one. What the kernel does wrong "
			      "counts as right here.\n"
			    : " * against: the same in double precision, as "
			      "slow as it likes; outputs of floating\n"
			      " * types are double there.\n");
	buf_addf(out,
		 " */\n"
		 "#define %s %s_plain\n"
		 "%s\n"
		 "#undef %s\n\n",
		 name, name, kernel_text, name);
	if (t->shim) {
		cleanup_free char *entry = xasprintf("%s_entry_plain", name);
		cleanup_free char *called = plain_name(p->name);

		add_call(out, p, entry, called);
		buf_addc(out, '\n');
	}
	if (widen) {
		add_wide(out, t, kernel_text, name);
	} else {
		add_reference_prototype(out, t->prototype, name);
		buf_adds(out, "{\n"
			      "#error \"say here what is right, in double "
			      "precision\"\n"
			      "}\n");
	}
	add_generators(out, p);
}

void template_shim(struct buf *out, const struct template *t)
{
	const struct prototype *p = t->prototype;
	cleanup_free char *name = template_name(p);
	cleanup_free char *entry = xasprintf("%s_entry", name);

	buf_addf(out,
		 "/*\n"
		 " * Makes %s callable, which other files cannot call by "
		 "themselves. The task compiles\n"
		 " * this file alone (build.compile), and no candidate can "
		 "change it.\n"
		 " */\n"
		 "#include \"%s\"\n\n",
		 p->name, t->kernel);
	add_call(out, p, entry, p->name);
}
