/* How candidates are built: the keys under `build:`. */
#include <ctype.h>

#include "core/task/reader.h"

#define MAX_ARCHS 8
#define MAX_WORDS 64

/* A compiler by its name, with an optional target before and version after it.
 * `doctor` asks it for its version, which not every program would answer. */
static bool is_compiler(enum language language, const char *name)
{
	static const char *const in_c[] = {"cc",  "gcc", "clang", "tcc", "icc",
					   "icx", "c99", "c11",	  NULL};
	static const char *const in_cxx[] = {"c++", "g++", "clang++", "icpx",
					     NULL};
	const char *const *known = language == LANGUAGE_CXX ? in_cxx : in_c;
	size_t len = strlen(name);

	while (len && strchr("0123456789.", name[len - 1]))
		len--;
	if (len == strlen(name) || !len || name[len - 1] != '-')
		len = strlen(name);
	else
		len--;
	for (; *known; known++) {
		size_t n = strlen(*known);

		if (len >= n && strncmp(name + len - n, *known, n) == 0 &&
		    (len == n || name[len - n - 1] == '-'))
			return true;
	}
	return false;
}

static bool is_compiler_of(enum language language, const char *name)
{
	if (language == LANGUAGE_CUDA)
		return str_eq(name, "nvcc");
	return reader_is_plain_name(name) && is_compiler(language, name);
}

static const char *compilers_of(enum language language)
{
	switch (language) {
	case LANGUAGE_CUDA:
		return "for cuda it must be nvcc";
	case LANGUAGE_CXX:
		return "it must be the name of a program such as c++, g++-12, "
		       "clang++ or aarch64-linux-gnu-g++";
	case LANGUAGE_C:
	case LANGUAGE_RUNNER:
		break;
	}
	return "it must be the name of a program such as cc, gcc-12, clang or "
	       "aarch64-linux-gnu-gcc (g++ goes with language: c++)";
}

static struct error *read_compiler(const struct task_reader *r,
				   const struct yaml *y)
{
	struct task *t = r->task;
	static const char *const usual[] = {"cc", "nvcc", "c++", "cc"};

	t->compiler = xstrdup(usual[t->language]);
	TRY(reader_word(&t->compiler, r, y, "build.compiler"));
	if (y && !is_compiler_of(t->language, t->compiler))
		return reader_refuse(r, y, "build.compiler",
				     compilers_of(t->language));
	return NULL;
}

/* "sm_80", "sm_90a", "sm_120f" */
bool arch_is_name(const char *s)
{
	size_t digits;

	if (!starts_with(s, "sm_"))
		return false;
	digits = strspn(s + 3, "0123456789");
	s += 3 + digits;
	return (digits == 2 || digits == 3) &&
	       (!*s || str_eq(s, "a") || str_eq(s, "f"));
}

/* In one object, sm_90 and sm_90a could not be distinguished afterwards. */
bool arch_same_number(const char *a, const char *b)
{
	return strtoul(a + 3, NULL, 10) == strtoul(b + 3, NULL, 10);
}

static struct error *read_archs(const struct task_reader *r,
				const struct yaml *y)
{
	struct cuda_build *c = &r->task->cuda;
	const struct yaml *also = document_get(y, "also_build");

	TRY(reader_word(&c->arch, r, document_get(y, "arch"), "build.arch"));
	if (c->arch && !arch_is_name(c->arch))
		return reader_refuse(r, document_get(y, "arch"), "build.arch",
				     "it must be such as sm_80 or sm_90a");
	TRY(reader_words(&c->also, r, also, "build.also_build"));
	if (c->also.n > MAX_ARCHS)
		return reader_refuse(r, also, "build.also_build",
				     "it may name at most 8");
	for (size_t i = 0; i < c->also.n; i++) {
		if (!arch_is_name(c->also.v[i]))
			return reader_refuse(r, also, "build.also_build",
					     "it must be a list of such as "
					     "sm_80 or sm_90a");
		for (size_t j = 0; j < i; j++)
			if (arch_same_number(c->also.v[i], c->also.v[j]))
				return reader_refuse(r, also,
						     "build.also_build",
						     "each number only once");
	}
	return NULL;
}

struct error *task_read_command(struct strvec *out, const struct task_reader *r,
				const struct yaml *y, const char *where)
{
	TRY(reader_words(out, r, y, where));
	if (y && (!out->n || out->n > MAX_WORDS))
		return reader_refuse(r, y, where,
				     "it must be a list of 1 to 64 words");
	return NULL;
}

/* With a command of its own, the task decides what is compiled and how. Keys
 * that set this too are refused instead of ignored. */
static struct error *read_command(const struct task_reader *r,
				  const struct yaml *y)
{
	static const char *const others[] = {"compiler",   "flags", "allow",
					     "also_build", "rdc",   "libs",
					     "compile"};
	struct project_build *c = &r->task->project;
	const struct yaml *command = document_get(y, "command");
	const struct yaml *object = document_get(y, "object");

	if (!command && !object)
		return NULL;
	if (!command || !object)
		return reader_missing(r, y, "build",
				      command ? "object" : "command");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (document_get(y, others[i]))
			return reader_refuse(r, document_get(y, others[i]),
					     others[i],
					     "with build.command it is the "
					     "command that decides");
	TRY(task_read_command(&c->command, r, command, "build.command"));
	TRY(reader_word(&c->object, r, object, "build.object"));
	return reader_path(r, object, "build.object", c->object);
}

struct error *task_read_build(const struct task_reader *r, const struct yaml *y)
{
	struct task *t = r->task;
	bool cuda = t->language == LANGUAGE_CUDA;

	if (y)
		TRY(reader_keys(r, y, "build", keys_build,
				cuda ? IN_CUDA : IN_C));
	TRY(read_compiler(r, document_get(y, "compiler")));
	TRY(task_read_flags(&t->flags, r, document_get(y, "flags"),
			    "build.flags"));
	TRY(task_read_flags(&t->allowed_flags, r, document_get(y, "allow"),
			    "build.allow"));
	if (cuda)
		TRY(read_archs(r, y));
	TRY(reader_bool(&t->cuda.rdc, r, document_get(y, "rdc"), "build.rdc"));
	TRY(task_read_patterns(&t->project.files, r, document_get(y, "files"),
			       "build.files"));
	TRY(task_read_patterns(&t->project.compile, r,
			       document_get(y, "compile"), "build.compile"));
	TRY(task_read_command(&t->project.generate, r,
			      document_get(y, "generate"), "build.generate"));
	TRY(task_read_libs(&t->project.libs, r, document_get(y, "libs"),
			   "build.libs"));
	return read_command(r, y);
}
