#include "core/task/template.h"

static bool is_cuda(const struct prototype *p)
{
	return p->language == LANGUAGE_CUDA;
}

/* The integers among the arguments become symbols of the cases. */
static bool is_symbol(const struct parameter *p)
{
	return p->known && !p->is_pointer && !dtype_is_float(p->dtype);
}

static bool is_float_pointer(const struct parameter *p)
{
	return p->is_pointer && p->known && dtype_is_float(p->dtype);
}

static bool is_output(const struct parameter *p)
{
	return p->is_pointer && !p->is_const;
}

/* The name of the i-th symbol, borrowed; NULL if there are fewer. */
static const char *symbol(const struct prototype *p, size_t i)
{
	for (size_t j = 0; j < p->n; j++)
		if (is_symbol(&p->parameter[j]) && i-- == 0)
			return p->parameter[j].name;
	return NULL;
}

static size_t n_symbols(const struct prototype *p)
{
	size_t n = 0;

	while (symbol(p, n))
		n++;
	return n;
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
	const char *first = symbol(p, 0), *second = symbol(p, 1);

	if (first && second)
		buf_addf(out, "[%s, %s]", first, second);
	else
		buf_addf(out, "[%s]", first ? first : "n");
}

static void add_argument(struct buf *out, const struct prototype *p, size_t i)
{
	const struct parameter *a = &p->parameter[i];

	buf_adds(out, "  - name: ");
	add_name(out, p, i);
	buf_addf(out, "\n    dtype: %s",
		 a->known ? dtype_name(a->dtype) : "f32");
	if (!a->known)
		buf_addf(out, "  # GUESS: `%s%s` is not a type avogit knows",
			 a->type, a->is_pointer ? " *" : "");
	if (a->is_pointer) {
		buf_adds(out, "\n    shape: ");
		add_shape(out, p);
		buf_addf(out, "  # GUESS\n    direction: %s",
			 is_output(a) ? "out  # GUESS: or inout" : "in");
	} else if (is_symbol(a)) {
		buf_addf(out, "\n    value: %s", a->name);
	} else {
		buf_adds(out, "\n    value: 1.0  # GUESS");
	}
	buf_addc(out, '\n');
}

static void add_cases(struct buf *out, const struct prototype *p)
{
	/* In one dimension or two, about a million elements; sixteen million
	 * for a GPU. */
	static const char *const sizes[][2][2] = {
		{{"1000000", "65536"}, {"1024", "256"}},
		{{"16777216", "1048576"}, {"4096", "1024"}},
	};
	size_t n = n_symbols(p);

	buf_adds(out, "cases:  # GUESS\n");
	for (size_t i = 0; i < 2; i++) {
		buf_adds(out, "  - {");
		for (size_t j = 0; j < MAX(n, 1); j++)
			buf_addf(out, "%s%s: %s", j ? ", " : "",
				 n ? symbol(p, j) : "n",
				 sizes[is_cuda(p)][n > 1][i]);
		buf_adds(out, "}\n");
	}
}

/* Every tensor once: the bytes of a kernel that only moves data. */
static void add_bytes(struct buf *out, const struct prototype *p)
{
	const char *first = symbol(p, 0), *second = symbol(p, 1);
	size_t bytes = 0;

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
static const char c_build[] =
	"build:\n"
	"  compiler: cc\n"
	"  flags: [-O2]\n"
	"  # What a line `// avogit-flags: -O2 | -O3` of the kernel may "
	"choose.\n"
	"  allow: [-O2, -O3, -march=native, -funroll-loops]\n";
static const char cuda_build[] =
	"build:\n"
	"  # arch: sm_90a  # else that of the GPU that is there\n"
	"  flags: [-O3]\n"
	"  # What a line `// avogit-flags: -O3 | -maxrregcount=128` of the "
	"kernel may choose.\n"
	"  allow: [-O3, -maxrregcount=64, -maxrregcount=96, "
	"-maxrregcount=128]\n";

void template_task(struct buf *out, const struct template *t)
{
	const struct prototype *p = t->prototype;

	buf_addf(out,
		 "# What avogit is to make fast, and what right and fast mean. "
		 "docs/task.md has\n"
		 "# every key. GUESS marks what the kernel's source does not "
		 "say: look these over.\n"
		 "name: %s\n"
		 "language: %s\n"
		 "\n"
		 "# Files that a candidate may change.\n"
		 "sources: [%s]\n"
		 "\n"
		 "# The function and its arguments, in order%s.\n"
		 "# Shapes are expressions over the symbols of the cases.\n"
		 "entry: %s\n"
		 "arguments:\n",
		 p->name, is_cuda(p) ? "cuda" : "c", t->kernel,
		 is_cuda(p) ? ", but for the stream" : "", p->name);
	for (size_t i = 0; i < p->n; i++)
		add_argument(out, p, i);
	buf_adds(out, "\n# What is timed.\n");
	add_cases(out, p);
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
		 "  plain: %s_plain\n\n",
		 t->reference, p->name, p->name);
	buf_adds(out, is_cuda(p) ? cuda_build : c_build);
}

static void add_reference_prototype(struct buf *out, const struct prototype *p)
{
	buf_addf(out, "%svoid %s_reference(", is_cuda(p) ? "extern \"C\" " : "",
		 p->name);
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

void template_reference(struct buf *out, const struct template *t,
			const char *kernel_text)
{
	const char *name = t->prototype->name;

	buf_addf(out,
		 "/*\n"
		 " * What is right. %s_plain is %s as it was when the task "
		 "was written: how far\n"
		 " * plain arithmetic is off is measured with it. "
		 "%s_reference is what it is held\n"
		 " * against: the same in double precision, as slow as it "
		 "likes; outputs of floating\n"
		 " * types are double there.\n"
		 " */\n"
		 "#define %s %s_plain\n"
		 "%s\n"
		 "#undef %s\n\n",
		 name, t->kernel, name, name, name, kernel_text, name);
	add_reference_prototype(out, t->prototype);
	buf_adds(out, "{\n"
		      "#error \"say here what is right, in double "
		      "precision\"\n"
		      "}\n");
}
