#include "cmd/init/project.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/file.h"

void project_paths_release(struct project_paths *p)
{
	free(p->top);
	free(p->source);
	free(p->from_top);
	free(p->folder);
	free(p->task);
	free(p->task_from_top);
	free(p->kernel);
	free(p->reference);
	free(p->reference_name);
	free(p->reference_from_top);
	free(p->shim);
	free(p->shim_name);
	free(p->shim_from_top);
	*p = (struct project_paths){0};
}

/* "dir/k.yaml" has the folder "dir". */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return xstrndup(path, slash ? (size_t)(slash - path) : 0);
}

static bool in_folder(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !len || (starts_with(path, folder) && path[len] == '/');
}

/* `path` from the folder `from`, both from the top; NULL if it is not below. */
static const char *below(const char *path, const char *from)
{
	size_t len = strlen(from);

	if (!in_folder(path, from))
		return NULL;
	return path + len + (len > 0);
}

/* `path` from the folder `from`, both from the top: "../src/k.c". free()
 * disposes. */
static char *relative(const char *path, const char *from)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	size_t same = 0;

	/* Up to the last folder that both are in. */
	for (size_t i = 0; path[i] && path[i] == from[i]; i++)
		if (path[i] == '/')
			same = i + 1;
	if (*from && below(path, from))
		return xstrdup(below(path, from));
	for (const char *s = from + same; *s;) {
		buf_adds(&out, "../");
		s += strcspn(s, "/");
		s += *s == '/';
	}
	buf_adds(&out, path + same);
	return xstrdup(out.data);
}

/* Its path from the top of the work tree, through links; NULL: outside. */
static char *from_top(const char *top, const char *path)
{
	cleanup_free char *real = realpath(path, NULL);
	size_t len = strlen(top);

	if (!real || strncmp(real, top, len) != 0)
		return NULL;
	return real[len] == '/' ? xstrdup(real + len + 1)
	       : real[len]	? NULL
				: xstrdup("");
}

static struct error *find_kernel(struct project_paths *p, const char *kernel)
{
	p->source = realpath(kernel, NULL);
	if (!p->source)
		return error_new(ERROR_NOT_FOUND, "%s: %s", kernel,
				 strerror(ENOENT));
	p->from_top = from_top(p->top, kernel);
	if (!p->from_top || !path_is_safe(p->from_top))
		return error_new(ERROR_USAGE,
				 "init: %s is not in this repository's work "
				 "tree",
				 kernel);
	return NULL;
}

/* "axpy.yaml" goes with "axpy_reference.c"; `what`: "reference". */
static void name_beside(const struct project_paths *p, enum language language,
			const char *what, char **name, char **here,
			char **from_top)
{
	const char *base = strrchr(p->task, '/');
	const char *ending = language == LANGUAGE_CUDA	? ".cu"
			     : language == LANGUAGE_CXX ? ".cpp"
							: ".c";
	cleanup_free char *folder = folder_of(p->task);
	size_t len;

	base = base ? base + 1 : p->task;
	len = strcspn(base, ".");
	*name = str_eq(base, TASK_FILE)
			? xasprintf("%s%s", what, ending)
			: xasprintf("%.*s_%s%s", (int)len, base, what, ending);
	*here = xasprintf("%s%s%s", folder, *folder ? "/" : "", *name);
	*from_top =
		xasprintf("%s%s%s", p->folder, *p->folder ? "/" : "", *name);
}

static struct error *find_folder(struct project_paths *p)
{
	cleanup_free char *folder = folder_of(p->task);
	const char *name = p->task + strlen(folder) + (*folder != 0);

	if (*folder)
		TRY(dir_make(folder));
	p->folder = from_top(p->top, *folder ? folder : ".");
	if (!p->folder)
		return error_new(ERROR_USAGE,
				 "init: %s is not in this repository's work "
				 "tree",
				 p->task);
	p->task_from_top =
		xasprintf("%s%s%s", p->folder, *p->folder ? "/" : "", name);
	return NULL;
}

struct error *project_find(struct project_paths *out, const char *work_dir,
			   const char *kernel, const char *output,
			   enum language language)
{
	cleanup_project_paths struct project_paths p = {0};

	if (output && !ends_with(output, ".yaml") && !ends_with(output, ".yml"))
		return error_new(ERROR_USAGE,
				 "init: a task file is named NAME.yaml, not %s",
				 output);
	p.top = realpath(work_dir, NULL);
	if (!p.top)
		return error_errno("%s", work_dir);
	p.task = xstrdup(output ? output : TASK_FILE);
	TRY(find_kernel(&p, kernel));
	TRY(find_folder(&p));
	p.kernel = relative(p.from_top, p.folder);
	name_beside(&p, language, "reference", &p.reference_name, &p.reference,
		    &p.reference_from_top);
	name_beside(&p, language, "shim", &p.shim_name, &p.shim,
		    &p.shim_from_top);
	*out = p;
	p = (struct project_paths){0};
	return NULL;
}

void project_move_includes(struct buf *out, const struct project_paths *p,
			   const struct compiled *c, const char *text)
{
	cleanup_free char *folder = folder_of(p->from_top);
	static const char begin[] = "#include \"";

	while (*text) {
		const char *end = strchrnul(text, '\n');
		size_t len = starts_with(text, begin)
				     ? strcspn(text + strlen(begin), "\"\n")
				     : 0;
		cleanup_free char *name =
			xstrndup(text + (len ? strlen(begin) : 0), len);
		cleanup_free char *path =
			xasprintf("%s%s%s", folder, *folder ? "/" : "", name);
		cleanup_free char *moved = relative(path, p->folder);

		if (len && strvec_has(&c->included, path))
			buf_addf(out, "#include \"%s\"%.*s", moved,
				 (int)(end - text -
				       (ptrdiff_t)(strlen(begin) + len + 1)),
				 text + strlen(begin) + len + 1);
		else
			buf_add(out, text, (size_t)(end - text));
		if (*end)
			buf_addc(out, '\n');
		text = *end ? end + 1 : end;
	}
}

bool project_is_default(const struct project_paths *p)
{
	return str_eq(p->task, TASK_FILE);
}

/* ---- what the task names ------------------------------------------------------ */

void project_flags(struct strvec *out, const struct compile_line *line)
{
	bool optimised = false;

	for (size_t i = 0; i < line->flags.n; i++) {
		const char *flag = line->flags.v[i];

		/* Folders are `include`, and the rest is for the reading. */
		if (starts_with(flag, "-I") || !task_flag_is_allowed(flag))
			continue;
		if (starts_with(flag, "-O"))
			optimised = !str_eq(flag, "-O0");
		if (!str_eq(flag, "-O0"))
			strvec_push(out, flag);
	}
	if (!optimised)
		strvec_push(out, "-O2");
}

void project_files(struct strvec *include, struct strvec *files,
		   const struct compile_line *line, const struct compiled *c,
		   const struct project_paths *p)
{
	cleanup_free char *own = folder_of(p->from_top);

	/* Of the folder of the kernel itself, and of the top, headers are named
	 * one by one. */
	for (size_t i = 0; i < line->folders.n; i++) {
		const char *folder = line->folders.v[i];
		cleanup_free char *path = relative(folder, p->folder);

		if (*folder && !str_eq(folder, own) &&
		    !strvec_has(include, path))
			strvec_push(include, path);
	}
	for (size_t i = 0; i < c->included.n; i++) {
		cleanup_free char *path = relative(c->included.v[i], p->folder);
		bool covered = false;

		for (size_t k = 0; k < include->n; k++)
			covered = covered || in_folder(path, include->v[k]);
		if (!covered)
			strvec_push(files, path);
	}
}

bool project_includes_sources(const struct compiled *c)
{
	for (size_t i = 0; i < c->included.n; i++)
		if (is_compiled(c->included.v[i]))
			return true;
	return false;
}
