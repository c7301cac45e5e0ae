#include "cmd/init/compile.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/sandbox/sandbox.h"

#define SOURCE_LIMIT ((size_t)16 << 20) /* one file */
#define TEXT_LIMIT   ((size_t)32 << 20) /* preprocessed */
#define DUMP_LIMIT   ((size_t)256 << 20)
#define LOG_LIMIT    ((size_t)64 << 10)
#define SECONDS	     60.0
#define MEMORY	     ((uint64_t)4 << 30)
#define DUMP_FD	     9
#define TEXT_FD	     8
#define NO_READELF   93
#define TOO_LARGE    94

void compiled_release(struct compiled *c)
{
	function_list_release(&c->functions);
	buf_release(&c->text);
	strvec_release(&c->included);
}

static bool ends_with_one(const char *path, const char *const *endings,
			  size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ends_with(path, endings[i]))
			return true;
	return false;
}

bool is_header(const char *path)
{
	static const char *const endings[] = {".h", ".hh", ".hpp", ".hxx",
					      ".h++"};

	return ends_with_one(path, endings, ARRAY_SIZE(endings));
}

bool is_compiled(const char *path)
{
	static const char *const endings[] = {".c",   ".cpp", ".cc",
					      ".cxx", ".c++", ".C"};

	return ends_with_one(path, endings, ARRAY_SIZE(endings));
}

/* ---- the files ------------------------------------------------------------------ */

struct closure {
	struct fileset *files;
	const char *top;
	const struct strvec *folders;
	struct strvec waiting; /* paths whose #include lines are to be read */
};

/* "a/../b//c" as "b/c"; NULL if that leaves the top. */
static char *normal_path(const char *path)
{
	cleanup_strvec struct strvec parts = STRVEC_INIT;
	cleanup_buf struct buf out = BUF_INIT(PATH_MAX);

	while (*path) {
		size_t len = strcspn(path, "/");
		cleanup_free char *part = xstrndup(path, len);

		path += len + (path[len] == '/');
		if (!len || str_eq(part, "."))
			continue;
		if (!str_eq(part, "..")) {
			strvec_push(&parts, part);
			continue;
		}
		if (!parts.n)
			return NULL;
		free(parts.v[--parts.n]);
		parts.v[parts.n] = NULL;
	}
	for (size_t i = 0; i < parts.n; i++)
		buf_addf(&out, "%s%s", i ? "/" : "", parts.v[i]);
	return buf_take(&out);
}

/* A regular file of the work tree, not through a link that leaves it. */
static bool is_ours(const char *top, const char *path)
{
	cleanup_free char *full = xasprintf("%s/%s", top, path);
	cleanup_free char *real = realpath(full, NULL);
	size_t len = strlen(top);
	struct stat st;

	return real && strncmp(real, top, len) == 0 && real[len] == '/' &&
	       path_is_safe(real + len + 1) && lstat(real, &st) == 0 &&
	       S_ISREG(st.st_mode) && (size_t)st.st_size <= SOURCE_LIMIT;
}

static struct error *add_file(struct closure *c, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(SOURCE_LIMIT);
	cleanup_free char *full = xasprintf("%s/%s", c->top, path);

	if (fileset_get(c->files, path) || !path_is_safe(path) ||
	    !is_ours(c->top, path))
		return NULL;
	TRY(file_read(&text, full));
	TRY(fileset_put(c->files, path, text.data, text.len, false));
	strvec_push(&c->waiting, path);
	return NULL;
}

static struct error *add_beside(struct closure *c, const char *folder,
				const char *name)
{
	cleanup_free char *joined = xasprintf("%s/%s", folder, name);
	cleanup_free char *path = normal_path(joined);

	return path ? add_file(c, path) : NULL;
}

/* All that the name may mean: which of them it does the compiler decides. */
static struct error *add_included(struct closure *c, const char *from,
				  const char *name)
{
	const char *slash = strrchr(from, '/');
	cleanup_free char *folder =
		xstrndup(from, slash ? (size_t)(slash - from) : 0);

	if (*name == '/')
		return NULL;
	TRY(add_beside(c, folder, name));
	for (size_t i = 0; i < c->folders->n; i++)
		TRY(add_beside(c, c->folders->v[i], name));
	return NULL;
}

/* The name in a line `# include "name"`; NULL: it is another line. */
static char *included_name(const char *line, const char *end)
{
	const char *close;
	size_t blanks = strspn(line, " \t");

	if (line[blanks] != '#')
		return NULL;
	line += blanks + 1;
	line += strspn(line, " \t");
	if (!starts_with(line, "include"))
		return NULL;
	line += strcspn(line, "\"<\n");
	if (line >= end || *line == '\n')
		return NULL;
	close = memchr(line + 1, *line == '<' ? '>' : '"',
		       (size_t)(end - line - 1));
	return close ? xstrndup(line + 1, (size_t)(close - line - 1)) : NULL;
}

static struct error *add_all_of(struct closure *c, const char *path)
{
	const struct file_entry *f = fileset_get(c->files, path);
	/* The set moves its files when one is added. */
	cleanup_free char *text = f ? xstrndup(f->data, f->len) : NULL;

	for (const char *s = text; s && *s;) {
		const char *end = strchrnul(s, '\n');
		cleanup_free char *name = included_name(s, end);

		if (name)
			TRY(add_included(c, path, name));
		s = *end ? end + 1 : end;
	}
	return NULL;
}

static void closure_release(struct closure *c)
{
	strvec_release(&c->waiting);
}
DEFINE_RELEASE(closure, struct closure, closure_release)
#define cleanup_closure CLEANUP(closure)

static struct error *gather_waiting(struct closure *c)
{
	for (size_t i = 0; i < c->waiting.n; i++) {
		cleanup_free char *next = xstrdup(c->waiting.v[i]);

		TRY(add_all_of(c, next));
	}
	return NULL;
}

static struct error *gather(struct fileset *files, const char *top,
			    const char *path, const struct compile_line *line)
{
	cleanup_closure struct closure c = {
		.files = files, .top = top, .folders = &line->folders};

	TRY(add_file(&c, path));
	if (!fileset_get(files, path))
		return error_new(ERROR_USAGE,
				 "init: %s is not a regular file of the work "
				 "tree, of at most %zu MiB",
				 path, SOURCE_LIMIT >> 20);
	return gather_waiting(&c);
}

/* ---- the compiler ----------------------------------------------------------------- */

/*
 * "$@" is the compiler with the project's flags, then the source. An object
 * with all functions, static ones too if the compiler can keep them, is read
 * where it was made.
 */
static const char read_script[] =
	"object=\"$TMPDIR/object.o\"\n"
	"command -v \"$1\" >/dev/null || exit 127\n"
	"\"$@\" -w -O0 -fno-lto -g -gdwarf-4 -fkeep-static-functions "
	"-c -o \"$object\" 2>/dev/null ||\n"
	"\"$@\" -w -O0 -fno-lto -g -gdwarf-4 -c -o \"$object\" || exit 1\n"
	"command -v readelf >/dev/null || exit 93\n"
	"readelf --wide --debug-dump=info --debug-dump=rawline \"$object\" "
	"2>/dev/null >&9 || exit 94\n"
	"\"$@\" -w -E >&8 2>/dev/null\n"
	"exit 0\n";

/* What is only warned of elsewhere would be wrong here: float instructions on
 * doubles. */
static const char accept_script[] =
	"exec \"$@\" -Werror=incompatible-pointer-types "
	"-Werror=int-conversion -Werror=implicit-function-declaration "
	"-fsyntax-only";

static struct error *first_sentence(const struct compile_line *line,
				    const char *path,
				    const struct process_result *r)
{
	const char *s = r->output.data;
	const char *error = strstr(s, "error:");

	/* From the beginning of the line that has the first error. */
	while (error && error > s && error[-1] != '\n')
		error--;
	if (error)
		s = error;
	return error_new(ERROR_TASK,
			 "%s does not compile by %s: %.*s: give the flags that "
			 "it needs after the file (avogit init %s -- -Iinclude "
			 "-DNAME=1), or a compile_commands.json above it",
			 path, line->compiler,
			 (int)MIN(strcspn(s, "\n"), (size_t)300), s, path);
}

static struct error *explain(const struct compile_line *line, const char *path,
			     const struct process_result *r)
{
	if (r->timed_out)
		return error_new(ERROR_TASK,
				 "%s: %s was still at work after %g s", path,
				 line->compiler, SECONDS);
	if (r->exit_code == 127)
		return error_new(ERROR_NOT_FOUND,
				 "no compiler %s in the sandbox (it must be in "
				 "/usr/bin): install gcc",
				 line->compiler);
	if (r->exit_code == NO_READELF)
		return error_new(ERROR_NOT_FOUND,
				 "no readelf in the sandbox: install binutils");
	if (r->exit_code == TOO_LARGE)
		return error_new(ERROR_TOO_BIG,
				 "%s: its debug information is larger than %zu "
				 "MiB",
				 path, DUMP_LIMIT >> 20);
	if (r->signal)
		return error_new(ERROR_TASK,
				 "%s: %s was ended by signal %d (%s)", path,
				 line->compiler, r->signal,
				 strsignal(r->signal));
	return first_sentence(line, path, r);
}

/* A header is compiled as a source, not kept for other sources. */
static void push_language(struct strvec *argv, enum language language,
			  const char *path)
{
	if (is_header(path))
		strvec_pushl(argv, "-x", language == LANGUAGE_CXX ? "c++" : "c",
			     NULL);
}

static struct error *run(struct process_result *r, const char *script,
			 int dump_fd, int text_fd,
			 const struct compile_line *line,
			 enum language language, const char *path,
			 const struct fileset *files)
{
	cleanup_sandbox struct sandbox *sandbox = NULL;
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct sandbox_spec spec = {
		.files = files,
		.limits = {.wall_seconds = SECONDS,
			   .cpu_seconds = (uint64_t)(2 * SECONDS),
			   .memory_bytes = MEMORY,
			   .file_bytes = DUMP_LIMIT,
			   .processes = 64,
			   .open_files = 256},
		.inherit = {{dump_fd, DUMP_FD}, {text_fd, TEXT_FD}},
		.n_inherit = dump_fd < 0 ? 0 : 2,
	};

	strvec_pushl(&argv, "sh", "-c", script, "sh", line->compiler, NULL);
	strvec_extend(&argv, &line->flags);
	push_language(&argv, language, path);
	strvec_pushf(&argv, "./%s", path);
	spec.argv = (const char *const *)argv.v;
	TRY(sandbox_probe(&sandbox));
	return sandbox_run(r, sandbox, &spec, LOG_LIMIT);
}

static bool succeeded(const struct process_result *r)
{
	return r->exit_code == 0 && !r->timed_out && !r->signal;
}

/* What a program in the sandbox wrote, as text; empty if it is too much. */
static struct error *read_back(struct buf *out, int fd)
{
	cleanup_buf struct buf raw = BUF_INIT(out->limit);
	struct stat st;

	if (fstat(fd, &st) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return error_errno("what the compiler wrote");
	if ((size_t)st.st_size >= out->limit)
		return NULL;
	TRY(file_read_fd(&raw, fd, "what the compiler wrote"));
	buf_add_text(out, raw.data, raw.len);
	return NULL;
}

/* By the marks of the preprocessor: # 1 "./include/k.h" */
static void note_included(struct compiled *c, const char *path,
			  const struct fileset *files)
{
	for (const char *s = c->text.data; *s;) {
		const char *end = strchrnul(s, '\n');
		const char *quote = starts_with(s, "# ")
					    ? memchr(s, '"', (size_t)(end - s))
					    : NULL;
		cleanup_free char *name =
			quote ? xstrndup(quote + 1, strcspn(quote + 1, "\"\n"))
			      : NULL;
		cleanup_free char *file = name ? normal_path(name) : NULL;

		if (file && !str_eq(file, path) && fileset_get(files, file) &&
		    !strvec_has(&c->included, file))
			strvec_push(&c->included, file);
		s = *end ? end + 1 : end;
	}
	strvec_sort(&c->included);
}

/* "int ns::f<float>(const float *x)" is the type "int", the name
 * "ns::f<float>", and what is called. */
static void add_wanted(struct buf *out, const char *entry)
{
	const char *parameters = strchr(entry, '('), *name;
	size_t depth = 0;

	if (!parameters) {
		buf_addf(out, "&%s", entry);
		return;
	}
	for (name = parameters; name > entry; name--) {
		depth += name[-1] == '>' ? 1 : 0;
		depth -= name[-1] == '<' && depth ? 1 : 0;
		if (!depth && isspace((unsigned char)name[-1]))
			break;
	}
	if (name > entry)
		buf_addf(out, "static_cast<%.*s (*)%s>(", (int)(name - entry),
			 entry, parameters);
	buf_addf(out, "&%.*s%s", (int)(parameters - name), name,
		 name > entry ? ")" : "");
}

/* A line that has the compiler make the function, though nothing calls it. */
static struct error *add_use(struct fileset *files, const char *path,
			     enum language language, const char *entry)
{
	cleanup_buf struct buf text = BUF_INIT(SOURCE_LIMIT + 4096);
	const struct file_entry *f = fileset_get(files, path);

	buf_add(&text, f->data, f->len);
	buf_adds(&text, "\n__attribute__((used)) static ");
	if (language == LANGUAGE_CXX) {
		buf_adds(&text, "auto *const avogit_use = ");
		add_wanted(&text, entry);
	} else {
		buf_addf(&text, "void *const avogit_use = (void *)%s", entry);
	}
	buf_adds(&text, ";\n");
	return fileset_put(files, path, text.data, text.len, false);
}

struct error *compile_read(struct compiled *out, enum language language,
			   const struct compile_line *line, const char *top,
			   const char *path, const char *use)
{
	cleanup_compiled struct compiled c = {.text = BUF_INIT(TEXT_LIMIT)};
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_buf struct buf dump = BUF_INIT(DUMP_LIMIT);
	cleanup_process_result struct process_result r = {0};
	cleanup_fd int dump_fd = memfd_create("dump", MFD_CLOEXEC);
	cleanup_fd int text_fd = memfd_create("text", MFD_CLOEXEC);

	if (dump_fd < 0 || text_fd < 0)
		return error_errno("memfd");
	TRY(gather(&files, top, path, line));
	if (use)
		TRY(add_use(&files, path, language, use));
	TRY(run(&r, read_script, dump_fd, text_fd, line, language, path,
		&files));
	if (!succeeded(&r))
		return explain(line, path, &r);
	TRY(read_back(&dump, dump_fd));
	TRY(read_back(&c.text, text_fd));
	debug_info_read(&c.functions, language, dump.data, path);
	note_included(&c, path, &files);
	*out = c;
	c = (struct compiled){.text = BUF_INIT(0)};
	return NULL;
}

struct error *compile_accepts(bool *out, const struct compile_line *line,
			      const char *top, const char *path,
			      const struct buf *text)
{
	cleanup_process_result struct process_result r = {0};
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_closure struct closure c = {
		.files = &files, .top = top, .folders = &line->folders};

	TRY(fileset_put(&files, path, text->data, text->len, false));
	strvec_push(&c.waiting, path);
	TRY(gather_waiting(&c));
	TRY(run(&r, accept_script, -1, -1, line, LANGUAGE_C, path, &files));
	*out = succeeded(&r);
	return NULL;
}
