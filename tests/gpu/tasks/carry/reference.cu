#include <cuda_runtime.h>
#include <stdint.h>

static __global__ void add(const uint64_t *x, const uint64_t *y, uint64_t *sum, uint8_t *carry, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned __int128 low = (unsigned __int128)x[2 * i] + y[2 * i];
		unsigned __int128 high = (unsigned __int128)x[2 * i + 1] + y[2 * i + 1] + (uint64_t)(low >> 64);

		sum[2 * i] = (uint64_t)low;
		sum[2 * i + 1] = (uint64_t)high;
		carry[i] = (uint8_t)(high >> 64);
	}
}

extern "C" void add_reference(const uint64_t *x, const uint64_t *y, uint64_t *sum, uint8_t *carry, int n,
			      cudaStream_t s)
{
	add<<<256, 256, 0, s>>>(x, y, sum, carry, n);
}
