/* The layout of the kernel hub of Hugging Face, which its kernel-builder builds
 * and uploads: build.toml of edition 5. */
#include "cmd/export/package.h"

extern const char export_call[];

#define SOURCES "src/"

static const char *backend(const struct export_source *s)
{
	return s->task->language == LANGUAGE_CUDA ? "cuda" : "cpu";
}

/* ---- what it cannot build ------------------------------------------------- */

static struct error *check(const struct export_source *s)
{
	TRY(binding_check(s));
	if (s->task->language == LANGUAGE_C)
		return error_new(ERROR_REFUSED,
				 "export: the kernel is in C, and the builder "
				 "of the kernel hub compiles C++ and CUDA: use "
				 "--as torch");
	if (s->task->cuda.rdc)
		return error_new(ERROR_REFUSED,
				 "export: the kernel has device functions in "
				 "other files (cuda.rdc), which the builder of "
				 "the kernel hub does not link: use --as "
				 "torch");
	for (size_t i = 0; i < s->libs.n; i++)
		if (!str_eq(s->libs.v[i], "-lm"))
			return error_new(ERROR_REFUSED,
					 "export: the kernel is linked with "
					 "%s, and kernels of the hub link "
					 "PyTorch only: use --as torch",
					 s->libs.v[i]);
	return NULL;
}

/* ---- build.toml ------------------------------------------------------------ */

static void add_string(struct buf *out, const char *text)
{
	buf_addc(out, '"');
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_addf(out, "\\%c", *p);
		else if ((unsigned char)*p < ' ' || *p == 0x7f)
			buf_addf(out, "\\u%04x", (unsigned)*p);
		else
			buf_addc(out, *p);
	}
	buf_addc(out, '"');
}

static void add_list(struct buf *out, const char *key,
		     const struct strvec *words)
{
	if (!words->n)
		return;
	buf_addf(out, "%s = [", key);
	for (size_t i = 0; i < words->n; i++) {
		buf_adds(out, "\n  ");
		add_string(out, words->v[i]);
		buf_adds(out, ",");
	}
	buf_adds(out, "\n]\n");
}

/* "9.0a" of "sm_90a". */
static void add_capability(struct buf *out, const char *arch)
{
	const char *number = arch + strlen("sm_");
	size_t digits = strspn(number, "0123456789");

	buf_addf(out, "cuda-capabilities = [\"%.*s.%s\"]\n", (int)digits - 1,
		 number, number + digits - 1);
}

static void add_kernel(struct buf *out, const struct export_source *s)
{
	const struct task *t = s->task;
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	cleanup_strvec struct strvec include = STRVEC_INIT;

	/* Headers too: the builder copies what is listed. */
	for (size_t i = 0; i < s->candidate.files.n; i++)
		strvec_pushf(&sources, SOURCES "%s",
			     s->candidate.files.file[i].path);
	for (size_t i = 0; i < t->include.n; i++) {
		cleanup_free char *path = task_path(t, t->include.v[i]);

		strvec_pushf(&include, SOURCES "%s", path);
	}
	buf_addf(out,
		 "\n[kernel.%s]\nbackend = \"%s\"\ndepends = [\"torch\"]\n",
		 s->package, backend(s));
	if (s->arch)
		add_capability(out, s->arch);
	add_list(out, t->language == LANGUAGE_CUDA ? "cuda-flags" : "cxx-flags",
		 &s->flags);
	add_list(out, "include", &include);
	add_list(out, "src", &sources);
}

/* Letters, digits and dashes; its Python name is the package again. */
static char *kernel_name(const struct export_source *s)
{
	char *name = xstrdup(s->package);

	for (char *p = name; *p; p++)
		if (*p == '_')
			*p = '-';
	return name;
}

static struct error *put_build(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *name = kernel_name(s);

	export_facts(&out, s, "# ");
	buf_addf(&out,
		 "\n[general]\nname = \"%s\"\nversion = 1\nedition = 5\n"
		 "license = ",
		 name);
	add_string(&out, s->licence ? s->licence : "unknown");
	buf_addf(&out,
		 "\nbackends = [\"%s\"]\n\n[torch]\n"
		 "src = [\"torch-ext/torch_binding.cpp\"]\n",
		 backend(s));
	add_kernel(&out, s);
	return export_put(s, "build.toml", &out);
}

static struct error *put_flake(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&out,
		 "{\n  description = \"%s, exported by avogit\";\n\n"
		 "  inputs.kernel-builder.url = "
		 "\"github:huggingface/kernels\";\n\n"
		 "  outputs = { self, kernel-builder, ... }:\n"
		 "    kernel-builder.lib.genKernelFlakeOutputs {\n"
		 "      inherit self;\n      path = ./.;\n    };\n}\n",
		 s->package);
	return export_put(s, "flake.nix", &out);
}

/* ---- torch-ext ------------------------------------------------------------- */

/* The name of the operators is the builder's: another for each build. */
static struct error *put_binding(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	const struct torch_binding all[] = {package_entry(s),
					    package_prepare(s)};
	size_t n = s->prepare.name ? 2 : 1;

	export_facts(&out, s, "// ");
	binding_begin(&out, s, s->setup.symbol);
	for (size_t i = 0; i < n; i++)
		binding_function(&out, s, &all[i]);
	buf_adds(&out, "#include \"registration.h\"\n\n"
		       "TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops)\n{\n");
	for (size_t i = 0; i < n; i++) {
		buf_adds(&out, "\tops.def(\"");
		binding_schema(&out, s, &all[i]);
		buf_addf(&out, "\");\n\tops.impl(\"%s\", %s, &op_%s);\n",
			 all[i].name,
			 s->task->language == LANGUAGE_CUDA ? "c10::kCUDA"
							    : "c10::kCPU",
			 all[i].name);
	}
	buf_adds(&out, "}\n\nREGISTER_EXTENSION(TORCH_EXTENSION_NAME)\n");
	return export_put(s, "torch-ext/torch_binding.cpp", &out);
}

/* The builder makes _ops.py, and reads the names in the decorators. */
static struct error *put_init(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *path =
		xasprintf("torch-ext/%s/__init__.py", s->package);
	bool has_prepare = s->prepare.name != NULL;

	export_facts(&out, s, "# ");
	buf_addf(&out,
		 "import torch\n\nfrom . import _call\n"
		 "from ._call import is_checked, set_fallback\n"
		 "from ._ops import add_op_namespace_prefix, ops\n\n\n"
		 "@torch.library.register_fake(add_op_namespace_prefix(\"%s\"))"
		 "\ndef _fake(*arguments):\n    return _call.fake(*arguments)\n"
		 "\n\n",
		 s->function);
	if (has_prepare)
		buf_adds(&out, "@torch.library.register_fake("
			       "add_op_namespace_prefix(\"prepare\"))\n"
			       "def _fake_prepare(*arguments):\n"
			       "    return _call.fake_prepare(*arguments)\n\n\n"
			       "prepare = ops.prepare\n");
	buf_addf(&out,
		 "%s = _call.make(ops.%s, %s)\n"
		 "__all__ = [\"%s\", \"is_checked\", \"set_fallback\"%s]\n",
		 s->function, s->function, has_prepare ? "prepare" : "None",
		 s->function, has_prepare ? ", \"prepare\"" : "");
	return export_put(s, path, &out);
}

static struct error *put_python(struct export_source *s)
{
	cleanup_free char *call =
		xasprintf("torch-ext/%s/_call.py", s->package);
	cleanup_free char *task =
		xasprintf("torch-ext/%s/_task.py", s->package);

	TRY(put_init(s));
	TRY(package_put_image(s, call, export_call));
	return package_put_task(s, task);
}

/* ---- the card --------------------------------------------------------------- */

/* The builder reads CARD.md as a template: nothing in it may be an order. */
static struct error *put_template(struct export_source *s, const char *card)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	for (const char *p = card; *p; p++) {
		buf_addc(&out, *p);
		if (*p == '{' && p[1] && strchr("{%#", p[1]))
			buf_addc(&out, ' ');
	}
	return export_put(s, "CARD.md", &out);
}

static struct error *put_card(struct export_source *s)
{
	const struct torch_binding entry = package_entry(s);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&out, "---\nlibrary_name: kernels\nlicense: ");
	for (const char *p = s->licence ? s->licence : "unknown"; *p; p++)
		buf_addc(&out,
			 *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p);
	buf_addf(&out, "\n---\n# %s\n\n", s->package);
	export_facts(&out, s, "- ");
	buf_adds(&out, "\nThe operator is `");
	binding_schema(&out, s, &entry);
	buf_addf(&out,
		 "`, without a gradient.\n"
		 "For sizes that it was not checked at `%s(..., fallback=f)` "
		 "calls `f` with the same arguments;\nwithout one it is an "
		 "error that names the sizes.\n\n"
		 "kernel-builder builds it (`build.toml`), by a compiler of "
		 "its own and flags beside those of the\nmeasurement: measure "
		 "again what it made. Who uploads it names the repository: "
		 "`[general.hub]`,\n`repo-id`.\n\n",
		 s->function);
	export_arguments(&out, s);
	TRY(export_put(s, "README.md", &out));
	return put_template(s, out.data);
}

struct error *export_hub(struct export_source *s)
{
	TRY(check(s));
	TRY(export_put_files(s, SOURCES));
	TRY(put_build(s));
	TRY(put_flake(s));
	TRY(put_binding(s));
	TRY(put_python(s));
	return put_card(s);
}
