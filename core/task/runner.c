/* A language that another program knows: `language: {runner: [...]}`. */
#include <ctype.h>

#include "core/task/reader.h"

static struct error *read_folders(const struct task_reader *r,
				  const struct yaml *y)
{
	static const char where[] = "language.folders";
	const struct strvec *folders = &r->task->runner_folders;

	TRY(reader_plain_words(&r->task->runner_folders, r, y, where));
	for (size_t i = 0; i < folders->n; i++)
		if (folders->v[i][0] != '/' || !path_is_safe(folders->v[i] + 1))
			return reader_refuse(r, y, where,
					     "they must be absolute paths of "
					     "this machine");
	return NULL;
}

static struct error *refuse_prepare(const struct task_reader *r,
				    const struct yaml *root)
{
	const struct yaml *y = document_get(root, "prepare");

	return y ? reader_refuse(r, y, "prepare",
				 "there are no static inputs with Python on a "
				 "GPU, reference and baselines of PyTorch "
				 "included: leave the one or the other out")
		 : NULL;
}

/* What goes with a compiler only. */
static struct error *refuse_keys(const struct task_reader *r,
				 const struct yaml *root)
{
	static const struct {
		const char *key, *why;
	} keys[] = {
		{"setup", "a runner sets itself up before it is started"},
		{"flags", "no flag of a compiler is chosen with a runner"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (document_get(root, keys[i].key))
			return reader_refuse(r, document_get(root, keys[i].key),
					     keys[i].key, keys[i].why);
	return NULL;
}

struct error *task_read_runner(const struct task_reader *r,
			       const struct yaml *root)
{
	static const char where[] = "language.runner";
	struct task *t = r->task;
	const struct yaml *y = document_get(root, "language");
	const struct yaml *words = document_get(y, "runner");

	TRY(reader_keys(r, y, "language", keys_language, 0));
	TRY(reader_needed(r, y, "language", keys_language, 0));
	t->language = LANGUAGE_RUNNER;
	TRY(reader_plain_words(&t->runner, r, words, where));
	if (!reader_names_program(t->runner.v[0]))
		return reader_refuse(r, words, where,
				     "its first word must be the name of a "
				     "program such as python3, or an absolute "
				     "path");
	TRY(read_folders(r, document_get(y, "folders")));
	return refuse_keys(r, root);
}

/* The runner sees the task's folder, and paths in it. */
static struct error *check_inside(const struct task_reader *r,
				  const struct yaml *y, const char *where,
				  const struct strvec *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		cleanup_free char *path = task_path(r->task, paths->v[i]);

		if (!starts_with(path, r->task->prefix))
			return reader_refuse(r, y, where,
					     "a runner gets files of the "
					     "task's own folder only");
	}
	return NULL;
}

static struct error *check_arguments(const struct task_reader *r,
				     const struct yaml *list)
{
	for (size_t i = 0; i < r->task->n_arguments; i++) {
		const struct argument *a = &r->task->argument[i];
		const char *why =
			a->kind == ARGUMENT_STRUCT
				? "a runner gets no structs: give tensors and "
				  "values of their own"
			: a->kind == ARGUMENT_PREPARED &&
					r->task->language != LANGUAGE_RUNNER
				? "code in Python gets no prepared buffers "
				  "beside another language"
			: a->passing == PASSED_BACK
				? "a runner returns nothing: give a tensor of "
				  "one element"
			: a->fill == FILL_GENERATOR && r->task->reference.torch
				? "a generator is a C function in the "
				  "reference's sources, and these are Python: "
				  "give a kind of contents or low and high"
				: NULL;

		if (why)
			return reader_refuse(r, &list->item[i], a->name, why);
	}
	return NULL;
}

/* Of a task whose candidates are compiled and whose reference or baselines are
 * in Python. */
static struct error *check_beside(const struct task_reader *r,
				  const struct yaml *root)
{
	if (r->task->language == LANGUAGE_CUDA)
		TRY(refuse_prepare(r, root));
	return check_arguments(r, document_get(root, "arguments"));
}

/* Names of Python with `between` them. */
static bool is_dotted(const char *text, const char *between)
{
	bool begins = true;

	for (; *text; text++) {
		if (!begins && starts_with(text, between)) {
			text += strlen(between) - 1;
			begins = true;
		} else if (isalpha((unsigned char)*text) || *text == '_' ||
			   (!begins && isdigit((unsigned char)*text))) {
			begins = false;
		} else {
			return false;
		}
	}
	return !begins;
}

static struct error *read_names(struct strvec *out, const struct task_reader *r,
				const struct yaml *y, const char *where,
				const char *between, const char *allowed)
{
	if (y)
		TRY(reader_plain_words(out, r, y, where));
	for (size_t i = 0; i < out->n; i++)
		if (!is_dotted(out->v[i], between))
			return reader_refuse(r, y, where, allowed);
	return NULL;
}

static struct error *read_forbidden(const struct task_reader *r,
				    const struct yaml *y)
{
	struct task *t = r->task;

	if (!y)
		return NULL;
	TRY(reader_keys(r, y, "forbidden", keys_forbidden, 0));
	if (!t->python)
		return reader_refuse(r, y, "forbidden",
				     "what a candidate calls is looked at in "
				     "Python alone (language: python); one in "
				     "a compiled language calls no library "
				     "that build.libs does not name");
	TRY(read_names(&t->forbidden_calls, r, document_get(y, "calls"),
		       "forbidden.calls", "::",
		       "they are names of operators as PyTorch has them, such "
		       "as softmax or aten::mm"));
	return read_names(&t->forbidden_modules, r, document_get(y, "modules"),
			  "forbidden.modules", ".",
			  "they are names of modules, such as flashinfer or "
			  "vllm.attention");
}

struct error *task_check_runner(const struct task_reader *r,
				const struct yaml *root)
{
	struct task *t = r->task;
	const struct yaml *build = document_get(root, "build");

	TRY(read_forbidden(r, document_get(root, "forbidden")));
	if (t->language != LANGUAGE_RUNNER && !t->python)
		return task_uses_python(t) ? check_beside(r, root) : NULL;
	if (t->language == LANGUAGE_CUDA) {
		TRY(refuse_keys(r, root));
		TRY(refuse_prepare(r, root));
	}
	if (build)
		TRY(reader_keys(r, build, "build (with a runner)", keys_build,
				t->language == LANGUAGE_CUDA ? IN_RUNNER_CUDA
							     : IN_RUNNER));
	TRY(check_inside(r, document_get(root, "sources"), "sources",
			 &t->sources));
	TRY(check_inside(r, build, "build.files", &t->project.files));
	t->fixed_flags = true;
	return check_arguments(r, document_get(root, "arguments"));
}
