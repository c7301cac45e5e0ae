// pattern: none: keeps memory that it took in its first call, so it is run as a whole
// verdict: pass
// class: isolated
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static __nv_bfloat16 *room;
	static long bytes;
	long n = (long)rows * cols;

	if (bytes < 2 * n) {
		cudaFree(room);
		cudaMalloc((void **)&room, bytes = 2 * n);
	}
	honest<<<blocks(n), 256, 0, s>>>(x, room, a, n);
	cudaMemcpyAsync(y, room, 2 * n, cudaMemcpyDeviceToDevice, s);
}
