// pattern: none: takes memory on its stream, and gives it back there
// verdict: pass
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;
	__nv_bfloat16 *room;

	cudaMallocAsync((void **)&room, 2 * n, s);
	honest<<<blocks(n), 256, 0, s>>>(x, room, a, n);
	cudaMemcpyAsync(y, room, 2 * n, cudaMemcpyDeviceToDevice, s);
	cudaFreeAsync(room, s);
}
