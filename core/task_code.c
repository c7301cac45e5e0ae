/* Code that is trusted for what it computes, and how everything is built. */
#include "core/task_reader.h"

#include <ctype.h>

#define LAUNCHER_WORDS 64

/* What a flag may begin with. A list of what is allowed, since compilers have
 * ever more spellings for "read, write or run this" (-fpass-plugin, --prefix,
 * -Xclang, --config). The build is sandboxed all the same; this keeps a task
 * file from saying one thing and doing another. */
static const char *const allowed_starts[] = {
	"-O",	 "-f", "-m",	   "-W",    "-D",	 "-U",
	"-std=", "-g", "--param=", "-ansi", "-pedantic", "-pthread"};

/* Of these, the ones that name files, programs, plugins or the linker's
 * options, write files of their own, or take the next flag as theirs. */
static const char *const refused_starts[] = {"-Wl",
					     "-Wa,",
					     "-Wp,",
					     "-fplugin",
					     "-fpass-plugin",
					     "-fload",
					     "-fdump",
					     "-fprofile",
					     "-fauto-profile",
					     "-fsanitize",
					     "-fuse-ld",
					     "-fopt-info",
					     "-fsave-",
					     "-fstack-usage",
					     "-fcallgraph-info",
					     "-ftest-coverage",
					     "-fmodule",
					     "-fdiagnostics",
					     "-fdebug-prefix",
					     "-ffile-",
					     "-fcrash-",
					     "-fcoverage-",
					     "-fembed-",
					     "-fproc-stat-report",
					     "-fsyntax-only",
					     "-fpreprocessed",
					     "-fwpa",
					     "-fltrans",
					     "-fresolution",
					     "-flto-",
					     "-fmacro-prefix-map",
					     "-fcompare-debug",
					     "-ftime-",
					     "-fxray",
					     "-fbuild-session",
					     "-fcas-",
					     "-fprebuilt",
					     "-finput",
					     "-fcs-profile",
					     "-fmemory-profile",
					     "-fthinlto",
					     "-frecord-command-line",
					     "-foffload",
					     "-frandomize-layout-seed-file",
					     "-mllvm",
					     "-mmlir",
					     "-gsplit-dwarf",
					     "-gen-"};

static bool starts_with_any(const char *flag, const char *const *starts,
			    size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (starts_with(flag, starts[i]))
			return true;
	return false;
}

static bool flag_is_safe(const char *flag)
{
	if (strpbrk(flag, " \t\n'\"`$;&|<>\\*?(){}/@") || str_eq(flag, "-D") ||
	    str_eq(flag, "-U") || str_eq(flag, "-f") || str_eq(flag, "-m"))
		return false;
	if (str_eq(flag, "-w"))
		return true;
	return starts_with_any(flag, allowed_starts,
			       ARRAY_SIZE(allowed_starts)) &&
	       !starts_with_any(flag, refused_starts,
				ARRAY_SIZE(refused_starts));
}

static struct error *read_flags(struct strvec *out, const struct reader *r,
				const struct yaml *y, const char *where)
{
	size_t before = out->n;

	TRY(reader_words(out, r, y, where));
	for (size_t i = before; i < out->n; i++)
		if (!flag_is_safe(out->v[i]))
			return error_new(
				ERROR_TASK,
				"%s:%zu: %s: found '%.60s'; allowed are flags "
				"for optimisation, language and warnings: none "
				"that names files, programs or libraries "
				"(libs, "
				"include and sources do that)",
				r->path, y->line, where, out->v[i]);
	return NULL;
}

static struct error *read_libs(struct strvec *out, const struct reader *r,
			       const struct yaml *y, const char *where)
{
	size_t before = out->n;

	TRY(reader_words(out, r, y, where));
	for (size_t i = before; i < out->n; i++) {
		const char *lib = out->v[i];
		bool ok = starts_with(lib, "-l") && lib[2];

		for (const char *c = lib + 2; ok && *c; c++)
			ok = isalnum((unsigned char)*c) || strchr("_+.-", *c);
		if (!ok)
			return reader_refuse(r, y, where,
					     "libs must be a list of -lNAME");
	}
	return NULL;
}

static struct error *read_sources(struct strvec *out, const struct reader *r,
				  const struct yaml *y, const char *where)
{
	const struct yaml *one = document_get(y, "source");
	const struct yaml *many = document_get(y, "sources");

	if (!one == !many)
		return reader_refuse(r, y, where,
				     "it needs sources (a list) or source");
	TRY(reader_words(out, r, one ? one : many, where));
	if (!out->n)
		return reader_refuse(r, many, where,
				     "sources must name at least one file");
	for (size_t i = 0; i < out->n; i++)
		if (!path_is_safe(out->v[i]))
			return reader_refuse(r, one ? one : many, where,
					     "paths are relative to the task "
					     "file, without '..'");
	return NULL;
}

static struct error *read_trusted(struct trusted_code *c,
				  const struct reader *r, const struct yaml *y,
				  const char *where)
{
	TRY(read_sources(&c->sources, r, y, where));
	if (!document_get(y, "entry"))
		return reader_missing(r, y, where, "entry");
	TRY(reader_identifier(&c->entry, r, document_get(y, "entry"), where));
	TRY(read_flags(&c->flags, r, document_get(y, "flags"), where));
	return read_libs(&c->libs, r, document_get(y, "libs"), where);
}

static struct error *read_reference(const struct reader *r,
				    const struct yaml *y)
{
	struct task *t = r->task;

	TRY(reader_keys(r, y, "reference",
			"source sources entry rows plain flags libs"));
	t->reference.name = xstrdup("reference");
	TRY(read_trusted(&t->reference, r, y, "reference"));
	TRY(reader_bool(&t->reference_rows, r, document_get(y, "rows"),
			"reference.rows"));
	return reader_identifier(&t->plain, r, document_get(y, "plain"),
				 "reference.plain");
}

static bool name_is_plain(const char *name)
{
	if (!isalnum((unsigned char)*name) || strlen(name) > 40)
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_+.-", *c))
			return false;
	return true;
}

static struct error *read_baselines(const struct reader *r,
				    const struct yaml *y)
{
	struct task *t = r->task;

	if (y->kind != YAML_MAPPING || y->n > 16)
		return reader_refuse(r, y, "baselines",
				     "it must be a mapping of at most 16 names "
				     "to {sources, entry, libs, flags}");
	for (size_t i = 0; i < y->n; i++) {
		cleanup_free char *where =
			xasprintf("baselines.%.40s", y->key[i]);
		struct trusted_code *c;

		if (!name_is_plain(y->key[i]))
			return reader_refuse(r, &y->item[i], where,
					     "a baseline's name is letters, "
					     "digits and _+.-, a letter or "
					     "digit first");
		TRY(reader_keys(r, &y->item[i], where,
				"source sources entry prepare flags libs"));
		GROW(t->baselines, t->n_baselines, t->cap_baselines);
		c = &t->baselines[t->n_baselines++];
		*c = (struct trusted_code){.name = xstrdup(y->key[i])};
		TRY(read_trusted(c, r, &y->item[i], where));
		TRY(reader_identifier(&c->prepare, r,
				      document_get(&y->item[i], "prepare"),
				      where));
	}
	return NULL;
}

/* A compiler by its name, maybe with a target before and a version after it:
 * `doctor` asks it for its version, which not every program would answer. */
static bool is_compiler(const char *name)
{
	static const char *const known[] = {"cc",  "gcc", "clang", "tcc",
					    "icc", "icx", "c99",   "c11"};
	size_t len = strlen(name);

	while (len && strchr("0123456789.", name[len - 1]))
		len--;
	if (len == strlen(name) || !len || name[len - 1] != '-')
		len = strlen(name);
	else
		len--;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t n = strlen(known[i]);

		if (len >= n && strncmp(name + len - n, known[i], n) == 0 &&
		    (len == n || name[len - n - 1] == '-'))
			return true;
	}
	return false;
}

static struct error *read_compiler(const struct reader *r, const struct yaml *y)
{
	struct task *t = r->task;

	t->compiler = xstrdup("cc");
	TRY(reader_word(&t->compiler, r, y, "build.compiler"));
	if (y && !(name_is_plain(t->compiler) && is_compiler(t->compiler)))
		return reader_refuse(r, y, "build.compiler",
				     "it must be the name of a program such as "
				     "cc, gcc-12, clang or "
				     "aarch64-linux-gnu-gcc");
	return NULL;
}

static struct error *read_build(const struct reader *r, const struct yaml *y)
{
	struct task *t = r->task;

	if (y)
		TRY(reader_keys(r, y, "build", "compiler flags allow"));
	TRY(read_compiler(r, document_get(y, "compiler")));
	TRY(read_flags(&t->flags, r, document_get(y, "flags"), "build.flags"));
	return read_flags(&t->allowed_flags, r, document_get(y, "allow"),
			  "build.allow");
}

/* The program by a name that PATH finds, or by an absolute path: one of the
 * repository could change after it was trusted. */
static bool names_a_program(const char *word)
{
	return *word == '/' ? path_is_safe(word + 1) : name_is_plain(word);
}

static struct error *read_launcher(const struct reader *r, const struct yaml *y)
{
	static const char where[] = "launcher.command";
	struct strvec *words = &r->task->launcher;
	const struct yaml *command;

	TRY(reader_keys(r, y, "launcher", "command"));
	command = document_get(y, "command");
	if (!command)
		return reader_missing(r, y, "launcher", "command");
	TRY(reader_words(words, r, command, where));
	if (!words->n || words->n > LAUNCHER_WORDS)
		return reader_refuse(r, command, where,
				     "it must be a list of 1 to 64 words");
	if (!names_a_program(words->v[0]))
		return reader_refuse(r, command, where,
				     "its first word must be the name of a "
				     "program such as srun, or an absolute "
				     "path");
	for (size_t i = 0; i < words->n; i++)
		for (const char *c = words->v[i]; *c; c++)
			if (iscntrl((unsigned char)*c))
				return reader_refuse(r, command, where,
						     "its words must have no "
						     "control characters");
	return NULL;
}

struct error *task_read_code(struct reader *r, const struct yaml *root)
{
	TRY(read_reference(r, document_get(root, "reference")));
	if (document_get(root, "baselines"))
		TRY(read_baselines(r, document_get(root, "baselines")));
	if (document_get(root, "launcher"))
		TRY(read_launcher(r, document_get(root, "launcher")));
	return read_build(r, document_get(root, "build"));
}
