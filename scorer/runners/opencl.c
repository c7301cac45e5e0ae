/*
 * avogit-runner-opencl: candidates in OpenCL C, on the machine's CPUs (PoCL).
 *
 * A kernel has the task's arguments in the task's order: tensors and workspaces are
 * global pointers to the scorer's own memory, integers and floats come by value. It
 * says its work-group's size by __attribute__((reqd_work_group_size(X, Y, Z))), and
 * how many work-groups there are by a comment (geometry.h).
 */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>

#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "scorer/runners/geometry.h"
#include "scorer/runners/runner.h"

#define SOURCE_BYTES ((size_t)4 << 20)
#define MAX_KERNELS  16

/* The one that the process has. */
static struct {
	struct geometry geometry;
	struct buf source;
	char *cache; /* where PoCL keeps what it compiles */
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_program program;
	cl_command_queue queue;
	struct {
		cl_kernel kernel;
		size_t local[3], global[3];
	} launch[MAX_KERNELS]; /* as many as lines of the geometry */
	cl_mem *buffer; /* [image * arguments + argument]; NULL: a value */
	size_t n_buffers;
} ocl;

static struct error *failed(const char *what, cl_int rc)
{
	return error_new(ERROR_SYSTEM, "OpenCL: %s gives error %d", what,
			 (int)rc);
}
#define CALL(what, expression)                    \
	do {                                      \
		cl_int rc_ = (expression);        \
		if (rc_ != CL_SUCCESS)            \
			return failed(what, rc_); \
	} while (0)

/*
 * PoCL makes machine code of a kernel at its first launch with a size of
 * work-group, loads it and calls it, and it starts a linker for that, which the
 * filter of system calls forbids. So a child without the filter does such a launch,
 * and PoCL keeps the object in its cache. Nothing of a candidate may run there, not
 * even a constructor: instead of what PoCL loads there it gets a function that does
 * nothing. (It finds these two by name before those of the C library.)
 */
static bool only_compiles;
static unsigned loads_refused;

static void do_nothing(void)
{
}

#define OURS __attribute__((visibility("default")))

OURS void *dlopen(const char *path, int mode)
{
	if (only_compiles && path && starts_with(path, ocl.cache)) {
		loads_refused++;
		return &loads_refused;
	}
	return dlmopen(LM_ID_BASE, path, mode);
}

OURS void *dlsym(void *handle, const char *name)
{
	static const char *const version[] = {"GLIBC_2.34", "GLIBC_2.17",
					      "GLIBC_2.2.5"};
	static void *(*next)(void *, const char *);

	for (size_t i = 0; !next && i < ARRAY_SIZE(version); i++)
		*(void **)&next = dlvsym(RTLD_NEXT, "dlsym", version[i]);
	if (handle == &loads_refused) {
		void (*none)(void) = do_nothing;

		return *(void **)&none;
	}
	return next ? next(handle, name) : NULL;
}

/* The cache ends with the process, and the filter does not have it. */
OURS int fdatasync(int fd)
{
	(void)fd;
	return 0;
}

/* PoCL does not expect that the machine's list of CPUs cannot be read. */
OURS FILE *fopen(const char *path, const char *mode)
{
	FILE *f = fopen64(path, mode);

	return f || !str_eq(path, "/proc/cpuinfo") ? f
						   : fopen64("/dev/null", mode);
}

/* The sandbox shows no /sys, without which PoCL does not start: so it is told of CPUs
 * that have caches of a common size. They decide how large local memory may be. */
static void describe_machine(int64_t threads)
{
	cleanup_free char *text = xasprintf(
		"numanode:1(memory=%lld) l3:1(size=16777216) "
		"l2:%lld(size=1048576) core:1 pu:1",
		(long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE),
		(long long)threads);

	setenv("HWLOC_SYNTHETIC", text, 1);
}

/* Where the machine's list of implementations is not visible, PoCL by name. */
static void choose_device(int64_t threads)
{
	cleanup_free char *count = xasprintf("%lld", (long long)threads);
	const char *tmp = getenv("TMPDIR");

	ocl.cache = xasprintf("%s/pocl", tmp ? tmp : "/tmp");
	describe_machine(threads);
	setenv("POCL_CACHE_DIR", ocl.cache, 1);
	/* This one starts no thread; the other keeps a pool of them. */
	setenv("POCL_DEVICES", threads > 1 ? "pthread" : "basic", 1);
	setenv("POCL_MAX_PTHREAD_COUNT", count, 1);
	if (access("/etc/OpenCL/vendors", R_OK) < 0)
		setenv("OCL_ICD_VENDORS", "libpocl.so.2", 1);
}

static struct error *open_device(void)
{
	cl_uint n = 0;
	cl_int rc;

	if (clGetPlatformIDs(1, &ocl.platform, &n) != CL_SUCCESS || !n)
		return error_new(ERROR_NOT_FOUND,
				 "this machine has no OpenCL: install PoCL "
				 "(Debian: pocl-opencl-icd)");
	rc = clGetDeviceIDs(ocl.platform, CL_DEVICE_TYPE_CPU, 1, &ocl.device,
			    &n);
	if (rc != CL_SUCCESS || !n)
		return error_new(ERROR_NOT_FOUND,
				 "OpenCL has no device that is a CPU: install "
				 "PoCL (Debian: pocl-opencl-icd)");
	ocl.context = clCreateContext(NULL, 1, &ocl.device, NULL, NULL, &rc);
	CALL("clCreateContext", rc);
	ocl.queue = clCreateCommandQueue(ocl.context, ocl.device, 0, &rc);
	CALL("clCreateCommandQueue", rc);
	return NULL;
}

/* Is it a kernel that prepares, and so no part of a launch? */
static bool is_prepare(const struct candidate *c, size_t i)
{
	return c->prepare && str_eq(ocl.geometry.line[i].kernel, c->prepare);
}

/* Both kinds of kernel must be there. */
static struct error *check_lines(const struct candidate *c)
{
	size_t n = 0;

	for (size_t i = 0; i < ocl.geometry.n; i++)
		n += is_prepare(c, i);
	if (c->prepare && !n)
		return error_new(ERROR_TASK,
				 "the source does not say how many work-groups "
				 "prepare: write `// avogit-launch: %s "
				 "groups=(N)`",
				 c->prepare);
	if (n == ocl.geometry.n)
		return error_new(ERROR_TASK,
				 "the source says of `%s` alone how many "
				 "work-groups are launched: write "
				 "`// avogit-launch: groups=(N)` too",
				 c->prepare);
	return NULL;
}

/* All as one text, with the compiler's words naming the file. */
static struct error *read_sources(const struct candidate *c)
{
	buf_init(&ocl.source, SOURCE_BYTES);
	for (size_t i = 0; i < c->sources.n; i++) {
		const char *path = c->sources.v[i];
		cleanup_buf struct buf text = BUF_INIT(SOURCE_BYTES);

		if (!ends_with(path, ".cl"))
			continue;
		TRY(file_read(&text, path));
		TRY(geometry_read(&ocl.geometry, text.data, path));
		buf_addf(&ocl.source, "#line 1 \"%s\"\n", path);
		buf_adds(&ocl.source, text.data);
		buf_addc(&ocl.source, '\n');
	}
	if (!ocl.source.len)
		return error_new(ERROR_TASK,
				 "no source of this candidate ends in .cl");
	if (!ocl.geometry.n || ocl.geometry.n > MAX_KERNELS)
		return error_new(ERROR_TASK,
				 "the source does not say how many work-groups "
				 "are launched: write "
				 "`// avogit-launch: groups=(N)` for each "
				 "kernel, of which there may be %d",
				 MAX_KERNELS);
	return check_lines(c);
}

static void add_build_log(struct buf *log)
{
	cleanup_free char *text = NULL;
	size_t bytes = 0;

	clGetProgramBuildInfo(ocl.program, ocl.device, CL_PROGRAM_BUILD_LOG, 0,
			      NULL, &bytes);
	text = xcalloc(bytes + 1, 1);
	clGetProgramBuildInfo(ocl.program, ocl.device, CL_PROGRAM_BUILD_LOG,
			      bytes, text, NULL);
	buf_adds(log, text);
}

static struct error *build_source(struct candidate *c)
{
	const char *text = ocl.source.data;
	cl_int rc;

	ocl.program = clCreateProgramWithSource(ocl.context, 1, &text,
						&ocl.source.len, &rc);
	CALL("clCreateProgramWithSource", rc);
	rc = clBuildProgram(ocl.program, 1, &ocl.device, "-I .", NULL, NULL);
	if (rc == CL_SUCCESS)
		return NULL;
	add_build_log(&c->log);
	return error_new(ERROR_TASK, "the OpenCL compiler refuses the source");
}

static struct error *make_kernel(const struct candidate *c, size_t i)
{
	const char *named = ocl.geometry.line[i].kernel;
	const char *name = *named ? named : c->entry;
	size_t *local = ocl.launch[i].local;
	cl_int rc;

	ocl.launch[i].kernel = clCreateKernel(ocl.program, name, &rc);
	if (rc == CL_INVALID_KERNEL_NAME)
		return error_new(ERROR_TASK, "no kernel in the source is '%s'",
				 name);
	CALL("clCreateKernel", rc);
	CALL("clGetKernelWorkGroupInfo",
	     clGetKernelWorkGroupInfo(ocl.launch[i].kernel, ocl.device,
				      CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
				      3 * sizeof *local, local, NULL));
	if (!local[0])
		return error_new(ERROR_TASK,
				 "the kernel '%s' does not say the size of its "
				 "work-groups: give it __attribute__(("
				 "reqd_work_group_size(X, Y, Z)))",
				 name);
	return NULL;
}

static struct error *make_kernels(const struct candidate *c)
{
	for (size_t i = 0; i < ocl.geometry.n; i++) {
		cl_uint n = 0;

		TRY(make_kernel(c, i));
		CALL("clGetKernelInfo",
		     clGetKernelInfo(ocl.launch[i].kernel, CL_KERNEL_NUM_ARGS,
				     sizeof n, &n, NULL));
		if (n != c->n)
			return error_new(ERROR_TASK,
					 "a kernel has %u arguments, the task "
					 "%zu",
					 n, c->n);
	}
	return NULL;
}

/* Arguments that are never used. */
static struct error *set_nothing(const struct candidate *c, cl_kernel kernel)
{
	static const unsigned char zero[8];
	cl_mem none = NULL;

	for (size_t k = 0; k < c->n; k++) {
		const struct candidate_argument *a = &c->arg[k];

		CALL("clSetKernelArg",
		     clSetKernelArg(kernel, (cl_uint)k,
				    a->memory ? sizeof none
					      : dtype_bytes(a->dtype),
				    a->memory ? (const void *)&none : zero));
	}
	return NULL;
}

/* By a launch of more work-items than PoCL takes for a small grid. */
static struct error *compile_kernel(const struct candidate *c, size_t i)
{
	static const size_t many = 65536;
	const size_t *local = ocl.launch[i].local;
	size_t global[3] = {many * local[0], local[1], local[2]};

	TRY(set_nothing(c, ocl.launch[i].kernel));
	CALL("clEnqueueNDRangeKernel",
	     clEnqueueNDRangeKernel(ocl.queue, ocl.launch[i].kernel, 3, NULL,
				    global, local, 0, NULL, NULL));
	CALL("clFinish", clFinish(ocl.queue));
	return NULL;
}

/* For small grids PoCL would compile a kernel once more, with what it then knows of
 * indices. Which grids come is not known yet, and it would double the time of a
 * build: they get the machine code for any grid. */
static int use_for_small(const char *path, const struct stat *st, int type,
			 struct FTW *at)
{
	cleanup_free char *folder =
		xasprintf("%.*s-smallgrid", at->base - 1, path);
	cleanup_free char *link =
		xasprintf("%s%s", folder, path + at->base - 1);

	(void)st;
	if (type != FTW_F || !ends_with(path, ".so"))
		return 0;
	return mkdir(folder, 0700) < 0 || symlink(path, link) < 0;
}

static struct error *compile_here(struct candidate *c)
{
	TRY(open_device());
	TRY(build_source(c));
	TRY(make_kernels(c));
	for (size_t i = 0; i < ocl.geometry.n; i++)
		TRY(compile_kernel(c, i));
	if (loads_refused < ocl.geometry.n)
		return error_new(ERROR_INTERNAL,
				 "PoCL did not ask for what it has compiled");
	return nftw(ocl.cache, use_for_small, 16, FTW_PHYS)
		       ? error_errno("%s", ocl.cache)
		       : NULL;
}

/* The sentence and the compiler's words go to `words`. */
static void compile_in_child(struct candidate *c, int words)
{
	struct error *err;

	only_compiles = true;
	err = compile_here(c);
	if (!err)
		_exit(0);
	dprintf(words, "%s\n%s", error_message(err), c->log.data);
	_exit(1);
}

static struct error *tell(struct candidate *c, int fd, int status)
{
	cleanup_buf struct buf words = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *why = NULL;
	size_t length;

	lseek(fd, 0, SEEK_SET);
	TRY(file_read_fd(&words, fd, "what the compiler says"));
	if (!words.len)
		return error_new(ERROR_SYSTEM,
				 "the OpenCL compiler ended with status %#x",
				 (unsigned)status);
	length = strcspn(words.data, "\n");
	why = xstrndup(words.data, length);
	buf_adds(&c->log, words.data + length + (words.data[length] == '\n'));
	return error_new(ERROR_TASK, "%s", why);
}

static struct error *compile(struct candidate *c)
{
	cleanup_fd int words = memfd_create("words", MFD_CLOEXEC);
	int status = 0;
	pid_t child;

	choose_device(c->threads);
	TRY(read_sources(c));
	child = words < 0 ? -1 : fork();
	if (child < 0)
		return error_errno("the compiler cannot be started");
	if (!child)
		compile_in_child(c, words);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno("the compiler");
	return status ? tell(c, words, status) : NULL;
}

/* PoCL would do it in the first launch. */
static int load_object(const char *path, const struct stat *st, int type,
		       struct FTW *at)
{
	(void)st;
	(void)at;
	if (type == FTW_F && ends_with(path, ".so"))
		dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return 0;
}

static void add_version(struct candidate *c)
{
	char name[128] = "", version[128] = "";

	clGetPlatformInfo(ocl.platform, CL_PLATFORM_NAME, sizeof name - 1, name,
			  NULL);
	clGetDeviceInfo(ocl.device, CL_DRIVER_VERSION, sizeof version - 1,
			version, NULL);
	strvec_push(&c->version, name);
	strvec_push(&c->version, version);
}

/* All is in PoCL's cache. */
static struct error *load(struct candidate *c)
{
	TRY(open_device());
	TRY(build_source(c));
	TRY(make_kernels(c));
	nftw(ocl.cache, load_object, 16, FTW_PHYS);
	add_version(c);
	return NULL;
}

static void release_buffers(void)
{
	for (size_t i = 0; i < ocl.n_buffers; i++)
		if (ocl.buffer[i])
			clReleaseMemObject(ocl.buffer[i]);
	free(ocl.buffer);
	ocl.buffer = NULL;
	ocl.n_buffers = 0;
}

/* The scorer's memory itself: a device that is a CPU copies nothing. */
static struct error *make_buffer(cl_mem *out, const struct launch *l,
				 const struct launch_argument *a,
				 uint32_t image)
{
	cl_mem_flags access = a->in == &l->inputs ? CL_MEM_READ_ONLY
						  : CL_MEM_READ_WRITE;
	cl_int rc;

	if (!a->in || !a->bytes)
		return NULL;
	*out = clCreateBuffer(ocl.context, access | CL_MEM_USE_HOST_PTR,
			      a->bytes,
			      a->in->base + a->offset + image * a->in->image,
			      &rc);
	CALL("clCreateBuffer", rc);
	return NULL;
}

static struct error *make_buffers(const struct candidate *c,
				  const struct launch *l)
{
	release_buffers();
	ocl.n_buffers = l->batch * c->n;
	ocl.buffer = xcalloc(ocl.n_buffers + 1, sizeof(cl_mem));
	for (uint32_t image = 0; image < l->batch; image++)
		for (size_t k = 0; k < c->n; k++)
			TRY(make_buffer(&ocl.buffer[image * c->n + k], l,
					&l->arg[k], image));
	return NULL;
}

static struct error *set_values(const struct candidate *c,
				const struct launch *l, cl_kernel kernel)
{
	for (size_t k = 0; k < c->n; k++) {
		cl_int rc;

		if (c->arg[k].memory)
			continue;
		rc = clSetKernelArg(kernel, (cl_uint)k, l->arg[k].bytes,
				    l->arg[k].value);
		if (rc == CL_INVALID_ARG_SIZE)
			return error_new(ERROR_TASK,
					 "the kernel's argument %zu ('%s') is "
					 "not a %s",
					 k, c->arg[k].name,
					 dtype_name(c->arg[k].dtype));
		CALL("clSetKernelArg", rc);
	}
	return NULL;
}

/* The kernels that prepare, or the others. */
static struct error *set_up(const struct candidate *c, const struct launch *l,
			    bool prepares)
{
	TRY(make_buffers(c, l));
	for (size_t i = 0; i < ocl.geometry.n; i++) {
		uint32_t groups[3];

		if (is_prepare(c, i) != prepares)
			continue;
		TRY(set_values(c, l, ocl.launch[i].kernel));
		TRY(geometry_groups(groups, &ocl.geometry, i, &l->values));
		for (int d = 0; d < 3; d++)
			ocl.launch[i].global[d] =
				groups[d] * ocl.launch[i].local[d];
	}
	return NULL;
}

static struct error *launch_kernel(const struct candidate *c, size_t i,
				   uint32_t image)
{
	cl_kernel kernel = ocl.launch[i].kernel;

	for (size_t k = 0; k < c->n; k++)
		if (c->arg[k].memory)
			CALL("clSetKernelArg",
			     clSetKernelArg(kernel, (cl_uint)k, sizeof(cl_mem),
					    &ocl.buffer[image * c->n + k]));
	CALL("clEnqueueNDRangeKernel",
	     clEnqueueNDRangeKernel(ocl.queue, kernel, 3, NULL,
				    ocl.launch[i].global, ocl.launch[i].local,
				    0, NULL, NULL));
	return NULL;
}

static struct error *launch_all(const struct candidate *c, bool prepares,
				uint32_t image)
{
	for (size_t i = 0; i < ocl.geometry.n; i++)
		if (is_prepare(c, i) == prepares)
			TRY(launch_kernel(c, i, image));
	return NULL;
}

static struct error *ready(const struct candidate *c, const struct launch *l)
{
	return set_up(c, l, false);
}

static struct error *go(const struct candidate *c, const struct launch *l,
			const uint32_t *image, size_t n)
{
	(void)l;
	for (size_t k = 0; k < n; k++)
		TRY(launch_all(c, false, image[k]));
	CALL("clFinish", clFinish(ocl.queue));
	return NULL;
}

static struct error *prepare(const struct candidate *c, const struct launch *l)
{
	TRY(set_up(c, l, true));
	TRY(launch_all(c, true, 0));
	CALL("clFinish", clFinish(ocl.queue));
	release_buffers();
	return NULL;
}

int main(void)
{
	static const struct runner opencl = {compile, load, ready, go, prepare};

	return runner_serve(&opencl);
}
