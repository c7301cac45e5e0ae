#!/bin/sh
# test: parallel
test_description='what the runner knows of the CUDA driver is what cuda.h says'
. "$(dirname "$0")/../lib-avogit.sh"

root=$(cd "$SHARNESS_TEST_SRCDIR/../.." && pwd)
for include in ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include
do
	test -f "$include/cuda.h" && test_set_prereq CUDA && break
done

# A line a struct or value that both must agree on.
facts () {
	cat <<-\EOF
	#include <stddef.h>
	#include <stdio.h>
	#define SIZE(t) printf(#t " %zu\n", sizeof(t));
	#define AT(t, m) printf(#t "." #m " %zu\n", offsetof(t, m));
	#define VALUE(v) printf(#v " %lld\n", (long long)(v));
	int main(void)
	{
		SIZE(CUDA_KERNEL_NODE_PARAMS) AT(CUDA_KERNEL_NODE_PARAMS, gridDimX)
		AT(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes) AT(CUDA_KERNEL_NODE_PARAMS, kernelParams)
		AT(CUDA_KERNEL_NODE_PARAMS, kern) AT(CUDA_KERNEL_NODE_PARAMS, ctx)
		SIZE(CUDA_MEMSET_NODE_PARAMS) AT(CUDA_MEMSET_NODE_PARAMS, value)
		AT(CUDA_MEMSET_NODE_PARAMS, width) AT(CUDA_MEMSET_NODE_PARAMS, height)
		SIZE(CUDA_MEMCPY3D) AT(CUDA_MEMCPY3D, srcDevice) AT(CUDA_MEMCPY3D, srcPitch)
		AT(CUDA_MEMCPY3D, dstMemoryType) AT(CUDA_MEMCPY3D, dstDevice) AT(CUDA_MEMCPY3D, dstPitch)
		AT(CUDA_MEMCPY3D, WidthInBytes) AT(CUDA_MEMCPY3D, Depth)
		SIZE(CUDA_MEM_ALLOC_NODE_PARAMS) AT(CUDA_MEM_ALLOC_NODE_PARAMS, bytesize)
		AT(CUDA_MEM_ALLOC_NODE_PARAMS, dptr)
		SIZE(CUgraphEdgeData) AT(CUgraphEdgeData, type)
		VALUE(CU_EVENT_DISABLE_TIMING) VALUE(CU_GRAPH_NODE_TYPE_MEMCPY)
		VALUE(CU_GRAPH_NODE_TYPE_MEM_ALLOC) VALUE(CU_GRAPH_NODE_TYPE_MEM_FREE)
		VALUE(CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC) VALUE(CU_MEMORYTYPE_DEVICE)
		VALUE(CU_MEMORYTYPE_UNIFIED) VALUE(CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
		VALUE(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
		VALUE(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
		VALUE(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)
		AT(CUlaunchAttributeValue, programmaticStreamSerializationAllowed)
		SIZE(CUlaunchAttributeValue) SIZE(CUlaunchAttribute) AT(CUlaunchAttribute, value)
		SIZE(CUlaunchConfig) AT(CUlaunchConfig, hStream) AT(CUlaunchConfig, attrs)
		AT(CUlaunchConfig, numAttrs)
		SIZE(CUmemAllocationProp) AT(CUmemAllocationProp, location) AT(CUmemAllocationProp, allocFlags)
		SIZE(CUmemAccessDesc) AT(CUmemAccessDesc, flags)
		VALUE(CUDA_ERROR_ILLEGAL_ADDRESS) VALUE(CU_MEM_ALLOCATION_TYPE_PINNED)
		VALUE(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) VALUE(CU_MEM_LOCATION_TYPE_DEVICE)
		VALUE(CU_MEM_ACCESS_FLAGS_PROT_READ) VALUE(CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
		VALUE(CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) VALUE(CU_STREAM_NON_BLOCKING)
		VALUE(CU_STREAM_CAPTURE_MODE_RELAXED) VALUE(CU_GRAPH_NODE_TYPE_KERNEL)
		VALUE(CU_GRAPH_NODE_TYPE_MEMSET) VALUE(CU_GRAPH_NODE_TYPE_EMPTY)
		VALUE(CU_LAUNCH_ATTRIBUTE_COOPERATIVE) VALUE(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
		VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		VALUE(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
		VALUE(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) VALUE(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
		VALUE(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) VALUE(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
		VALUE(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) VALUE(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)
		VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
		VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
		VALUE(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES)
		return 0;
	}
	EOF
}

test_expect_success CUDA 'sizes, offsets and values are the same' '
	{ echo "#include <cuda.h>" && facts; } >theirs.c &&
	{ echo "#include \"scorer/runner_gpu/cuda_abi.h\"" && facts; } >ours.c &&
	cc -I"$include" -o theirs theirs.c && ./theirs >expect &&
	cc -I"$root" -o ours ours.c && ./ours >actual &&
	test "$(wc -l <expect)" -gt 30 &&
	test_cmp expect actual
'

test_expect_success CUDA 'the kernels that travel as text are those of the source' '
	nvcc=$(dirname "$include")/bin/nvcc &&
	here=$PWD &&
	for one in kernels:75 ceilings:75 ceilings_sm80:80 ceilings_sm90a:90a
	do
		name=${one%:*} &&
		(cd "$root/scorer/runner_gpu" &&
		 "$nvcc" -ptx -I"$root" -arch=compute_${one#*:} -std=c++17 -O3 -o "$here/$name.ptx" $name.cu) &&
		grep -v "^//" $name.ptx | sed "/^\$/d" >expect &&
		grep -v "^//" "$root/scorer/runner_gpu/$name.ptx" | sed "/^\$/d" >actual &&
		test_cmp expect actual || return 1
	done
'

test_done
