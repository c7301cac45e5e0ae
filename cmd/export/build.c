/* build.json: the commands that compile the kernel and the reference as they
 * were compiled here. */
#include "cmd/export/package.h"

/* One part of the package: how its sources become objects. */
static struct json *part_json(const struct export_source *s, const char *part,
			      const struct strvec *compile,
			      const struct strvec *sources,
			      const struct strvec *libs)
{
	cleanup_strvec struct strvec objects = STRVEC_INIT;
	struct json *j = json_object(), *commands = json_array();
	struct json *libraries = json_strings(libs);

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
		json_push(commands, json_strings(&words));
	}
	if (s->task->cuda.rdc)
		json_push_string(libraries, "-lcudadevrt");
	json_push_string(libraries, "-lm");
	json_set(j, "commands", commands);
	json_set(j, "objects", json_strings(&objects));
	json_set(j, "libraries", libraries);
	return j;
}

static struct json *kernel_json(const struct export_source *s,
				const char *folder)
{
	cleanup_strvec struct strvec compile = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;

	code_compile_words(&compile, s, folder);
	for (size_t i = 0; i < s->sources.n; i++)
		strvec_pushf(&sources, "%s%s", folder, s->sources.v[i]);
	return part_json(s, "kernel", &compile, &sources, &s->libs);
}

/* Without the flags that the candidate chose. */
static struct json *reference_json(const struct export_source *s,
				   const char *folder)
{
	const struct trusted_code *r = &s->task->reference;
	cleanup_strvec struct strvec compile = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;

	code_reference_words(&compile, s, folder);
	for (size_t i = 0; i < r->sources.n; i++) {
		cleanup_free char *path = task_path(s->task, r->sources.v[i]);

		strvec_pushf(&sources, "%s%s", folder, path);
	}
	return part_json(s, "reference", &compile, &sources, &r->libs);
}

struct error *package_put_build(struct export_source *s, const char *kernel,
				const char *reference)
{
	cleanup_json struct json *j = json_object();
	cleanup_free char *text = NULL;

	if (kernel)
		json_set(j, "kernel", kernel_json(s, kernel));
	if (reference)
		json_set(j, "reference", reference_json(s, reference));
	text = json_print_pretty(j);
	return fileset_put(&s->out, "build.json", text, strlen(text), false);
}
