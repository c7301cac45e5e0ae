/* Candidates of a task with a runner: files, and no compiler. */
#include "scorer/build/internal.h"
#include "scorer/build/python.h"

/* The runner of functions of Python, among the files that it gets, and its part
 * in C. */
#define PYTHON_RUNNER ".avogit-runner.py"
#define PYTHON_FORBID ".avogit-forbid.so"
#define ID_DIGITS     12

extern const unsigned char python_runner[], python_runner_end[];
extern const unsigned char python_forbid[], python_forbid_end[];

static size_t bytes_between(const unsigned char *begin,
			    const unsigned char *end)
{
	return (uintptr_t)end - (uintptr_t)begin;
}

struct error *build_runner_open(struct builder *b)
{
	cleanup_free char *compiler = steal(&b->compiler);

	TRY(runner_command_find(&b->runner, &b->task->runner,
				&b->task->runner_folders));
	b->compiler = xasprintf("%s, %s", compiler, b->runner.version);
	return NULL;
}

/* Another runner is as another version of a compiler. */
static void add_runner(struct runner_command *c)
{
	cleanup_free char *version = steal(&c->version);
	struct hash *h = hash_new();
	char hex[HASH_HEX_LEN + 1];

	strvec_pushl(&c->argv, "-u", PYTHON_RUNNER, NULL);
	hash_add(h, python_runner,
		 bytes_between(python_runner, python_runner_end));
	hash_add(h, python_forbid,
		 bytes_between(python_forbid, python_forbid_end));
	hash_finish(hex, h);
	c->version = xasprintf("%s, runner %.*s", version, ID_DIGITS, hex);
}

struct error *build_python_open(struct builder *b)
{
	cleanup_free char *compiler = NULL;

	TRY(python_find(&b->python, b->sandbox));
	add_runner(&b->python);
	compiler = steal(&b->compiler);
	b->compiler = xasprintf("%s%s%s", compiler, *compiler ? ", " : "",
				b->python.version);
	return NULL;
}

static struct error *put_python_runner(struct fileset *files)
{
	TRY(fileset_put(files, PYTHON_FORBID, python_forbid,
			bytes_between(python_forbid, python_forbid_end),
			false));
	return fileset_put(files, PYTHON_RUNNER, python_runner,
			   bytes_between(python_runner, python_runner_end),
			   false);
}

/* Adds the files that match, under their paths from the task's folder. */
static struct error *add_files(struct build *out, const struct builder *b,
			       const struct fileset *files)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	const char *prefix = b->task->prefix;

	task_build_patterns(&patterns, b->task);
	task_source_patterns(&sources, b->task);
	for (size_t i = 0; i < files->n; i++) {
		const struct file_entry *f = &files->file[i];
		const char *path = f->path + strlen(prefix);

		if (!starts_with(f->path, prefix) ||
		    !path_matches(f->path, &patterns))
			continue;
		TRY(fileset_put(&out->files, path, f->data, f->len,
				f->executable));
		if (path_matches(f->path, &sources))
			strvec_push(&out->sources, path);
	}
	return NULL;
}

/* A run begins with the code that baselines are, which may be what is forbidden:
 * its gains are gains over that. Whoever hands in the same bytes gains
 * nothing. */
static bool is_a_baseline(const struct build *built, const struct builder *b)
{
	const struct file_entry *own =
		built->sources.n == 1
			? fileset_get(&built->files, built->sources.v[0])
			: NULL;

	for (size_t i = 0; own && b->base && i < b->task->n_baselines; i++) {
		const char *torch = b->task->baselines[i].torch;
		cleanup_free char *path = torch ? task_path(b->task, torch)
						: NULL;
		const struct file_entry *f = path ? fileset_get(b->base, path)
						  : NULL;

		if (f && f->len == own->len &&
		    !memcmp(f->data, own->data, f->len))
			return true;
	}
	return false;
}

struct error *build_runner_files(struct build *out, const struct builder *b,
				 const struct fileset *files)
{
	cleanup_build struct build built = BUILD_INIT;

	built.runner = b->task->python ? &b->python : &b->runner;
	built.flags = xstrdup("");
	TRY(add_files(&built, b, files));
	built.may_call_all = is_a_baseline(&built, b);
	if (b->task->python)
		TRY(put_python_runner(&built.files));
	fileset_id(built.key, &built.files);
	built.ok = built.sources.n > 0;
	if (!built.ok)
		build_fail(&built, "there is no file of the sources left");
	*out = built;
	built = (struct build)BUILD_INIT;
	return NULL;
}

struct error *build_python_file(struct build *out, const struct builder *b,
				const struct fileset *base,
				const struct trusted_code *code)
{
	cleanup_build struct build built = BUILD_INIT;
	cleanup_free char *path = task_path(b->task, code->torch);
	const struct file_entry *f = fileset_get(base, path);

	if (!f)
		return error_new(ERROR_TASK, "%s: %s: there is no file %s",
				 b->task->path, code->name, path);
	TRY(fileset_put(&built.files, code->torch, f->data, f->len, false));
	TRY(put_python_runner(&built.files));
	strvec_push(&built.sources, code->torch);
	built.runner = &b->python;
	built.may_call_all = true;
	built.compile = code->compile;
	built.flags = xstrdup("");
	fileset_id(built.key, &built.files);
	built.ok = true;
	*out = built;
	built = (struct build)BUILD_INIT;
	return NULL;
}
