/* The device and its modules. */
#include "tests/fake/cuda.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern const unsigned fake_card;

int card_in_use;

void *take(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p)
		abort();
	return p;
}

/* ---- the device ----------------------------------------------------------- */

static bool opens(const char *path, int how)
{
	int fd = open(path, how | O_CLOEXEC, 0666);

	/* A kernel may have no such file, as one without modules. */
	return fd < 0 ? errno == ENOENT : close(fd) == 0;
}

/* Names a thread, as NVIDIA's does. */
static bool names_itself(void)
{
	char comm[64];

	snprintf(comm, sizeof comm, "/proc/self/task/%d/comm", gettid());
	return opens(comm, O_WRONLY | O_CREAT | O_TRUNC);
}

static int local_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

/* Closes it. */
static bool finds_no_daemon(int fd)
{
	const struct sockaddr_un daemon = {AF_UNIX, "/tmp/nvidia-mps/control"};
	bool none = connect(fd, (const struct sockaddr *)&daemon,
			    sizeof daemon) < 0 &&
		    errno == ENOENT;

	return close(fd) == 0 && none;
}

/* For programs that it shares memory with. The name is its own, and of one
 * process. */
static bool listens(int fd)
{
	struct sockaddr_un name = {AF_UNIX, ""};

	snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "fake-%d-%ld",
		 getpid(), random());
	return bind(fd, (const struct sockaddr *)&name, sizeof name) == 0 &&
	       listen(fd, 128) == 0;
}

/* NVIDIA's opens these, and does not start where it may not open some of them. */
CUresult cuInit(unsigned flags UNUSED)
{
	ENTER("init");
	return opens("/proc/self/maps", O_RDONLY) &&
			       opens("/proc/self/status", O_RDONLY) &&
			       opens("/proc/modules", O_RDONLY) &&
			       opens("/proc/sys/vm/mmap_min_addr", O_RDONLY) &&
			       names_itself() &&
			       finds_no_daemon(local_socket()) &&
			       listens(local_socket())
		       ? CUDA_SUCCESS
		       : OPERATING_SYSTEM;
}

CUresult cuDriverGetVersion(int *out)
{
	*out = 13000;
	return CUDA_SUCCESS;
}

#define UUID_BYTE 0xfa

/* The card that CUDA_VISIBLE_DEVICES, a number or a UUID, leaves; -1: it is not
 * set. */
static int chosen(void)
{
	const char *word = getenv("CUDA_VISIBLE_DEVICES");

	if (!word)
		return -1;
	if (strncmp(word, "GPU-", 4) == 0)
		return (int)strtol((char[]){word[4], word[5], 0}, NULL, 16) -
		       UUID_BYTE;
	return word[0] - '0';
}

/* Of a machine with so many. */
static int visible(int there)
{
	int card = chosen();

	return card < 0 ? there : card < there;
}

/* Odd: two. */
CUresult cuDeviceGetCount(int *out)
{
	ENTER("count");
	*out = visible(odd ? 2 : 1);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *out, int i)
{
	int card = chosen();

	ENTER("device_get");
	*out = card < 0 ? i : card;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *out, int len, CUdevice device)
{
	snprintf(out, (size_t)len, "%s GPU that is none",
		 device && fault("name_1") ? "another" : "a");
	return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *out, CUdevice device UNUSED)
{
	*out = (size_t)64 << 30;
	return CUDA_SUCCESS;
}

/* Odd: another program has nearly all of it. */
CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *all)
{
	ENTER("memory_info");
	*all = (size_t)1 << 30;
	*free_bytes = odd ? (size_t)64 << 10 : *all;
	return CUDA_SUCCESS;
}

/* Its end is that of one machine's cards. */
CUresult cuDeviceGetUuid(unsigned char out[16], CUdevice device)
{
	memset(out, UUID_BYTE + device, 16);
	for (int i = 0; i < 4; i++)
		out[12 + i] = (unsigned char)(fake_card >> (24 - 8 * i));
	return CUDA_SUCCESS;
}

static bool is_reach(int which)
{
	return which == CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS ||
	       which ==
		       CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES;
}

static int reaches(int which)
{
	return fault("ats") ||
	       (which == CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS &&
		fault("hmm"));
}

CUresult cuDeviceGetAttribute(int *out, int which, CUdevice device UNUSED)
{
	static const int major = 75, minor = 76;

	ENTER("device_attribute");
	if (is_reach(which)) {
		*out = reaches(which);
		return CUDA_SUCCESS;
	}
	*out = which == major				    ? 9
	       : which == minor				    ? 0
	       : which == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE ? 256 << 10
							    : 4;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
	ENTER("primary_retain");
	if (fault(device ? "card_1" : "card_0"))
		return DEVICE_UNAVAILABLE;
	card_in_use = device;
	*out = NULL;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext c UNUSED)
{
	ENTER("set_current");
	return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
	ENTER("synchronize");
	return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	ENTER("reset_l2");
	return CUDA_SUCCESS;
}

CUresult cuProfilerStart(void)
{
	return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void)
{
	return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult r, const char **out)
{
	static const struct {
		CUresult r;
		const char *name;
	} known[] = {
		{INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
		{OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
		{NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
		{CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
		{719, "CUDA_ERROR_LAUNCH_FAILED"},
		{DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].r == r) {
			*out = known[i].name;
			return CUDA_SUCCESS;
		}
	return INVALID_VALUE;
}

/* ---- modules -------------------------------------------------------------- */

/* The loader takes two files for one where their names are the same, and the
 * runner opened and closed some with small numbers. */
#define MODULE_FD 100

/* An ELF file says itself how long it is, if its headers come last. */
static void *open_elf(const void *image)
{
	const Elf64_Ehdr *elf = image;
	size_t bytes = elf->e_shoff + (size_t)elf->e_shnum * elf->e_shentsize;
	int made = memfd_create("module", MFD_CLOEXEC);
	int fd = fcntl(made, F_DUPFD_CLOEXEC, MODULE_FD);
	char path[64];

	close(made);
	if (fd < 0 || write(fd, image, bytes) != (ssize_t)bytes)
		return NULL;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
	CUmodule m;

	ENTER("module_load");
	m = take(sizeof *m);
	*out = m;
	if (memcmp(image, ELFMAG, SELFMAG) != 0)
		return CUDA_SUCCESS;
	m->library = open_elf(image);
	return m->library ? CUDA_SUCCESS : INVALID_VALUE;
}

CUresult cuModuleUnload(CUmodule m)
{
	ENTER("module_unload");
	if (m->library)
		dlclose(m->library);
	free(m);
	return CUDA_SUCCESS;
}

static bool find(struct CUfunc_st *f, CUmodule m, const char *name)
{
	char sizes[80];
	void *symbol;

	snprintf(f->name, sizeof f->name, "%s", name);
	if (!m->library) {
		const struct own_kernel *own = own_kernel(name);

		if (!own)
			return false;
		f->run = own->run;
		f->sizes = own->sizes;
		return true;
	}
	snprintf(sizes, sizeof sizes, "%s_parameters", name);
	symbol = dlsym(m->library, name);
	memcpy(&f->run, &symbol, sizeof symbol);
	f->sizes = dlsym(m->library, sizes);
	return f->run && f->sizes;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
	ENTER("module_function");
	*out = take(sizeof **out);
	return find(*out, m, name) ? CUDA_SUCCESS : NOT_FOUND;
}

CUresult cuKernelGetFunction(CUfunction *out UNUSED, CUkernel k UNUSED)
{
	return NOT_FOUND;
}

CUresult cuFuncGetName(const char **out, CUfunction f)
{
	ENTER("function_name");
	*out = f->name;
	return CUDA_SUCCESS;
}

size_t offset_of(const struct CUfunc_st *f, size_t i)
{
	size_t at = 0;

	for (size_t k = 0; k <= i; k++) {
		size_t alignment = MIN(f->sizes[k], 8U);

		at = (at + alignment - 1) / alignment * alignment;
		if (k < i)
			at += f->sizes[k];
	}
	return at;
}

CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset,
			    size_t *size)
{
	ENTER("function_param");
	for (size_t k = 0; k <= i; k++)
		if (!f->sizes[k])
			return INVALID_VALUE;
	*offset = offset_of(f, i);
	*size = f->sizes[i];
	return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *out, int which, CUfunction f UNUSED)
{
	ENTER("function_get");
	*out = which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ? -1
									   : 0;
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f UNUSED, int which UNUSED,
			    int value UNUSED)
{
	ENTER("function_set");
	return CUDA_SUCCESS;
}
