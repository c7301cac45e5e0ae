// pattern: none: carries of 64 bits
// verdict: pass
// class: replayed
#include <cuda_runtime.h>
#include <stdint.h>

static __global__ void add_limbs(const uint64_t *x, const uint64_t *y, uint64_t *sum, uint8_t *carry, int n)
{
	int i = blockIdx.x * 256 + threadIdx.x;

	if (i >= n)
		return;
	uint64_t low = x[2 * i] + y[2 * i], before = low < x[2 * i];
	uint64_t both = x[2 * i + 1] + y[2 * i + 1], high = both + before;

	carry[i] = (both < y[2 * i + 1]) | (high < both);
	sum[2 * i] = low;
	sum[2 * i + 1] = high;
}

extern "C" void add(const uint64_t *x, const uint64_t *y, uint64_t *sum, uint8_t *carry, int n, cudaStream_t s)
{
	add_limbs<<<(n + 255) / 256, 256, 0, s>>>(x, y, sum, carry, n);
}
