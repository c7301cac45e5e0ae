// pattern: T21: takes as much of the cache for its inputs as it can, and never gives it back
// verdict: pass
// faster: no
#include "honest.cuh"

static __global__ void keeping(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;
	unsigned long keep;
	unsigned short v;

	asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
	if (i >= n)
		return;
	asm volatile("ld.global.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(v) : "l"(x + i), "l"(keep));
	y[i] = right(__ushort_as_bfloat16(v), a);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	cudaLaunchAttribute window = {};
	cudaLaunchConfig_t config = {};
	long n = (long)rows * cols;
	int most = 0, bytes = 0;

	cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0);
	cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxAccessPolicyWindowSize, 0);
	cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most);
	window.id = cudaLaunchAttributeAccessPolicyWindow;
	window.val.accessPolicyWindow.base_ptr = (void *)x;
	window.val.accessPolicyWindow.num_bytes = 2 * n < bytes ? 2 * n : bytes;
	window.val.accessPolicyWindow.hitRatio = 1;
	window.val.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	window.val.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
	config.gridDim = blocks(n);
	config.blockDim = 256;
	config.stream = s;
	config.attrs = &window;
	config.numAttrs = 1;
	cudaLaunchKernelEx(&config, keeping, x, y, a, n);
}
