/* Candidates and trusted code in CUDA: nvcc's command lines, and the cubins and
 * resources of what it built. */
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "scorer/build/internal.h"
#include "scorer/build/cubin.h"
#include "scorer/device/gpu.h"

#define VERSION_MARK "Cuda compilation tools"

/* ---- what there is ----------------------------------------------------- */

static char *choose_arch(const struct task *t, const struct gpus *gpus)
{
	char arch[GPU_ARCH_SIZE] = BUILD_ARCH_DEFAULT;

	if (t->cuda.arch)
		return xstrdup(t->cuda.arch);
	if (gpus && gpus->n)
		gpu_arch(arch, &gpus->gpu[0]);
	return xstrdup(arch);
}

struct error *build_cuda_open(struct builder *b, const struct gpus *gpus)
{
	TRY(toolkit_find(&b->toolkit));
	b->arch = choose_arch(b->task, gpus);
	return compiler_version_cuda(&b->compiler, b->sandbox, &b->toolkit);
}

/* "nvcc 13.0.88" out of "Cuda compilation tools, release 13.0, V13.0.88". */
static char *short_version(const char *text)
{
	const char *line = strstr(text, VERSION_MARK);
	const char *v = line ? strstr(line, ", V") : NULL;

	return v ? xasprintf("nvcc %.*s", (int)strcspn(v + 3, "\n"), v + 3)
		 : NULL;
}

/* Bubblewrap's /tmp is the sandbox's own. */
static struct error *check_folders(const struct sandbox *sandbox,
				   const struct toolkit *t)
{
	if (sandbox_level(sandbox) != SANDBOX_BWRAP)
		return NULL;
	for (size_t i = 0; t->folder[i]; i++)
		if (starts_with(t->folder[i], "/tmp/"))
			return error_new(
				ERROR_NOT_FOUND,
				"%s, which %s names, cannot be shown in the "
				"sandbox, whose /tmp is its own: put it "
				"elsewhere",
				t->folder[i],
				t->folder[i] == t->root
					? "CUDA_HOME or PATH"
					: "AVOGIT_LIBRARY_PATH");
	return NULL;
}

struct error *compiler_version_cuda(char **out, const struct sandbox *sandbox,
				    const struct toolkit *toolkit)
{
	/* gcc too, since nvcc compiles host code with it. */
	const char *const argv[] = {
		"sh", "-c",	     "\"$1\" --version && gcc --version",
		"sh", toolkit->nvcc, NULL};
	const struct sandbox_spec spec = {
		.argv = argv,
		.limits = build_limits(LANGUAGE_CUDA, BUILD_VERSION_SECONDS),
		.folders = toolkit->folder,
	};
	cleanup_process_result struct process_result r = {0};
	cleanup_free char *version = NULL;
	const char *gcc;

	TRY(check_folders(sandbox, toolkit));
	TRY(error_wrap(sandbox_run(&r, sandbox, &spec, BUILD_LOG_LIMIT),
		       "compiler %s", toolkit->nvcc));
	version = short_version(r.output.data);
	gcc = strstr(r.output.data, "\ngcc");
	if (r.exit_code != 0 || !version || !gcc)
		return error_new(ERROR_NOT_FOUND,
				 "%s, or the gcc that it needs, does not run "
				 "in the sandbox: %.*s",
				 toolkit->nvcc,
				 (int)MIN(strcspn(r.output.data, "\n"), 200),
				 r.output.data);
	*out = xasprintf("%s, %.*s", version, (int)strcspn(gcc + 1, "\n"),
			 gcc + 1);
	return NULL;
}

/* nvcc is "$@". It does not link PTX into a shared object, so every PTX file is
 * first compiled to a file for the device's linker. */
const char build_cuda_script[] =
	"nvcc=$1 arch= n=0\n"
	"for word do\n"
	"	shift\n"
	"	case $word in\n"
	"	-gencode=*) arch=\"$arch $word\" ;;\n"
	"	./*.ptx)\n"
	"		n=$((n + 1))\n"
	"		\"$nvcc\" -dc $arch -Xcompiler=-fPIC -Xptxas=-v "
	"-no-compress "
	"-o \"$TMPDIR/$n.o\" \"$word\" || exit\n"
	"		word=$TMPDIR/$n.o ;;\n"
	"	esac\n"
	"	set -- \"$@\" \"$word\"\n"
	"done\n"
	"\"$@\" -o \"$TMPDIR/object.so\" && exec cat \"$TMPDIR/object.so\" >&9";

/* ---- command lines ----------------------------------------------------- */

/* Real code, no PTX: the code that runs is the code that was examined. */
static void add_arch(struct strvec *command, const char *arch)
{
	strvec_pushf(command, "-gencode=arch=compute_%s,code=%s", arch + 3,
		     arch);
}

static void add_archs(struct strvec *command, const struct builder *b)
{
	const struct strvec *also = &b->task->cuda.also;

	add_arch(command, b->arch);
	for (size_t i = 0; i < also->n; i++)
		if (!arch_same_number(also->v[i], b->arch))
			add_arch(command, also->v[i]);
}

static void add_flags(struct strvec *command, const struct strvec *flags)
{
	for (size_t i = 0; i < flags->n; i++)
		if (!flag_is_library(flags->v[i]))
			strvec_push(command, flags->v[i]);
}

static void add_libraries(struct strvec *command, const struct toolkit *t,
			  const struct strvec *libraries)
{
	if (libraries)
		strvec_extend(command, libraries);
	/* Also for libraries that it opens by name at run time. */
	for (size_t i = 0; i < t->libraries.n; i++) {
		strvec_pushf(command, "-L%s", t->libraries.v[i]);
		strvec_pushf(command, "-Xlinker=-rpath,%s", t->libraries.v[i]);
	}
}

/* "nvcc 13.0.88, gcc ...": from 11.2 on it takes --threads. */
static bool takes_threads(const char *compiler)
{
	char *end = NULL;
	unsigned long major;

	if (strncmp(compiler, "nvcc ", 5) != 0)
		return false;
	major = strtoul(compiler + 5, &end, 10);
	return major > 11 ||
	       (major == 11 && *end == '.' && strtoul(end + 1, NULL, 10) >= 2);
}

/* nvcc reads the headers for the host and for the card, one after the other: side by
 * side they take a twelfth less of a small kernel's build, and the same code comes
 * out. Of one file for one architecture it does nothing else so, and what ptxas says
 * stays in order. */
static void add_threads(struct strvec *command, const struct builder *b,
			size_t n_sources)
{
	if (n_sources == 1 && !b->task->cuda.also.n &&
	    takes_threads(b->compiler))
		strvec_push(command, "--threads=2");
}

void build_cuda_command(struct strvec *command, const struct builder *b,
			const struct strvec *flags,
			const struct strvec *sources,
			const struct strvec *libraries)
{
	const struct task *t = b->task;

	strvec_pushl(command, b->toolkit.nvcc, "-shared", "-Xcompiler=-fPIC",
		     "-cudart=static", "-no-compress", "-Xptxas=-v", NULL);
	add_threads(command, b, sources->n);
	add_archs(command, b);
	if (t->cuda.rdc)
		strvec_pushl(command, "-rdc=true", "-Xnvlink=-v", NULL);
	build_add_includes(command, t);
	add_flags(command, &t->flags);
	add_flags(command, flags);
	for (size_t i = 0; i < sources->n; i++)
		strvec_pushf(command, "./%s", sources->v[i]);
	add_libraries(command, &b->toolkit, libraries);
	strvec_pushl(command, "-lm", "-Xlinker=-z,now,-z,defs", NULL);
}

void build_cuda_program(struct strvec *command, const struct builder *b,
			const char *source)
{
	strvec_pushl(command, b->toolkit.nvcc, "-cudart=static", "-no-compress",
		     "-Xptxas=-v", NULL);
	add_threads(command, b, 1);
	add_arch(command, b->arch);
	add_flags(command, &b->task->flags);
	strvec_pushf(command, "./%s", source);
	add_libraries(command, &b->toolkit, NULL);
	strvec_push(command, "-lm");
}

void build_cuda_environment(struct strvec *argv, const struct builder *b)
{
	const char *root = b->toolkit.root;

	strvec_push(argv, "env");
	strvec_pushf(argv, "PATH=%s/bin:/usr/bin:/bin", root);
	strvec_pushf(argv, "CUDA_HOME=%s", root);
	if (!b->task->project.object)
		return;
	/* NVCC_APPEND_FLAGS reaches nvcc wherever the command calls it; CMake
	 * reads the other variables. */
	strvec_push(argv, "NVCC_APPEND_FLAGS=-Xptxas -v -no-compress");
	strvec_pushf(argv, "CUDACXX=%s/bin/nvcc", root);
	strvec_pushf(argv, "CUDAARCHS=%s-real", b->arch + 3);
	strvec_pushf(argv, "AVOGIT_ARCH=%s", b->arch);
}

/* ---- what came out ----------------------------------------------------- */

static struct error *keep_cubins(struct build *out, const char *object,
				 const struct cubin *cubin, size_t n)
{
	struct hash *h = hash_new();

	out->cubin_fd = xcalloc(n, sizeof *out->cubin_fd);
	for (size_t i = 0; i < n; i++) {
		const char *data = object + cubin[i].offset;
		struct error *err = memfd_with(&out->cubin_fd[i], "cubin", data,
					       cubin[i].len, true);

		hash_adds(h, "cubin");
		hash_add(h, data, cubin[i].len);
		if (err) {
			hash_finish(out->cubins_id, h);
			return err;
		}
		out->n_cubins++;
	}
	hash_finish(out->cubins_id, h);
	return NULL;
}

struct error *build_cuda_examine(struct build *out, const struct builder *b)
{
	cleanup_free char *object = NULL;
	cleanup_error struct error *err = NULL;
	struct cubin cubin[CUBIN_MAX];
	struct stat st;
	size_t n = 0;

	if (fstat(out->object_fd, &st) < 0)
		return error_errno("cannot read the object");
	object = xcalloc((size_t)st.st_size, 1);
	if (pread(out->object_fd, object, (size_t)st.st_size, 0) != st.st_size)
		return error_new(ERROR_SYSTEM, "cannot read the object");
	err = cubins_find(cubin, &n, object, (size_t)st.st_size, b->arch);
	if (err) {
		build_fail(out, error_message(err));
		return NULL;
	}
	build_resources(&out->resources, out->log, b->arch);
	return n ? keep_cubins(out, object, cubin, n) : NULL;
}
