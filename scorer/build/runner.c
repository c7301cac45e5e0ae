/* Candidates of a task with a runner: files, and no compiler. */
#include "scorer/build/internal.h"

struct error *build_runner_open(struct builder *b)
{
	cleanup_free char *compiler = steal(&b->compiler);

	TRY(runner_command_find(&b->runner, &b->task->runner,
				&b->task->runner_folders));
	b->compiler = xasprintf("%s, %s", compiler, b->runner.version);
	return NULL;
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

struct error *build_runner_files(struct build *out, const struct builder *b,
				 const struct fileset *files)
{
	cleanup_build struct build built = BUILD_INIT;

	built.runner = &b->runner;
	built.flags = xstrdup("");
	TRY(add_files(&built, b, files));
	fileset_id(built.key, &built.files);
	built.ok = built.sources.n > 0;
	if (!built.ok)
		build_fail(&built, "there is no file of the sources left");
	*out = built;
	built = (struct build)BUILD_INIT;
	return NULL;
}
