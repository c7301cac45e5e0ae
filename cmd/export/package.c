#include "cmd/export/package.h"

#include "scorer/build/build.h"
#include "scorer/build/exports.h"

extern const char export_python_arguments[], export_python_operator[],
	export_reference_python[];

#define PACKAGE_MARK "@PACKAGE@"

struct torch_binding package_entry(const struct export_source *s)
{
	return (struct torch_binding){BINDING_ENTRY, s->function,
				      s->entry.symbol};
}

struct torch_binding package_prepare(const struct export_source *s)
{
	return (struct torch_binding){BINDING_PREPARE, "prepare",
				      s->prepare.symbol};
}

/* `package`: what the mark becomes. */
static struct error *put_image(struct export_source *s, const char *path,
			       const char *image, const char *package)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	const char *at;

	while ((at = strstr(image, PACKAGE_MARK))) {
		buf_add(&out, image, (size_t)(at - image));
		buf_adds(&out, package);
		image = at + strlen(PACKAGE_MARK);
	}
	buf_adds(&out, image);
	return export_put(s, path, &out);
}

struct error *package_put_image(struct export_source *s, const char *path,
				const char *image)
{
	return put_image(s, path, image, s->package);
}

/* ---- Python -------------------------------------------------------------- */

/* With their paths from the task's folder, where they were run. */
static struct error *put_kernel_files(struct export_source *s,
				      const char *folder)
{
	const struct fileset *files = &s->candidate.files;

	for (size_t i = 0; i < files->n; i++) {
		const struct file_entry *f = &files->file[i];
		cleanup_free char *path = NULL;

		if (!starts_with(f->path, s->task->prefix))
			continue;
		path = xasprintf("%skernel/%s", folder,
				 f->path + strlen(s->task->prefix));
		TRY(fileset_put(&s->out, path, f->data, f->len, f->executable));
	}
	return NULL;
}

struct error *package_put_python(struct export_source *s, const char *folder)
{
	cleanup_free char *around = xasprintf("%s_operator.py", folder);
	cleanup_free char *arguments = xasprintf("%s_arguments.py", folder);

	TRY(put_kernel_files(s, folder));
	TRY(package_put_image(s, around, export_python_operator));
	return package_put_image(s, arguments, export_python_arguments);
}

struct error *package_put_python_reference(struct export_source *s,
					   const char *folder,
					   const char *module, const char *from)
{
	const char *name = s->task->reference.torch;
	cleanup_free char *source = task_path(s->task, name);
	cleanup_free char *to = xasprintf("%s%s", folder, name);
	const struct file_entry *f = fileset_get(&s->session.at.files, source);

	TRY(export_check_path(name));
	if (!f)
		return error_new(ERROR_TASK, "export: there is no file %s",
				 source);
	TRY(fileset_put(&s->out, to, f->data, f->len, false));
	return put_image(s, module, export_reference_python, from);
}

/* ---- the binding --------------------------------------------------------- */

struct error *package_put_binding(struct export_source *s, const char *path)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	const char *device = s->task->language == LANGUAGE_CUDA ? "CUDA"
								: "CPU";
	const struct torch_binding all[] = {package_entry(s),
					    package_prepare(s)};
	size_t n = s->prepare.name ? 2 : 1;

	export_facts(&out, s, "// ");
	binding_begin(&out, s, s->setup.symbol);
	for (size_t i = 0; i < n; i++)
		binding_function(&out, s, &all[i]);
	buf_addf(&out, "TORCH_LIBRARY(%s, m)\n{\n", s->space);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&out, "\tm.def(\"");
		binding_schema(&out, s, &all[i]);
		buf_adds(&out, "\");\n");
	}
	buf_addf(&out, "}\n\nTORCH_LIBRARY_IMPL(%s, %s, m)\n{\n", s->space,
		 device);
	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "\tm.impl(\"%s\", &op_%s);\n", all[i].name,
			 all[i].name);
	buf_adds(&out, "}\n");
	return export_put(s, path, &out);
}

/* ---- the reference ------------------------------------------------------- */

/* The linker's names of the reference's functions. */
struct reference_symbols {
	char *entry, *plain, *setup;
	char *generator[TASK_MAX_ARGS];
};

static void reference_symbols_release(struct reference_symbols *r)
{
	free(r->entry);
	free(r->plain);
	free(r->setup);
	for (size_t i = 0; i < TASK_MAX_ARGS; i++)
		free(r->generator[i]);
}
DEFINE_RELEASE(reference_symbols, struct reference_symbols,
	       reference_symbols_release)

static char *symbol_of(int object_fd, const char *name)
{
	if (!name)
		return NULL;
	return object_fd < 0 ? xstrdup(name) : exports_symbol(object_fd, name);
}

static struct error *build_reference(struct build *out,
				     const struct export_source *s)
{
	cleanup_sandbox struct sandbox *sandbox = NULL;
	cleanup_builder struct builder *builder = NULL;
	cleanup_free char *cache = session_cache_folder();

	TRY(sandbox_probe(&sandbox));
	TRY(builder_new(&builder, s->task, sandbox, cache, NULL));
	TRY(build_trusted(out, builder, &s->session.at.files,
			  &s->task->reference));
	if (out->ok)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "export: the reference does not build here: %s",
			 out->first_error);
}

static struct error *find_symbols(struct reference_symbols *out,
				  const struct export_source *s)
{
	const struct task *t = s->task;
	cleanup_build struct build built = BUILD_INIT;

	if (t->language == LANGUAGE_CXX)
		TRY(build_reference(&built, s));
	out->entry = symbol_of(built.object_fd, t->reference.entry);
	out->plain = symbol_of(built.object_fd, t->plain);
	out->setup = symbol_of(built.object_fd, t->reference.setup);
	for (size_t i = 0; i < t->n_arguments; i++)
		out->generator[i] =
			symbol_of(built.object_fd, t->argument[i].generator);
	return NULL;
}

/* A function that makes an input by the task's own generator, on the CPU. */
static void add_generator(struct buf *out, const struct export_source *s,
			  size_t i, const char *symbol)
{
	const struct task *t = s->task;
	const struct argument *a = &t->argument[i];

	buf_addf(out, "extern \"C\" void g_%s(void *, uint64_t", a->name);
	for (size_t k = 0; k < t->symbols.n; k++)
		buf_adds(out, ", int64_t");
	buf_addf(out,
		 ")\n\t__asm__(\"%s\");\nnamespace {\n"
		 "at::Tensor generate_%s(int64_t seed",
		 symbol, a->name);
	for (size_t k = 0; k < t->symbols.n; k++)
		buf_addf(out, ", int64_t s_%s", t->symbols.v[k]);
	buf_adds(out, ")\n{\n\tat::Tensor made = ");
	binding_new_tensor(out, a);
	buf_addf(out, ";\n\tg_%s(made.data_ptr(), (uint64_t)seed", a->name);
	for (size_t k = 0; k < t->symbols.n; k++)
		buf_addf(out, ", s_%s", t->symbols.v[k]);
	buf_adds(out, ");\n\treturn made;\n}\n} // namespace\n\n");
}

static void register_generators(struct buf *out, const struct export_source *s)
{
	const struct task *t = s->task;

	for (size_t i = 0; i < t->n_arguments; i++) {
		if (!t->argument[i].generator)
			continue;
		buf_addf(out, "\tm.def(\"generate_%s(int seed",
			 t->argument[i].name);
		for (size_t k = 0; k < t->symbols.n; k++)
			buf_addf(out, ", int size_%s", t->symbols.v[k]);
		buf_addf(out, ") -> Tensor\", &generate_%s);\n",
			 t->argument[i].name);
	}
}

static void add_registration(struct buf *out, const struct export_source *s,
			     const struct torch_binding *b, size_t n)
{
	const char *device = s->task->language == LANGUAGE_CUDA ? "CUDA"
								: "CPU";

	buf_addf(out, "TORCH_LIBRARY(%s_reference, m)\n{\n", s->space);
	for (size_t i = 0; i < n; i++) {
		buf_adds(out, "\tm.def(\"");
		binding_schema(out, s, &b[i]);
		buf_adds(out, "\");\n");
	}
	register_generators(out, s);
	buf_addf(out, "}\n\nTORCH_LIBRARY_IMPL(%s_reference, %s, m)\n{\n",
		 s->space, device);
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "\tm.impl(\"%s\", &op_%s);\n", b[i].name,
			 b[i].name);
	buf_adds(out, "}\n");
}

static struct error *put_files(struct export_source *s, const char *folder)
{
	const struct fileset *files = &s->session.at.files;

	for (size_t i = 0; i < files->n; i++) {
		const struct file_entry *f = &files->file[i];
		cleanup_free char *path = xasprintf("%s%s", folder, f->path);

		TRY(export_check_path(f->path));
		TRY(fileset_put(&s->out, path, f->data, f->len, f->executable));
	}
	return NULL;
}

struct error *package_put_reference(struct export_source *s, const char *folder,
				    const char *binding)
{
	CLEANUP(reference_symbols) struct reference_symbols symbols = {0};
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	struct torch_binding b[2];
	size_t n = 0;

	TRY(find_symbols(&symbols, s));
	b[n++] = (struct torch_binding){BINDING_REFERENCE, "reference",
					symbols.entry};
	if (symbols.plain)
		b[n++] = (struct torch_binding){BINDING_PLAIN, "plain",
						symbols.plain};
	binding_begin(&out, s, symbols.setup);
	for (size_t i = 0; i < n; i++)
		binding_function(&out, s, &b[i]);
	for (size_t i = 0; i < s->task->n_arguments; i++)
		if (symbols.generator[i])
			add_generator(&out, s, i, symbols.generator[i]);
	add_registration(&out, s, b, n);
	TRY(put_files(s, folder));
	return export_put(s, binding, &out);
}
