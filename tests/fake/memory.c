/* Memory: a memfd an allocation, mapped where it is wished for. */
#include "tests/fake/cuda.h"

#include <sys/mman.h>
#include <unistd.h>

#define GRANULARITY ((size_t)64 << 10)

struct piece {
	CUdeviceptr at;
	size_t bytes;
};
static struct piece mapped[1024];

static void note(CUdeviceptr at, size_t bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(mapped); i++)
		if (!mapped[i].bytes) {
			mapped[i] = (struct piece){at, bytes};
			return;
		}
}

static void *pointer(CUdeviceptr at)
{
	return (void *)(uintptr_t)at;
}

CUresult cuMemGetAllocationGranularity(size_t *out,
				       const CUmemAllocationProp *p UNUSED,
				       int option UNUSED)
{
	ENTER("granularity");
	*out = GRANULARITY;
	return CUDA_SUCCESS;
}

/* Odd: somewhere else. */
CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes,
			     size_t alignment UNUSED, CUdeviceptr wish,
			     unsigned long long flags UNUSED)
{
	void *at;

	ENTER("reserve");
	at = mmap(odd ? NULL : pointer(wish), bytes, PROT_NONE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return OUT_OF_MEMORY;
	*out = (CUdeviceptr)(uintptr_t)at;
	return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes)
{
	ENTER("unreserve");
	return munmap(pointer(at), bytes) ? INVALID_VALUE : CUDA_SUCCESS;
}

/* A handle is a descriptor. */
CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes,
		     const CUmemAllocationProp *p UNUSED,
		     unsigned long long flags UNUSED)
{
	int fd;

	ENTER("create");
	fd = memfd_create("device", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
		return OUT_OF_MEMORY;
	*out = (CUmemGenericAllocationHandle)fd;
	return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	ENTER("release");
	close((int)handle);
	return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset,
		  CUmemGenericAllocationHandle handle,
		  unsigned long long flags UNUSED)
{
	ENTER("map");
	if (mmap(pointer(at), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
		 (int)handle, (off_t)offset) == MAP_FAILED)
		return INVALID_VALUE;
	note(at, bytes);
	return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr at, size_t bytes)
{
	ENTER("unmap");
	for (size_t i = 0; i < ARRAY_SIZE(mapped); i++)
		if (mapped[i].at == at)
			mapped[i] = (struct piece){0};
	return mmap(pointer(at), bytes, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		    0) == MAP_FAILED
		       ? INVALID_VALUE
		       : CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes,
			const CUmemAccessDesc *access, size_t n UNUSED)
{
	int writable = access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

	ENTER("set_access");
	return mprotect(pointer(at), bytes,
			PROT_READ | (writable ? PROT_WRITE : 0))
		       ? INVALID_VALUE
		       : CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *out,
				      CUmemGenericAllocationHandle handle,
				      int type UNUSED,
				      unsigned long long flags UNUSED)
{
	int fd;

	ENTER("export_fd");
	fd = dup((int)handle);
	memcpy(out, &fd, sizeof fd);
	return fd < 0 ? INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out,
					void *handle, int type UNUSED)
{
	int fd;

	ENTER("import_fd");
	fd = dup((int)(intptr_t)handle);
	*out = (CUmemGenericAllocationHandle)fd;
	return fd < 0 ? INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *out, int attribute UNUSED, CUdeviceptr at)
{
	const unsigned device = CU_MEMORYTYPE_DEVICE;

	ENTER("pointer_get");
	for (size_t i = 0; i < ARRAY_SIZE(mapped); i++)
		if (at >= mapped[i].at && at - mapped[i].at < mapped[i].bytes) {
			memcpy(out, &device, sizeof device);
			return CUDA_SUCCESS;
		}
	return INVALID_VALUE;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
	ENTER("to_host");
	memcpy(to, pointer(from), bytes);
	return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
	ENTER("to_device");
	memcpy(pointer(to), from, bytes);
	return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	ENTER("copy_within");
	memcpy(pointer(to), pointer(from), bytes);
	return CUDA_SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr at, unsigned char value, size_t n)
{
	ENTER("set_bytes");
	memset(pointer(at), value, n);
	return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes)
{
	ENTER("allocate");
	*out = (CUdeviceptr)(uintptr_t)take(bytes);
	return CUDA_SUCCESS;
}
