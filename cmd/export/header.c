/* A header and sources that any project in C, C++ or CUDA can build. */
#include "cmd/export/code.h"
#include "cmd/export/source.h"
#include "cmd/ui/out.h"

/* ---- the header ---------------------------------------------------------- */

static const char *const cuda_headers[] = {"cuda_runtime_api.h", "cuda_fp16.h",
					   "cuda_bf16.h", "cuda_fp8.h"};

static void add_includes(struct buf *out, const struct task *t)
{
	buf_adds(out, "#include <stdint.h>\n");
	if (t->language != LANGUAGE_CUDA)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(cuda_headers); i++)
		buf_addf(out, "#include <%s>\n", cuda_headers[i]);
}

/* In C++ the name here is another than that in the source, which has
 * namespaces: the linker's name makes them the same. */
static void declare(struct buf *out, const struct export_source *s,
		    const struct export_function *f, const char *name,
		    enum code_function kind)
{
	if (!f->name)
		return;
	if (str_eq(f->symbol, name)) {
		code_prototype(out, s, name, kind);
	} else {
		export_comment(out, "// ", f->name);
		code_prototype(out, s, name, kind);
		buf_addf(out, "\n\t__asm__(\"%s\")", f->symbol);
	}
	buf_adds(out, ";\n");
}

/* The function's own name where a C compiler and a C++ compiler take it. */
static char *name_of(const struct export_source *s,
		     const struct export_function *f, const char *suffix)
{
	return s->task->language == LANGUAGE_CXX || !f->name ||
			       code_is_keyword(f->name)
		       ? xasprintf("%s%s", s->package, suffix)
		       : xstrdup(f->name);
}

static struct error *put_header(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *entry = name_of(s, &s->entry, "");
	cleanup_free char *prepare = name_of(s, &s->prepare, "_prepare");
	cleanup_free char *setup = name_of(s, &s->setup, "_setup");
	cleanup_free char *path = xasprintf("%s.h", s->package);

	export_facts(&out, s, "// ");
	buf_addf(&out, "#ifndef %s_H\n#define %s_H\n\n", s->package,
		 s->package);
	add_includes(&out, s->task);
	buf_adds(&out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
	code_structs(&out, s);
	declare(&out, s, &s->entry, entry, CODE_ENTRY);
	if (s->prepare.name)
		buf_adds(&out, "// Called before with the same arguments, but "
			       "NULL for every tensor that is not static.\n");
	declare(&out, s, &s->prepare, prepare, CODE_PREPARE);
	if (s->setup.name)
		buf_adds(&out, "// Called once, before all else.\n");
	declare(&out, s, &s->setup, setup, CODE_SETUP);
	buf_adds(&out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
	return export_put(s, path, &out);
}

/* ---- how it is built ----------------------------------------------------- */

static void add_words(struct buf *out, const struct strvec *words)
{
	for (size_t i = 0; i < words->n; i++) {
		buf_addc(out, ' ');
		out_shell_word(out, words->v[i]);
	}
}

static void add_in_folder(struct buf *out, const struct task *t,
			  const struct strvec *words)
{
	buf_addf(out, "(cd src/%s &&", t->prefix);
	add_words(out, words);
	buf_adds(out, ")\n");
}

static void add_compile(struct buf *out, const struct export_source *s)
{
	cleanup_strvec struct strvec command = STRVEC_INIT;

	code_compile_words(&command, s, "src/");
	for (size_t i = 0; i < s->sources.n; i++)
		strvec_pushf(&command, "src/%s", s->sources.v[i]);
	strvec_push(&command, "-shared");
	strvec_extend(&command, &s->libs);
	strvec_pushl(&command, "-lm", "-o", NULL);
	strvec_pushf(&command, "lib%s.so", s->package);
	for (size_t i = 0; i < command.n; i++) {
		buf_adds(out, i ? " " : "");
		out_shell_word(out, command.v[i]);
	}
	buf_addc(out, '\n');
}

/* All the commands, for a shell in the folder. */
static void add_build(struct buf *out, const struct export_source *s)
{
	const struct task *t = s->task;

	if (t->project.generate.n)
		add_in_folder(out, t, &t->project.generate);
	if (!t->project.object) {
		add_compile(out, s);
		return;
	}
	add_in_folder(out, t, &t->project.command);
	buf_addf(out, "cp src/%s", t->prefix);
	out_shell_word(out, t->project.object);
	buf_addf(out, " lib%s.so\n", s->package);
}

static struct error *put_build(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&out, "#!/bin/sh\n"
		       "# Makes the library with the flags that the code was "
		       "measured with.\nset -e\ncd \"$(dirname \"$0\")\"\n");
	add_build(&out, s);
	return fileset_put(&s->out, "build.sh", out.data, out.len, true);
}

static struct error *put_readme(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&out, "# %s\n\n", s->package);
	export_facts(&out, s, "- ");
	buf_adds(&out, "\n");
	export_arguments(&out, s);
	if (s->task->language == LANGUAGE_CUDA)
		buf_adds(&out, "\nThe last argument is the stream. All "
			       "pointers are of the device.\n");
	buf_addf(&out,
		 "\nThe function is declared in `%s.h`. `sh build.sh` makes "
		 "`lib%s.so`, with the flags that the\ncode was measured "
		 "with:\n\n```\n",
		 s->package, s->package);
	add_build(&out, s);
	buf_adds(&out, "```\n\nOther flags make another kernel. It was "
		       "checked at the shapes above only.\n");
	return export_put(s, "README.md", &out);
}

struct error *export_header(struct export_source *s)
{
	TRY(code_check(s));
	TRY(export_put_files(s, "src/"));
	TRY(put_header(s));
	TRY(put_build(s));
	return put_readme(s);
}
