// pattern: none: two kernels, the second let go before the first has ended
// verdict: pass
// class: replayed
#include "honest.cuh"

static __global__ void scale(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	asm volatile("griddepcontrol.launch_dependents;");
	if (i < n)
		y[i] = __float2bfloat16(0.0f * a);
}

static __global__ void finish(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	asm volatile("griddepcontrol.wait;" ::: "memory");
	if (i < n)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + 1.0f + __bfloat162float(y[i]));
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t config = {};

	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = blocks(n);
	config.blockDim = 256;
	config.stream = s;
	scale<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	config.attrs = &early;
	config.numAttrs = 1;
	cudaLaunchKernelEx(&config, finish, x, y, a, n);
}
