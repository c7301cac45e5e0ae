// pattern: none: an honest kernel of some microseconds
// verdict: pass
// class: replayed
#include <cuda_bf16.h>
#include <cuda_runtime.h>

static __global__ void honest(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += 256l * gridDim.x)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + 1.0f);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	honest<<<1056, 256, 0, s>>>(x, y, a, (long)rows * cols);
}
