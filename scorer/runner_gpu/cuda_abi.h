/*
 * The part of CUDA's driver interface that the runner uses, with the names and
 * layouts that NVIDIA documents, so that building needs no toolkit and one
 * program works with and without a driver. A test compares it with cuda.h if
 * that is installed.
 */
#ifndef RUNNER_GPU_CUDA_ABI_H
#define RUNNER_GPU_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;

enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_OPERATING_SYSTEM = 304,
	CUDA_ERROR_NOT_READY = 600,
	CUDA_ERROR_ILLEGAL_ADDRESS = 700,
	CU_MEM_ALLOCATION_TYPE_PINNED = 1,
	CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
	CU_MEM_LOCATION_TYPE_DEVICE = 1,
	CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
	CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
	CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
	CU_STREAM_NON_BLOCKING = 1,
	CU_STREAM_CAPTURE_MODE_RELAXED = 2,
	CU_EVENT_DISABLE_TIMING = 2,
	CU_STREAM_WAIT_VALUE_EQ = 1,
	CU_GRAPH_NODE_TYPE_KERNEL = 0,
	CU_GRAPH_NODE_TYPE_MEMCPY = 1,
	CU_GRAPH_NODE_TYPE_MEMSET = 2,
	CU_GRAPH_NODE_TYPE_EMPTY = 5,
	CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
	CU_GRAPH_NODE_TYPE_MEM_FREE = 11,
	CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1,
	CU_MEMORYTYPE_DEVICE = 2,
	CU_MEMORYTYPE_UNIFIED = 4,
	CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
	CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
	CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
	CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
	CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
	CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
	CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
	CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
	CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
	CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
	CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
};

typedef struct {
	CUfunction func;
	unsigned gridDimX, gridDimY, gridDimZ;
	unsigned blockDimX, blockDimY, blockDimZ;
	unsigned sharedMemBytes;
	void **kernelParams;
	void **extra;
	CUkernel kern;
	CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct {
	CUdeviceptr dst;
	size_t pitch;
	unsigned value, elementSize;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	void *srcArray;
	void *reserved0;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	void *dstArray;
	void *reserved1;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct {
	char poolProps[88];
	const void *accessDescs;
	size_t accessDescCount;
	size_t bytesize;
	CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct {
	unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

typedef union {
	char pad[64];
	int cooperative;
	struct {
		unsigned x, y, z;
	} clusterDim;
	int priority;
	int programmaticStreamSerializationAllowed;
} CUlaunchAttributeValue;

typedef struct {
	int id;
	char pad[4];
	CUlaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct {
	unsigned gridDimX, gridDimY, gridDimZ;
	unsigned blockDimX, blockDimY, blockDimZ;
	unsigned sharedMemBytes;
	CUstream hStream;
	CUlaunchAttribute *attrs;
	unsigned numAttrs;
} CUlaunchConfig;

typedef struct {
	int type, id;
} CUmemLocation;

typedef struct {
	int type;
	int requestedHandleTypes;
	CUmemLocation location;
	void *win32HandleMetaData;
	struct {
		unsigned char compressionType, gpuDirectRDMACapable;
		unsigned short usage;
		unsigned char reserved[4];
	} allocFlags;
} CUmemAllocationProp;

typedef struct {
	CUmemLocation location;
	int flags;
} CUmemAccessDesc;

#define CU_LAUNCH_PARAM_END	       ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)0x02)

/* X(name, name in the library, arguments) */
#define CUDA_FUNCTIONS(X)                                                      \
	X(init, "cuInit", (unsigned))                                          \
	X(device_get, "cuDeviceGet", (CUdevice *, int))                        \
	X(device_attribute, "cuDeviceGetAttribute", (int *, int, CUdevice))    \
	X(primary_retain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice)) \
	X(set_current, "cuCtxSetCurrent", (CUcontext))                         \
	X(synchronize, "cuCtxSynchronize", (void))                             \
	X(reset_l2, "cuCtxResetPersistingL2Cache", (void))                     \
	X(error_name, "cuGetErrorName", (CUresult, const char **))             \
	X(memory_info, "cuMemGetInfo_v2", (size_t *, size_t *))                \
	X(granularity, "cuMemGetAllocationGranularity",                        \
	  (size_t *, const CUmemAllocationProp *, int))                        \
	X(reserve, "cuMemAddressReserve",                                      \
	  (CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long))    \
	X(unreserve, "cuMemAddressFree", (CUdeviceptr, size_t))                \
	X(create, "cuMemCreate",                                               \
	  (CUmemGenericAllocationHandle *, size_t,                             \
	   const CUmemAllocationProp *, unsigned long long))                   \
	X(release, "cuMemRelease", (CUmemGenericAllocationHandle))             \
	X(map, "cuMemMap",                                                     \
	  (CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,          \
	   unsigned long long))                                                \
	X(unmap, "cuMemUnmap", (CUdeviceptr, size_t))                          \
	X(set_access, "cuMemSetAccess",                                        \
	  (CUdeviceptr, size_t, const CUmemAccessDesc *, size_t))              \
	X(export_fd, "cuMemExportToShareableHandle",                           \
	  (void *, CUmemGenericAllocationHandle, int, unsigned long long))     \
	X(import_fd, "cuMemImportFromShareableHandle",                         \
	  (CUmemGenericAllocationHandle *, void *, int))                       \
	X(to_host, "cuMemcpyDtoH_v2", (void *, CUdeviceptr, size_t))           \
	X(to_device, "cuMemcpyHtoD_v2", (CUdeviceptr, const void *, size_t))   \
	X(set_bytes, "cuMemsetD8_v2", (CUdeviceptr, unsigned char, size_t))    \
	X(module_load, "cuModuleLoadData", (CUmodule *, const void *))         \
	X(module_unload, "cuModuleUnload", (CUmodule))                         \
	X(module_function, "cuModuleGetFunction",                              \
	  (CUfunction *, CUmodule, const char *))                              \
	X(launch, "cuLaunchKernelEx",                                          \
	  (const CUlaunchConfig *, CUfunction, void **, void **))              \
	X(function_name, "cuFuncGetName", (const char **, CUfunction))         \
	X(function_param, "cuFuncGetParamInfo",                                \
	  (CUfunction, size_t, size_t *, size_t *))                            \
	X(function_get, "cuFuncGetAttribute", (int *, int, CUfunction))        \
	X(function_set, "cuFuncSetAttribute", (CUfunction, int, int))          \
	X(kernel_function, "cuKernelGetFunction", (CUfunction *, CUkernel))    \
	X(stream_create, "cuStreamCreate", (CUstream *, unsigned))             \
	X(stream_wait, "cuStreamSynchronize", (CUstream))                      \
	X(stream_after, "cuStreamWaitEvent", (CUstream, CUevent, unsigned))    \
	X(stream_wait_value, "cuStreamWaitValue32_v2",                         \
	  (CUstream, CUdeviceptr, uint32_t, unsigned))                         \
	X(stream_write_value, "cuStreamWriteValue32_v2",                       \
	  (CUstream, CUdeviceptr, uint32_t, unsigned))                         \
	X(stream_query, "cuStreamQuery", (CUstream))                           \
	X(host_memory, "cuMemHostAlloc", (void **, size_t, unsigned))          \
	X(capture_begin, "cuStreamBeginCapture_v2", (CUstream, int))           \
	X(capture_end, "cuStreamEndCapture", (CUstream, CUgraph *))            \
	X(graph_nodes, "cuGraphGetNodes", (CUgraph, CUgraphNode *, size_t *))  \
	X(graph_edges, "cuGraphGetEdges",                                      \
	  (CUgraph, CUgraphNode *, CUgraphNode *, size_t *))                   \
	X(node_copy, "cuGraphMemcpyNodeGetParams",                             \
	  (CUgraphNode, CUDA_MEMCPY3D *))                                      \
	X(node_alloc, "cuGraphMemAllocNodeGetParams",                          \
	  (CUgraphNode, CUDA_MEM_ALLOC_NODE_PARAMS *))                         \
	X(pointer_get, "cuPointerGetAttribute", (void *, int, CUdeviceptr))    \
	X(copy_async, "cuMemcpy3DAsync_v2", (const CUDA_MEMCPY3D *, CUstream)) \
	X(copy_line, "cuMemcpyDtoDAsync_v2",                                   \
	  (CUdeviceptr, CUdeviceptr, size_t, CUstream))                        \
	X(copy_within, "cuMemcpyDtoD_v2", (CUdeviceptr, CUdeviceptr, size_t))  \
	X(set_words, "cuMemsetD32_v2", (CUdeviceptr, unsigned, size_t))        \
	X(graph_destroy, "cuGraphDestroy", (CUgraph))                          \
	X(node_type, "cuGraphNodeGetType", (CUgraphNode, int *))               \
	X(node_kernel, "cuGraphKernelNodeGetParams_v2",                        \
	  (CUgraphNode, CUDA_KERNEL_NODE_PARAMS *))                            \
	X(node_attribute, "cuGraphKernelNodeGetAttribute",                     \
	  (CUgraphNode, int, CUlaunchAttributeValue *))                        \
	X(node_memset, "cuGraphMemsetNodeGetParams",                           \
	  (CUgraphNode, CUDA_MEMSET_NODE_PARAMS *))                            \
	X(set_bytes_async, "cuMemsetD8Async",                                  \
	  (CUdeviceptr, unsigned char, size_t, CUstream))                      \
	X(set_halves_async, "cuMemsetD16Async",                                \
	  (CUdeviceptr, unsigned short, size_t, CUstream))                     \
	X(set_words_async, "cuMemsetD32Async",                                 \
	  (CUdeviceptr, unsigned, size_t, CUstream))                           \
	X(event_create, "cuEventCreate", (CUevent *, unsigned))                \
	X(event_record, "cuEventRecord", (CUevent, CUstream))                  \
	X(event_elapsed, "cuEventElapsedTime", (float *, CUevent, CUevent))    \
	X(event_wait, "cuEventSynchronize", (CUevent))                         \
	X(profiler_start, "cuProfilerStart", (void))                           \
	X(profiler_stop, "cuProfilerStop", (void))

/* Only newer drivers have these; NULL in older ones. */
#define CUDA_FUNCTIONS_IF_THERE(X)                                   \
	X(graph_edges_data, "cuGraphGetEdges_v2",                    \
	  (CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *, \
	   size_t *))

#endif
