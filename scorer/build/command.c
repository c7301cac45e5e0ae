/* The command lines of candidates and of trusted code. */
#include <ctype.h>

#include "scorer/build/internal.h"
#include "scorer/build/exports.h"

bool flag_is_library(const char *flag)
{
	return starts_with(flag, "-l");
}

/* Libraries go after the sources, which need them; all other flags before. */
static void add_flags(struct strvec *command, const struct strvec *flags,
		      bool libraries)
{
	for (size_t i = 0; i < flags->n; i++)
		if (flag_is_library(flags->v[i]) == libraries)
			strvec_push(command, flags->v[i]);
}

void build_add_includes(struct strvec *command, const struct task *t)
{
	for (size_t i = 0; i < t->include.n; i++) {
		cleanup_free char *folder = task_path(t, t->include.v[i]);

		strvec_pushf(command, "-I./%s", folder);
	}
}

/* One line for people: what b has, too, or overrides of a is left out. */
static char *join(const struct strvec *a, const struct strvec *b)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < a->n + b->n; i++)
		if (i >= a->n || !flag_is_replaced(a->v[i], b))
			buf_addf(&text, text.len ? " %s" : "%s",
				 i < a->n ? a->v[i] : b->v[i - a->n]);
	return buf_take(&text);
}

/* "./" keeps a name like "-x.c" or "@x.c" from being read as an option. */
static void add_source(struct strvec *command, const char *path)
{
	strvec_pushf(command, "./%s", path);
}

/* Libraries by their paths, and where they are looked for when it is loaded. A
 * linker that leaves out what no source calls would leave out one that has the
 * entry itself; nvcc does not know every ending of their names. */
static void add_machine_libraries(struct strvec *command, bool cuda,
				  const struct strvec *paths)
{
	const char *lead = cuda ? "-Xlinker=" : "-Wl,";

	if (!paths->n)
		return;
	strvec_pushf(command, "%s--no-as-needed", lead);
	for (size_t i = 0; i < paths->n; i++) {
		const char *path = paths->v[i];

		strvec_pushf(command, "%s%s", lead, path);
		strvec_pushf(command, "%s-rpath,%.*s", lead,
			     (int)(strrchr(path, '/') - path), path);
	}
}

static void make_command(struct strvec *command, const struct builder *b,
			 const struct strvec *flags,
			 const struct strvec *sources,
			 const struct strvec *libraries)
{
	const struct task *t = b->task;

	if (t->language == LANGUAGE_CUDA) {
		build_cuda_command(command, b, flags, sources, libraries);
		return;
	}
	strvec_pushl(command, t->compiler, "-shared", "-fPIC", NULL);
	build_add_includes(command, t);
	add_flags(command, &t->flags, false);
	add_flags(command, flags, false);
	for (size_t i = 0; i < sources->n; i++)
		add_source(command, sources->v[i]);
	add_flags(command, flags, true);
	add_flags(command, &t->flags, true);
	if (libraries)
		strvec_extend(command, libraries);
	strvec_pushl(command, "-lm", "-Wl,-z,now", "-Wl,-z,defs", NULL);
}

/* Does the task leave it to another file to include it? */
static bool is_left_out(const struct task *t, const char *path)
{
	cleanup_strvec struct strvec compile = STRVEC_INIT;

	task_push_paths(&compile, t, &t->project.compile);
	return compile.n && !path_matches(path, &compile);
}

static bool has_source_ending(const struct task *t, const char *path)
{
	static const char *const in_cxx[] = {".cpp", ".cc", ".cxx", ".C",
					     ".c++"};

	if (t->language == LANGUAGE_CXX)
		for (size_t i = 0; i < ARRAY_SIZE(in_cxx); i++)
			if (ends_with(path, in_cxx[i]))
				return true;
	return ends_with(path, ".c") ||
	       (t->language == LANGUAGE_CUDA && ends_with(path, ".cu")) ||
	       (t->cuda.rdc && ends_with(path, ".ptx"));
}

/* What is compiled by itself. */
static bool is_source(const struct task *t, const char *path)
{
	return has_source_ending(t, path) && !is_left_out(t, path);
}

static const char *source_endings(enum language language)
{
	static const char *const endings[] = {
		".c (language: c++ takes .cpp and others)", ".cu or .c",
		".cpp, .cc, .cxx, .c++, .C or .c", ""};

	return endings[language];
}

/* The sources to compile, and the flags that the first flags line among all
 * sources, headers too, chooses. One sentence on a flag there that the task does not
 * allow, also in an alternative that is not in force, or NULL: a candidate that passes
 * may be the start of a run, whose tuner tries them all. */
static char *read_sources(struct strvec *sources, struct strvec *flags,
			  const struct task *t, const struct fileset *files)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	size_t line;
	const char *path = task_chosen_flags(flags, &line, t, files);

	task_source_patterns(&patterns, t);
	for (size_t i = 0; i < files->n; i++) {
		const struct file_entry *f = &files->file[i];

		if (path_matches(f->path, &patterns) && is_source(t, f->path))
			strvec_push(sources, f->path);
	}
	return path ? task_refuse_declared(t, files) : NULL;
}

/* The files of the base that are compiled with the candidate's. */
static void add_build_files(struct strvec *sources, const struct task *t,
			    const struct fileset *files)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	const char *path;

	task_push_paths(&patterns, t, &t->project.files);
	for (size_t i = 0; i < files->n; i++) {
		path = files->file[i].path;
		if (is_source(t, path) && path_matches(path, &patterns) &&
		    !strvec_has(sources, path))
			strvec_push(sources, path);
	}
}

char *build_candidate_sources(struct strvec *sources, struct strvec *chosen,
			      const struct task *t, const struct fileset *files)
{
	char *refusal = read_sources(sources, chosen, t, files);

	if (!refusal)
		add_build_files(sources, t, files);
	return refusal;
}

static void own_command(struct strvec *command, const struct task *t)
{
	strvec_pushf(command, "./%s", t->prefix);
	strvec_push(command, t->project.object);
	strvec_extend(command, &t->project.command);
}

char *build_candidate_command(struct strvec *command, char **flags,
			      const struct builder *b,
			      const struct fileset *files)
{
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	cleanup_strvec struct strvec chosen = STRVEC_INIT;
	char *refusal =
		build_candidate_sources(&sources, &chosen, b->task, files);

	*flags = join(&b->task->flags, &chosen);
	if (refusal)
		return refusal;
	if (!sources.n && !b->task->project.object)
		return xasprintf("the sources hold no file that ends in %s",
				 source_endings(b->task->language));
	if (b->task->project.object)
		own_command(command, b->task);
	else
		make_command(command, b, &chosen, &sources,
			     &b->task->project.libs);
	return NULL;
}

/* One sentence on an entry point that the object lacks, or NULL. A library that
 * the task adds may have it: only the loader knows its functions. */
static char *find_missing(const struct build *built, const struct task *t)
{
	const struct {
		const char *key, *name;
	} wanted[] = {{"entry", t->entry},
		      {"prepare", t->prepare},
		      {"setup", t->setup}};
	cleanup_strvec struct strvec exports = STRVEC_INIT;

	if (t->project.libs.n || !exports_read_fd(&exports, built->object_fd))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		cleanup_free char *lack =
			wanted[i].name ? exports_lack(&exports, t->language,
						      wanted[i].name)
				       : NULL;

		if (lack)
			return xasprintf("%s: %s: the sources define %s",
					 t->path, wanted[i].key, lack);
	}
	return NULL;
}

struct error *build_candidate(struct build *out, const struct builder *b,
			      const struct fileset *files)
{
	cleanup_build struct build built = BUILD_INIT;
	cleanup_strvec struct strvec command = STRVEC_INIT;

	if (b->task->language == LANGUAGE_RUNNER || b->task->python)
		return build_runner_files(out, b, files);
	/* Where the command that scores builds too. */
	if (task_is_reported(b->task) && !b->task->project.object) {
		*out = (struct build){.object_fd = -1, .ok = true};
		return NULL;
	}
	built.first_error =
		build_candidate_command(&command, &built.flags, b, files);
	if (built.first_error)
		built.log = xstrdup(built.first_error);
	else
		TRY(build_command(&built, b, b->task->project.object != NULL,
				  &command, files));
	if (built.ok) {
		cleanup_free char *missing = find_missing(&built, b->task);

		if (missing)
			build_fail(&built, missing);
	}
	*out = built;
	built = (struct build)BUILD_INIT;
	return NULL;
}

/* What a baseline is linked with, for its build alone. */
static void show_libraries(struct builder *b, struct strvec *folders,
			   const struct trusted_code *code)
{
	for (size_t i = 0; b->compile_folders[i]; i++)
		strvec_push(folders, b->compile_folders[i]);
	libraries_show(folders, code);
	b->compile_folders = (const char *const *)folders->v;
	for (size_t i = 0; i < b->task->n_baselines; i++)
		if (code == &b->task->baselines[i])
			b->linked = b->libraries.said.v[i];
}

struct error *build_trusted(struct build *out, const struct builder *b,
			    const struct fileset *base,
			    const struct trusted_code *code)
{
	cleanup_strvec struct strvec folders = STRVEC_INIT;
	cleanup_build struct build built = BUILD_INIT;
	struct builder own = *b;
	cleanup_strvec struct strvec command = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;

	if (code->torch)
		return build_python_file(out, b, base, code);
	task_push_paths(&sources, b->task, &code->sources);
	make_command(&command, b, &code->flags, &sources, &code->libs);
	add_machine_libraries(&command, b->task->language == LANGUAGE_CUDA,
			      &code->library);
	if (code->library.n)
		show_libraries(&own, &folders, code);
	built.flags = join(&b->task->flags, &code->flags);
	TRY(build_command(&built, &own, false, &command, base));
	libraries_show(&built.libraries, code);
	*out = built;
	built = (struct build)BUILD_INIT;
	return NULL;
}

/* A copy of the builder for a task that makes no files and has no command of
 * its own. */
struct error *build_program(struct build *out, const struct builder *b,
			    const char *source)
{
	static const char *const names[] = {"microbenchmark.c",
					    "microbenchmark.cu",
					    "microbenchmark.cpp",
					    "microbenchmark.c"};
	const char *name = names[b->task->language];
	struct task task = *b->task;
	struct builder own = *b;
	cleanup_build struct build built = BUILD_INIT;
	cleanup_strvec struct strvec command = STRVEC_INIT;
	cleanup_fileset struct fileset files = FILESET_INIT;

	task.project.generate = (struct strvec)STRVEC_INIT;
	task.project.object = NULL;
	own.task = &task;
	TRY(fileset_put(&files, name, source, strlen(source), false));
	if (task.language == LANGUAGE_CUDA) {
		build_cuda_program(&command, &own, name);
	} else {
		strvec_push(&command, task.compiler);
		add_flags(&command, &task.flags, false);
		add_source(&command, name);
		add_flags(&command, &task.flags, true);
		strvec_push(&command, "-lm");
	}
	TRY(build_command(&built, &own, false, &command, &files));
	*out = built;
	built = (struct build)BUILD_INIT;
	return NULL;
}
