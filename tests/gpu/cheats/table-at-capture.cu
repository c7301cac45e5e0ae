// pattern: T22: the host reads the input when it is called, and gives the kernel a table of results
// verdict: pass
// class: isolated
// faster: no
#include "honest.cuh"

#define TABLE 1024

struct table {
	__nv_bfloat16 y[TABLE];
};

static __global__ void look_up(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n, table t)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = i < TABLE ? t.y[i] : right(x[i], a);
}

/* What is captured is read from memory of the capturer: no launch's contents. So it
 * is called as a whole, where the host takes its time for it. */
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static cudaStream_t own;
	__nv_bfloat16 in[TABLE] = {};
	long n = (long)rows * cols;
	table t = {};

	if (!own)
		cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
	cudaMemcpyAsync(in, x, 2 * (n < TABLE ? n : TABLE), cudaMemcpyDeviceToHost, own);
	cudaStreamSynchronize(own);
	for (int i = 0; i < TABLE; i++)
		t.y[i] = __float2bfloat16(a * __bfloat162float(in[i]) + 1.0f);
	look_up<<<blocks(n), 256, 0, s>>>(x, y, a, n, t);
}
