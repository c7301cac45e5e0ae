#include "scorer/build/build.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/demangle.h"
#include "core/base/file.h"
#include "scorer/build/internal.h"
#include "scorer/device/machine.h"

/* The descriptor of the memfd that the script below writes the object to. */
#define OBJECT_FD 9

/* The compiler is "$@"; a linker needs a file that it can seek in and replace,
 * so the object is copied to the descriptor afterwards. */
static const char script[] =
	"\"$@\" -o \"$TMPDIR/object.so\" && exec cat \"$TMPDIR/object.so\" >&9";
/* C++: files in C among the sources are compiled as C, without the standard of
 * C++. Paths and flags hold no newline. */
static const char cxx_script[] =
	"set -f\n"
	"IFS='\n'\n"
	"cxx=$1 flags= n=0\n"
	"for word do\n"
	"	shift\n"
	"	case $word in\n"
	"	-std=*++*) ;;\n"
	"	-*) flags=\"$flags$IFS$word\" ;;\n"
	"	./*.c)\n"
	"		n=$((n + 1))\n"
	"		\"$cxx\" $flags -x c -c -o \"$TMPDIR/$n.o\" \"$word\" "
	"|| exit\n"
	"		word=$TMPDIR/$n.o ;;\n"
	"	esac\n"
	"	set -- \"$@\" \"$word\"\n"
	"done\n"
	"\"$@\" -o \"$TMPDIR/object.so\" && exec cat \"$TMPDIR/object.so\" >&9";
#define IN_A_COPY                                \
	"mkdir \"$TMPDIR/" BUILD_COPY "\" && "   \
	"cp -R . \"$TMPDIR/" BUILD_COPY "\" && " \
	"cd \"$TMPDIR/" BUILD_COPY "\" && "
/* A task's own command: its folder, its object, then the words. It works in a
 * copy of the files, where it may write anything. */
static const char own_script[] = IN_A_COPY
	"mkdir -p \"$1\" && cd \"$1\" && object=$2 && "
	"shift 2 && \"$@\" || exit; [ -e \"$object\" ] || { "
	"echo \"error: build.command left no file $object\"; exit 1; }; "
	"exec cat \"$object\" >&9";
/* What makes files before the compiler: one of the scripts above, the task's
 * folder, the words for a shell, then the compiler's. */
static const char generate_script[] = IN_A_COPY
	"compile=$1 folder=$2 words=$3 && shift 3 && "
	"(mkdir -p \"$folder\" && cd \"$folder\" && eval \"$words\") "
	"&& eval \"$compile\"";

/* Templates, a device compiler besides the host's, and a project's own build need
 * much. */
#define CUDA_MEMORY ((uint64_t)16 << 30)
#define C_MEMORY    ((uint64_t)4 << 30)

struct process_limits build_limits(enum language language, double seconds)
{
	bool cuda = language == LANGUAGE_CUDA;

	return (struct process_limits){
		.wall_seconds = seconds,
		.cpu_seconds = (uint64_t)(2 * seconds) + 1,
		.memory_bytes = cuda ? CUDA_MEMORY : C_MEMORY,
		.file_bytes = BUILD_OBJECT_LIMIT,
		.processes = cuda ? 256 : 64,
		.open_files = 256,
	};
}

void build_release(struct build *b)
{
	cleanup_fd_fn(&b->object_fd);
	free(b->flags);
	free(b->log);
	free(b->first_error);
	for (size_t i = 0; i < b->n_cubins; i++)
		close(b->cubin_fd[i]);
	free(b->cubin_fd);
	resources_release(&b->resources);
	fileset_release(&b->files);
	strvec_release(&b->sources);
	strvec_release(&b->libraries);
	*b = (struct build)BUILD_INIT;
}

void build_fail(struct build *b, const char *why)
{
	cleanup_fd_fn(&b->object_fd);
	resources_release(&b->resources);
	free(b->log);
	b->ok = false;
	b->log = xstrdup(why);
	b->first_error = xstrdup(why);
}

/* The compiler's version line, from a run in the sandbox; free() disposes.
 * ERROR_NOT_FOUND if it is missing. */
static struct error *compiler_version(char **out, const struct sandbox *sandbox,
				      const char *compiler)
{
	/* A shell has its own exit code for a missing program. */
	const char *const argv[] = {"sh",     "-c",	   "exec \"$@\"", "sh",
				    compiler, "--version", NULL};
	const struct sandbox_spec spec = {
		.argv = argv,
		.limits = build_limits(LANGUAGE_C, BUILD_VERSION_SECONDS),
	};
	cleanup_process_result struct process_result r = {0};
	size_t line;

	TRY(error_wrap(sandbox_run(&r, sandbox, &spec, BUILD_LOG_LIMIT),
		       "compiler %s", compiler));
	line = strcspn(r.output.data, "\n");
	if (r.exit_code != 0 || line == 0)
		return error_new(ERROR_NOT_FOUND,
				 "compiler %s does not run in the sandbox "
				 "(it must be in /usr/bin): install gcc, or "
				 "name another in the task",
				 compiler);
	*out = xstrndup(r.output.data, line);
	return NULL;
}

void builder_stop_at(struct builder *b, const volatile int *stop_now)
{
	b->stop_now = stop_now;
}

void builder_knows(struct builder *b, const struct fileset *base)
{
	b->base = base;
}

static struct error *find_libraries(struct builder *b)
{
	TRY(libraries_open(&b->libraries, b->task));
	for (size_t i = 0; b->toolkit.folder[i]; i++)
		strvec_push(&b->run_folders, b->toolkit.folder[i]);
	strvec_extend(&b->run_folders, &b->libraries.paths);
	b->compile_folders = b->toolkit.folder;
	return NULL;
}

struct error *builder_new(struct builder **out, const struct task *task,
			  const struct sandbox *sandbox, const char *cache_dir,
			  const struct gpus *gpus)
{
	cleanup_builder struct builder *b = xcalloc(1, sizeof *b);

	b->task = task;
	b->sandbox = sandbox;
	if (task->language == LANGUAGE_CUDA && task_compiles(task))
		TRY(build_cuda_open(b, gpus));
	else if (task_is_reported(task) || task->language == LANGUAGE_CUDA)
		b->compiler = xstrdup(""); /* none, or the task's own */
	else
		TRY(compiler_version(&b->compiler, sandbox, task->compiler));
	if (task->language == LANGUAGE_RUNNER && !task->python)
		TRY(build_runner_open(b));
	if (task_uses_python(task))
		TRY(build_python_open(b));
	TRY(find_libraries(b));
	b->features = machine_features();
	if (cache_dir) {
		b->cache_dir = xasprintf("%s/build", cache_dir);
		/* A full or read-only disk costs time, not the result. */
		error_free(dir_make(b->cache_dir));
	}
	*out = steal(&b);
	return NULL;
}

const char *builder_compiler(const struct builder *b)
{
	return b->compiler;
}

const char *builder_arch(const struct builder *b)
{
	return b->arch;
}

const char *const *builder_folders(const struct builder *b)
{
	return (const char *const *)b->run_folders.v;
}

const char *builder_libraries(const struct builder *b, size_t i)
{
	return b->libraries.said.v[i];
}

void builder_free(struct builder *b)
{
	if (!b)
		return;
	free(b->compiler);
	free(b->features);
	free(b->cache_dir);
	free(b->arch);
	toolkit_release(&b->toolkit);
	libraries_release(&b->libraries);
	strvec_release(&b->run_folders);
	runner_command_release(&b->runner);
	runner_command_release(&b->python);
	free(b);
}

/* Hashes all that determines the object; with -march=native that includes the
 * machine. */
static void compute_key(char key[HASH_HEX_LEN + 1], const struct builder *b,
			bool own, const struct strvec *command,
			const struct fileset *files)
{
	char id[FILESET_ID_LEN + 1];
	struct hash *h = hash_new();

	hash_adds(h, "object 2");
	hash_adds(h, b->compiler);
	hash_adds(h, b->features);
	for (size_t i = 0; i < command->n; i++)
		hash_adds(h, command->v[i]);
	hash_adds(h, own && b->arch ? b->arch : "");
	for (size_t i = 0; i < b->task->project.generate.n; i++)
		hash_adds(h, b->task->project.generate.v[i]);
	fileset_id(id, files);
	hash_adds(h, id);
	if (b->linked)
		hash_adds(h, b->linked);
	hash_finish(key, h);
}

static struct error *seal(int fd)
{
	int all = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

	if (fcntl(fd, F_ADD_SEALS, all) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return error_errno("cannot seal the object");
	return NULL;
}

/* Words that a shell reads as they are. free() disposes. */
static char *quoted(const struct strvec *words)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < words->n; i++) {
		buf_adds(&out, i ? " " : "");
		buf_add_quoted(&out, words->v[i]);
	}
	return buf_take(&out);
}

/* The script of `sh -c`, its name, and the words before the command's. */
static void push_script(struct strvec *argv, const struct task *t,
			const char *how, bool own)
{
	cleanup_free char *words = quoted(&t->project.generate);

	if (own || !t->project.generate.n) {
		strvec_pushl(argv, how, "sh", NULL);
		return;
	}
	strvec_pushl(argv, generate_script, "sh", how, NULL);
	strvec_pushf(argv, "./%s", t->prefix);
	strvec_push(argv, words);
}

static struct error *compile(struct process_result *out, int object_fd,
			     const struct builder *b, bool own,
			     const struct strvec *command,
			     const struct fileset *files)
{
	enum language language = b->task->language;
	const char *how = own			      ? own_script
			  : language == LANGUAGE_CUDA ? build_cuda_script
			  : language == LANGUAGE_CXX  ? cxx_script
						      : script;
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	struct sandbox_spec spec = {
		.files = files,
		.limits = build_limits(own || b->task->project.generate.n
					       ? LANGUAGE_CUDA
					       : language,
				       b->task->build_seconds),
		.folders = b->compile_folders,
		.inherit = {{object_fd, OBJECT_FD}},
		.n_inherit = 1,
	};

	if (language == LANGUAGE_CUDA)
		build_cuda_environment(&argv, b);
	strvec_pushl(&argv, "sh", "-c", NULL);
	push_script(&argv, b->task, how, own);
	strvec_extend(&argv, command);
	spec.argv = (const char *const *)argv.v;
	spec.stop_now = b->stop_now;
	return sandbox_run(out, b->sandbox, &spec, BUILD_LOG_LIMIT);
}

/* One sentence on why there is no object; NULL if there is one. */
static char *why_not(const struct builder *b, const struct process_result *r,
		     const char *log, off_t object_bytes)
{
	if (r->timed_out)
		return xasprintf("the compiler was still running after %g s",
				 b->task->build_seconds);
	if (r->signal)
		return xasprintf("the compiler was ended by signal %d (%s)",
				 r->signal, strsignal(r->signal));
	if (r->exit_code != 0 && *log)
		return build_first_error(log);
	if (r->exit_code != 0)
		return xasprintf("the compiler ended with %d and no message",
				 r->exit_code);
	if (object_bytes <= 0)
		return xstrdup("the compiler made no object");
	if ((size_t)object_bytes >= BUILD_OBJECT_LIMIT)
		return xasprintf("the object is larger than %zu MiB",
				 BUILD_OBJECT_LIMIT >> 20);
	return NULL;
}

static struct error *compile_fresh(struct build *out, const struct builder *b,
				   bool own, const struct strvec *command,
				   const struct fileset *files)
{
	cleanup_process_result struct process_result r = {0};
	cleanup_fd int fd =
		memfd_create("object", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct stat st;

	if (fd < 0)
		return error_errno("memfd");
	TRY(compile(&r, fd, b, own, command, files));
	if (fstat(fd, &st) < 0)
		return error_errno("cannot read the object");
	out->log = build_clean_log(&r.output);
	out->first_error = why_not(b, &r, out->log, st.st_size);
	out->ok = !out->first_error;
	if (!out->ok)
		return NULL;
	TRY(seal(fd));
	out->object_fd = steal_fd(&fd);
	/* A cache that cannot be written costs time, not the result. */
	if (b->cache_dir)
		error_free(build_cache_store(b->cache_dir, out->key,
					     out->object_fd, out->log));
	return NULL;
}

struct error *build_command(struct build *out, const struct builder *b,
			    bool own, const struct strvec *command,
			    const struct fileset *files)
{
	cleanup_build struct build built = BUILD_INIT;
	double begin = clock_seconds();

	compute_key(built.key, b, own, command, files);
	if (b->cache_dir && build_cache_load(&built.object_fd, &built.log,
					     b->cache_dir, built.key))
		built.ok = built.cached = true;
	else
		TRY(compile_fresh(&built, b, own, command, files));
	if (built.ok && b->task->language == LANGUAGE_CUDA)
		TRY(build_cuda_examine(&built, b));
	else if (!built.ok && b->task->language == LANGUAGE_CUDA)
		TRY(build_ptx_locate(&built, b, command, files));
	if (built.first_error) {
		cleanup_free char *mangled = steal(&built.first_error);

		built.first_error = demangle_text(mangled);
	}
	built.seconds = clock_seconds() - begin;
	built.flags = steal(&out->flags);
	*out = built;
	built = (struct build)BUILD_INIT;
	return NULL;
}
