/* A package that installs an operator of PyTorch. */
#include "cmd/export/package.h"

extern const char export_build_kernel[], export_call[], export_setup[],
	export_test_kernel[], export_torch_init[];

#define KERNEL	  "csrc/kernel/"
#define REFERENCE "csrc/reference/"

/* ---- csrc/binding.cpp ---------------------------------------------------- */

static struct error *put_binding(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	const char *device = s->task->language == LANGUAGE_CUDA ? "CUDA"
								: "CPU";
	const struct torch_binding all[] = {package_entry(s),
					    package_prepare(s)};
	size_t n = s->prepare.name ? 2 : 1;

	binding_begin(&out, s, s->setup.symbol);
	for (size_t i = 0; i < n; i++)
		binding_function(&out, s, &all[i]);
	buf_addf(&out, "TORCH_LIBRARY(%s, m)\n{\n", s->package);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&out, "\tm.def(\"");
		binding_schema(&out, s, &all[i]);
		buf_adds(&out, "\");\n");
	}
	buf_addf(&out, "}\n\nTORCH_LIBRARY_IMPL(%s, %s, m)\n{\n", s->package,
		 device);
	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "\tm.impl(\"%s\", &op_%s);\n", all[i].name,
			 all[i].name);
	buf_adds(&out, "}\n");
	return export_put(s, "csrc/binding.cpp", &out);
}

/* ---- build.json ---------------------------------------------------------- */

static void push_command(struct json *commands, const struct strvec *words)
{
	struct json *command = json_array();

	for (size_t i = 0; i < words->n; i++)
		json_push_string(command, words->v[i]);
	json_push(commands, command);
}

/* One part of the package: how its sources become objects. */
static struct json *part_json(const struct export_source *s, const char *part,
			      const struct strvec *compile,
			      const struct strvec *sources,
			      const struct strvec *libs)
{
	cleanup_strvec struct strvec objects = STRVEC_INIT;
	struct json *j = json_object(), *commands = json_array();
	struct json *list = json_array(), *libraries = json_array();

	for (size_t i = 0; i <= sources->n; i++) {
		cleanup_strvec struct strvec words = STRVEC_INIT;
		bool link = i == sources->n;

		if (link && !s->task->cuda.rdc)
			break;
		strvec_extend(&words, compile);
		strvec_push(&words, link ? "-dlink" : "-c");
		if (link)
			strvec_extend(&words, &objects);
		else
			strvec_push(&words, sources->v[i]);
		strvec_pushf(&objects, "build/%s-%zu.o", part, i);
		strvec_pushl(&words, "-o", objects.v[i], NULL);
		push_command(commands, &words);
		json_push_string(list, objects.v[i]);
	}
	for (size_t i = 0; i < libs->n; i++)
		json_push_string(libraries, libs->v[i]);
	if (s->task->cuda.rdc)
		json_push_string(libraries, "-lcudadevrt");
	json_push_string(libraries, "-lm");
	json_set(j, "commands", commands);
	json_set(j, "objects", list);
	json_set(j, "libraries", libraries);
	return j;
}

static struct json *kernel_json(const struct export_source *s)
{
	cleanup_strvec struct strvec compile = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;

	code_compile_words(&compile, s, KERNEL);
	for (size_t i = 0; i < s->sources.n; i++)
		strvec_pushf(&sources, KERNEL "%s", s->sources.v[i]);
	return part_json(s, "kernel", &compile, &sources, &s->libs);
}

/* Without the flags that the candidate chose. */
static struct json *reference_json(const struct export_source *s)
{
	const struct trusted_code *r = &s->task->reference;
	cleanup_strvec struct strvec compile = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;

	code_reference_words(&compile, s, REFERENCE);
	for (size_t i = 0; i < r->sources.n; i++) {
		cleanup_free char *path = task_path(s->task, r->sources.v[i]);

		strvec_pushf(&sources, REFERENCE "%s", path);
	}
	return part_json(s, "reference", &compile, &sources, &r->libs);
}

static struct error *put_build(struct export_source *s)
{
	cleanup_json struct json *j = json_object();
	cleanup_free char *text = NULL;

	json_set(j, "kernel", kernel_json(s));
	json_set(j, "reference", reference_json(s));
	text = json_print_pretty(j);
	return fileset_put(&s->out, "build.json", text, strlen(text), false);
}

/* ---- the rest ------------------------------------------------------------ */

static struct error *put_readme(struct export_source *s)
{
	const struct torch_binding entry = package_entry(s);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&out, "# %s\n\n", s->package);
	export_facts(&out, s, "- ");
	buf_addf(&out,
		 "\n```python\n# pip install . (or: python3 setup.py build_ext "
		 "--inplace)\nfrom %s import %s\n```\n\nThe operator is "
		 "`torch.ops.%s.",
		 s->package, s->function, s->package);
	binding_schema(&out, s, &entry);
	buf_addf(&out,
		 "`. It checks device, element type, shape, strides and\n"
		 "alignment, makes outputs and scratch memory, and has no "
		 "gradient. For sizes that the kernel\nwas not checked at "
		 "`%s(..., fallback=f)` calls `f` with the same arguments, as "
		 "does what\n`set_fallback(f)` was told; without either it is "
		 "an error that names the sizes.\n",
		 s->function);
	if (s->prepare.name)
		buf_addf(&out,
			 "\n`prepare` makes of the static inputs what the "
			 "kernel reads instead: call it once and give what\nit "
			 "returns to `%s` as the last arguments. Without them "
			 "each call prepares again, which takes\nlonger than "
			 "what was timed.\n",
			 s->function);
	buf_adds(&out, "\n`python3 tests/test_kernel.py` holds the operator "
		       "against the task's reference in every case, more\n"
		       "coarsely than avogit does: the largest error of a "
		       "whole output counts, and inputs are of one kind.\n\n");
	export_arguments(&out, s);
	return export_put(s, "README.md", &out);
}

static struct error *put_images(struct export_source *s)
{
	cleanup_free char *init = xasprintf("%s/__init__.py", s->package);
	cleanup_free char *call = xasprintf("%s/_call.py", s->package);
	cleanup_free char *task = xasprintf("%s/_task.py", s->package);

	TRY(package_put_image(s, "setup.py", export_setup));
	TRY(package_put_image(s, "build_kernel.py", export_build_kernel));
	TRY(package_put_image(s, "tests/test_kernel.py", export_test_kernel));
	TRY(package_put_image(s, init, export_torch_init));
	TRY(package_put_image(s, call, export_call));
	return package_put_task(s, task);
}

struct error *export_torch(struct export_source *s)
{
	TRY(binding_check(s));
	TRY(export_put_files(s, KERNEL));
	TRY(put_binding(s));
	TRY(put_build(s));
	TRY(package_put_reference(s, REFERENCE, "csrc/reference.cpp"));
	TRY(put_images(s));
	return put_readme(s);
}
