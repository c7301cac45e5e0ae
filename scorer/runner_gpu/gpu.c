#include "scorer/runner_gpu/gpu.h"
#include "scorer/wire/gpu_protocol.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIBRARY	      "libcuda.so.1"
#define BLOCK	      256
#define BLOCKS_A_CORE 16

extern const char gpu_kernels_ptx[];

const char *gpu_check(struct gpu_device *g, CUresult r, const char *doing)
{
	static char text[256];
	const char *name = NULL;

	if (r == CUDA_SUCCESS)
		return NULL;
	if (!g->cuda.error_name || g->cuda.error_name(r, &name) || !name)
		name = "unknown error";
	snprintf(text, sizeof text, "%s: %s (%d)", doing, name, r);
	return text;
}

/* Opens the library that the scorer handed over, if it did. In a program that a
 * profiler starts, that number is some other file. */
static void *open_handed_over(void)
{
	char path[64], is[64] = "";

	snprintf(path, sizeof path, "/proc/self/fd/%d", RUNNER_DRIVER_FD);
	if (readlink(path, is, sizeof is - 1) < 0 ||
	    !starts_with(is, "/memfd:" RUNNER_DRIVER_NAME))
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static const char *open_library(struct gpu_device *g)
{
	static char text[128];
	void *library = open_handed_over();

	if (!library)
		library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return dlerror();
#define X(name, symbol, arguments)                                      \
	{                                                               \
		void *found = dlsym(library, symbol);                   \
                                                                        \
		if (!found) {                                           \
			snprintf(text, sizeof text,                     \
				 "the driver is too old: it has no %s", \
				 symbol);                               \
			return text;                                    \
		}                                                       \
		memcpy(&g->cuda.name, &found, sizeof found);            \
	}
	CUDA_FUNCTIONS(X)
#undef X
#define X(name, symbol, arguments)                           \
	{                                                    \
		void *found = dlsym(library, symbol);        \
                                                             \
		memcpy(&g->cuda.name, &found, sizeof found); \
	}
	CUDA_FUNCTIONS_IF_THERE(X)
#undef X
	return NULL;
}

static CUmemAllocationProp properties(const struct gpu_device *g)
{
	return (CUmemAllocationProp){
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.requestedHandleTypes =
			CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, g->device},
	};
}

static CUresult read_attributes(struct gpu_device *g)
{
	int processors = 0, l2 = 0, pageable = 0, tables = 0;
	const struct {
		int which, *to;
	} asked[] = {
		{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &processors},
		{CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2},
		{CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, &pageable},
		{CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
		 &tables},
	};
	CUresult r = CUDA_SUCCESS;

	for (size_t i = 0; !r && i < ARRAY_SIZE(asked); i++)
		r = g->cuda.device_attribute(asked[i].to, asked[i].which,
					     g->device);
	g->processors = (unsigned)processors;
	g->l2_bytes = (size_t)l2;
	g->reach = gpu_reach_of(pageable, tables);
	return r;
}

/* Does a file exist that this process may not open? */
static bool is_refused(const char *path, int how)
{
	int fd = open(path, how | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd < 0 && (errno == EACCES || errno == EPERM);
}

/* A local socket with a name that the kernel chooses, as the driver listens on
 * one. */
static bool listening_is_refused(void)
{
	const struct sockaddr any = {.sa_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool listens = fd >= 0 && bind(fd, &any, sizeof any.sa_family) == 0 &&
		       listen(fd, 1) == 0;

	if (fd >= 0)
		close(fd);
	return !listens;
}

/* The driver does not say which call failed: what it is known to open is tried,
 * here, where a sandbox refuses it to the driver, too. NULL: none is refused. */
static const char *what_is_refused(void)
{
	static char comm[64];
	const struct {
		const char *path;
		int how;
	} opened[] = {
		{"/proc/self/maps", O_RDONLY},
		{"/proc/self/status", O_RDONLY},
		{comm, O_WRONLY},
		{"/proc/sys/vm/mmap_min_addr", O_RDONLY},
		{"/proc/cpuinfo", O_RDONLY},
		{"/proc/meminfo", O_RDONLY},
		{"/proc/devices", O_RDONLY},
		{"/proc/modules", O_RDONLY},
		{"/proc/driver/nvidia/params", O_RDONLY},
		{"/proc/driver/nvidia-uvm", O_RDONLY},
		{"/sys/devices/system/node", O_RDONLY},
		{"/dev/nvidiactl", O_RDWR},
		{"/dev/nvidia-uvm", O_RDWR},
		{"/dev/nvidia-uvm-tools", O_RDWR},
	};

	snprintf(comm, sizeof comm, "/proc/self/task/%d/comm", getpid());
	for (size_t i = 0; i < ARRAY_SIZE(opened); i++)
		if (is_refused(opened[i].path, opened[i].how))
			return opened[i].path;
	return listening_is_refused() ? "a local socket" : NULL;
}

static const char *cannot_open(struct gpu_device *g, CUresult r)
{
	static char text[256];
	const char *said = gpu_check(g, r, "opening the GPU");
	const char *refused =
		r == CUDA_ERROR_OPERATING_SYSTEM ? what_is_refused() : NULL;

	if (!refused)
		return said;
	snprintf(text, sizeof text, "%.150s: %s may not be opened here", said,
		 refused);
	return text;
}

static const char *open_device(struct gpu_device *g)
{
	const CUmemAllocationProp p = properties(g);
	CUresult r = g->cuda.init(0);

	if (!r)
		r = g->cuda.device_get(&g->device, 0);
	if (!r)
		r = g->cuda.primary_retain(&g->context, g->device);
	if (!r)
		r = g->cuda.set_current(g->context);
	if (!r)
		r = g->cuda.granularity(&g->granularity, &p,
					CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
	if (!r)
		r = read_attributes(g);
	return cannot_open(g, r);
}

const char *gpu_load_kernels(struct gpu_device *g)
{
	static const char *const names[GPU_KERNEL_COUNT] = {
		"avogit_fill",	 "avogit_poison", "avogit_look",
		"avogit_spread", "avogit_start",  "avogit_same",
		"avogit_touch",	 "avogit_unlike"};
	CUresult r = CUDA_SUCCESS;

	if (g->module)
		return NULL;
	r = g->cuda.module_load(&g->module, gpu_kernels_ptx);

	for (size_t i = 0; !r && i < GPU_KERNEL_COUNT; i++)
		r = g->cuda.module_function(&g->kernel[i], g->module, names[i]);
	return gpu_check(g, r, "loading the scorer's own kernels");
}

const char *gpu_open(struct gpu_device *g, bool own_kernels)
{
	const char *why = open_library(g);

	if (!why)
		why = open_device(g);
	if (!why && own_kernels)
		why = gpu_load_kernels(g);
	return why;
}

const char *gpu_refuse_reach(const struct gpu_device *g, const char *so)
{
	static char text[256];

	if (g->reach == REACH_OWN)
		return NULL;
	gpu_reach_tell(text, sizeof text, g->reach, so);
	return text;
}

/* ---- memory ------------------------------------------------------------- */

size_t gpu_memory_whole(const struct gpu_device *g, size_t bytes)
{
	return (bytes + g->granularity - 1) / g->granularity * g->granularity;
}

/* A driver follows a wish for an address only from some size on (driver 580: 2
 * MiB was put anywhere, 256 MiB at the wanted address), and only once, because
 * it may use returned addresses itself. So a window around the wanted address
 * is reserved once and kept. Reserved addresses without memory fault too. */
static const char *open_window(struct gpu_device *g, CUdeviceptr at)
{
	static char text[128];
	CUdeviceptr base = at / GPU_WINDOW * GPU_WINDOW, got = 0;
	CUresult r;

	for (size_t i = 0; i < g->n_windows; i++)
		if (g->window[i] == base)
			return NULL;
	if (g->n_windows == ARRAY_SIZE(g->window))
		return "addresses in more places than a scorer asks for";
	r = g->cuda.reserve(&got, GPU_WINDOW, 0, base, 0);
	g->moved = !r && got != base;
	if (g->moved) {
		g->cuda.unreserve(got, GPU_WINDOW);
		snprintf(text, sizeof text,
			 "the driver gave address %llx, not %llx", got, base);
		return text;
	}
	if (!r)
		g->window[g->n_windows++] = base;
	return gpu_check(g, r, "reserving addresses");
}

/* Maps m->handle at `at`, or anywhere. */
static const char *map(struct gpu_memory *m, struct gpu_device *g,
		       CUdeviceptr at, bool writable)
{
	const CUmemAccessDesc access = {
		{CU_MEM_LOCATION_TYPE_DEVICE, g->device},
		writable ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
			 : CU_MEM_ACCESS_FLAGS_PROT_READ};
	const char *why = at ? open_window(g, at) : NULL;
	CUresult r = CUDA_SUCCESS;

	if (why)
		return why;
	if (!at)
		r = g->cuda.reserve(&at, m->bytes, 0, 0, 0);
	else
		m->in_window = true;
	if (!r)
		r = g->cuda.map(at, m->bytes, 0, m->handle, 0);
	if (!r)
		m->at = at;
	if (!r)
		r = g->cuda.set_access(m->at, m->bytes, &access, 1);
	return gpu_check(g, r, "mapping GPU memory");
}

static const char *taken(struct gpu_device *g, CUresult r, const char *doing,
			 size_t bytes)
{
	char text[64];

	snprintf(text, sizeof text, "%s (%zu bytes)", doing, bytes);
	return gpu_check(g, r, text);
}

static const char *not_taken(struct gpu_device *g, CUresult r, size_t wanted)
{
	size_t free_bytes, all;
	char text[128];

	if (g->cuda.memory_info(&free_bytes, &all))
		return taken(g, r, "taking GPU memory", wanted);
	snprintf(text, sizeof text,
		 "taking GPU memory (%zu bytes, where %zu of %zu are free)",
		 wanted, free_bytes, all);
	return gpu_check(g, r, text);
}

const char *gpu_memory_make(struct gpu_memory *out, struct gpu_device *g,
			    size_t bytes, CUdeviceptr at, int *fd)
{
	const CUmemAllocationProp p = properties(g);
	const char *why;
	CUresult r;

	gpu_memory_release(out, g);
	g->moved = false;
	if (!bytes)
		return NULL;
	out->bytes = gpu_memory_whole(g, bytes);
	r = g->cuda.create(&out->handle, out->bytes, &p, 0);
	if (r) {
		size_t wanted = out->bytes;

		out->bytes = 0;
		return not_taken(g, r, wanted);
	}
	why = map(out, g, at, true);
	if (!why && fd)
		why = gpu_check(
			g,
			g->cuda.export_fd(
				fd, out->handle,
				CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
			"sharing GPU memory");
	return why;
}

const char *gpu_memory_import(struct gpu_memory *out, struct gpu_device *g,
			      int fd, size_t bytes, CUdeviceptr at,
			      bool writable)
{
	CUresult r;

	gpu_memory_release(out, g);
	g->moved = false;
	if (!bytes)
		return NULL;
	out->bytes = gpu_memory_whole(g, bytes);
	r = g->cuda.import_fd(&out->handle, (void *)(intptr_t)fd,
			      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	if (r) {
		size_t wanted = out->bytes;

		out->bytes = 0;
		return taken(g, r, "taking over GPU memory", wanted);
	}
	return map(out, g, at, writable);
}

void gpu_memory_release(struct gpu_memory *m, struct gpu_device *g)
{
	if (m->bytes && m->at) {
		g->cuda.unmap(m->at, m->bytes);
		if (!m->in_window)
			g->cuda.unreserve(m->at, m->bytes);
	}
	if (m->bytes)
		g->cuda.release(m->handle);
	*m = (struct gpu_memory){0};
}

/* ---- kernels ------------------------------------------------------------ */

const char *gpu_queue(struct gpu_device *g, enum gpu_kernel k, uint64_t n,
		      void **parameters, CUstream stream)
{
	uint64_t blocks = (n + BLOCK - 1) / BLOCK;
	CUlaunchConfig config = {.gridDimX = g->processors * BLOCKS_A_CORE,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = BLOCK,
				 .blockDimY = 1,
				 .blockDimZ = 1,
				 .hStream = stream};

	if (!n)
		return NULL;
	if (blocks < config.gridDimX)
		config.gridDimX = (unsigned)blocks;
	return gpu_check(
		g, g->cuda.launch(&config, g->kernel[k], parameters, NULL),
		"running one of the scorer's own kernels");
}

const char *gpu_wait(struct gpu_device *g)
{
	return gpu_check(g, g->cuda.synchronize(),
			 "running one of the scorer's own kernels");
}

const char *gpu_run(struct gpu_device *g, enum gpu_kernel k, uint64_t n,
		    void **parameters)
{
	const char *why = gpu_queue(g, k, n, parameters, NULL);

	return why || !n ? why : gpu_wait(g);
}
